/** All queries on the `sign_ins` table. */
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { deleteOldest } from '../../../database/engine/delete-oldest.ts'
import { joinedRows } from '../../../database/joined-rows.ts'
import type { MembersTable, PeopleTable, SignInsTable } from '../../../database/schema/access-tables.ts'
import { tables } from '../../../database/schema/tables.ts'
import type { CustomerRow } from '../../accounts/store/customers.ts'

export type SignInRow = Selectable<SignInsTable>
export type PersonRow = Selectable<PeopleTable>
export type MemberRow = Selectable<MembersTable>

/** The signed-in user, and their membership in the account that they have open, if any. */
export type SignedIn = {
  readonly signIn: SignInRow
  readonly person: PersonRow
  /** The number of passkeys that the user has. */
  readonly passkeys: number
  readonly seat: { readonly member: MemberRow; readonly customer: CustomerRow } | undefined
}

const signedIn = joinedRows(
  {
    signIn: ['s', tables.sign_ins],
    person: ['p', tables.people],
    member: ['m', tables.members],
    customer: ['c', tables.customers],
  },
  (db, columns, p: { hash: string }) =>
    db
      .selectFrom('sign_ins as s')
      .innerJoin('people as p', 'p.id', 's.person_id')
      .leftJoin('members as m', (join) =>
        join.onRef('m.customer_id', '=', 's.customer_id').onRef('m.person_id', '=', 's.person_id'),
      )
      .leftJoin('customers as c', 'c.id', 'm.customer_id')
      .select(columns)
      .select((e) =>
        e
          .selectFrom('passkeys as k')
          .select((k) => k.fn.countAll().as('count'))
          .whereRef('k.person_id', '=', 'p.id')
          .as('passkeys'),
      )
      .where('s.hash', '=', p.hash),
)
export const findSignedIn = async (db: Queries, hash: string): Promise<SignedIn | undefined> => {
  const found = await signedIn.first(db, { hash })
  if (found === undefined) return undefined
  const { signIn, person, member, customer, rest } = found
  const seat = member.id === null ? undefined : { member, customer }
  return { signIn, person, passkeys: Number(rest[0]), seat }
}

/** Records a use of the session, unless a use after `before` is already recorded. */
export const updateSignInUse = async (
  tx: Queries,
  id: string,
  { at, network, before }: { readonly at: number; readonly network: string; readonly before: number },
): Promise<void> => {
  await tx
    .updateTable('sign_ins')
    .set({ last_used_at: at, network })
    .where('id', '=', id)
    .where('last_used_at', '<=', before)
    .execute()
}

export const insertSignIn = async (tx: Queries, row: Insertable<SignInsTable>): Promise<void> => {
  await tx.insertInto('sign_ins').values(row).execute()
}

/** Closes this account in all of the user's sessions. */
export const updateSignInsOfLeaver = async (
  tx: Queries,
  personId: string,
  customerId: string,
): Promise<void> => {
  await tx
    .updateTable('sign_ins')
    .set({ customer_id: null })
    .where('person_id', '=', personId)
    .where('customer_id', '=', customerId)
    .execute()
}

/** Lists a user's sessions that were used after `since`, latest first. */
export const listSignIns = (db: Queries, personId: string, since: number): Promise<SignInRow[]> =>
  db
    .selectFrom('sign_ins')
    .selectAll()
    .where('person_id', '=', personId)
    .where('last_used_at', '>', since)
    .orderBy('seq', 'desc')
    .execute()

/** Returns false if the session has ended. */
export const updateSignIn = async (
  tx: Queries,
  id: string,
  changes: Updateable<SignInsTable>,
): Promise<boolean> => {
  const done = await tx.updateTable('sign_ins').set(changes).where('id', '=', id).executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/** Returns false if the user has no such session. */
export const deleteSignIn = async (tx: Queries, personId: string, id: string): Promise<boolean> => {
  const done = await tx
    .deleteFrom('sign_ins')
    .where('id', '=', id)
    .where('person_id', '=', personId)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}

/** Deletes all sessions of a user except the one with this ID. Returns the number of deleted sessions. */
export const deleteOtherSignIns = async (tx: Queries, personId: string, id = ''): Promise<number> => {
  const done = await tx
    .deleteFrom('sign_ins')
    .where('person_id', '=', personId)
    .where('id', '!=', id)
    .executeTakeFirst()
  return Number(done.numDeletedRows)
}

/** Deletes sessions that have not been used since `before`. */
export const deleteOldSignIns = (tx: Queries, before: number, limit: number): Promise<number> =>
  deleteOldest(tx, { table: 'sign_ins', key: ['seq'], column: 'last_used_at', before, limit })
