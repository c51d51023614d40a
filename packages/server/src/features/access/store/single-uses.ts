/** Rows of `single_uses` and every statement on that table. */
import type { Insertable, Selectable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { deleteOldest } from '../../../database/engine/delete-oldest.ts'
import type { SingleUsesTable } from '../../../database/schema/access-tables.ts'

export type SingleUseRow = Selectable<SingleUsesTable>
export type NewSingleUse = Insertable<SingleUsesTable>
export type Purpose = SingleUseRow['purpose']

type Wanted = { readonly hash: string; readonly purposes: readonly Purpose[]; readonly now: number }

export const insertSingleUse = async (tx: Queries, row: NewSingleUse): Promise<void> => {
  await tx.insertInto('single_uses').values(row).execute()
}

/** The one with this hash, if it is for one of the purposes and not over; it can still be used. */
export const findSingleUse = (
  db: Queries,
  { hash, purposes, now }: Wanted,
): Promise<SingleUseRow | undefined> =>
  db
    .selectFrom('single_uses')
    .selectAll()
    .where('hash', '=', hash)
    .where('purpose', 'in', purposes)
    .where('expires_at', '>', now)
    .executeTakeFirst()

/** The same, and uses it up: of two transactions that ask at once, one gets it. */
export const takeSingleUse = (
  tx: Queries,
  { hash, purposes, now }: Wanted,
): Promise<SingleUseRow | undefined> =>
  tx
    .deleteFrom('single_uses')
    .where('hash', '=', hash)
    .where('purpose', 'in', purposes)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()

/** All that wait for this purpose and person. */
export const deletePersonSingleUses = async (
  tx: Queries,
  personId: string,
  purpose: Purpose,
): Promise<void> => {
  await tx
    .deleteFrom('single_uses')
    .where('person_id', '=', personId)
    .where('purpose', '=', purpose)
    .execute()
}

/** All that wait for this purpose and account. */
export const deleteAccountSingleUses = async (
  tx: Queries,
  customerId: string,
  purpose: Purpose,
): Promise<void> => {
  await tx
    .deleteFrom('single_uses')
    .where('customer_id', '=', customerId)
    .where('purpose', '=', purpose)
    .execute()
}

export const deleteOldSingleUses = (tx: Queries, before: number, limit: number): Promise<number> =>
  deleteOldest(tx, { table: 'single_uses', key: ['hash'], column: 'expires_at', before, limit })

/** Counts a try of one that several tries are allowed for; undefined when all are used up. */
export const updateSingleUseTries = (
  tx: Queries,
  { hash, purposes, now }: Wanted,
  most: number,
): Promise<SingleUseRow | undefined> =>
  tx
    .updateTable('single_uses')
    .set((e) => ({ tries: e('tries', '+', 1) }))
    .where('hash', '=', hash)
    .where('purpose', 'in', purposes)
    .where('expires_at', '>', now)
    .where('tries', '<', most)
    .returningAll()
    .executeTakeFirst()

/** Of the removals as owner that a person may still object to, the latest one. */
export const findPersonObjection = (
  db: Queries,
  personId: string,
  { customerId, now }: { readonly customerId: string | undefined; readonly now: number },
): Promise<SingleUseRow | undefined> =>
  db
    .selectFrom('single_uses')
    .selectAll()
    .where('person_id', '=', personId)
    .where('purpose', '=', 'owner_objection')
    .where('expires_at', '>', now)
    .$if(customerId !== undefined, (q) => q.where('customer_id', '=', customerId ?? ''))
    .orderBy('expires_at', 'desc')
    .executeTakeFirst()

export const deleteObjections = async (tx: Queries, personId: string, customerId: string): Promise<void> => {
  await tx
    .deleteFrom('single_uses')
    .where('person_id', '=', personId)
    .where('customer_id', '=', customerId)
    .where('purpose', '=', 'owner_objection')
    .execute()
}

/** What a person began for this purpose and did not finish. */
export const findPersonSingleUse = (
  db: Queries,
  personId: string,
  { purpose, now }: { readonly purpose: Purpose; readonly now: number },
): Promise<SingleUseRow | undefined> =>
  db
    .selectFrom('single_uses')
    .selectAll()
    .where('person_id', '=', personId)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .executeTakeFirst()
