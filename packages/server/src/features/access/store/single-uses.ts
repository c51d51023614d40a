/** All queries on the `single_uses` table. */
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

/** Finds the unexpired row with this hash for one of these purposes, without deleting it. */
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

/**
 * Like `findSingleUse`, but deletes the row. If two transactions try to do this concurrently, only one
 * succeeds.
 */
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

/** Deletes all of this user's rows for this purpose. */
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

/** Deletes all of this account's rows for this purpose. */
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

/** Counts an attempt on a row that allows several attempts. Returns undefined if no attempts remain. */
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

/** Returns the latest removal of this user as an owner, if the user can still contest it. */
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

/** The user's unexpired row for this purpose. */
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
