/** All queries on the `members` table. */
import type { Insertable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import type { MembersTable } from '../../../database/schema/access-tables.ts'
import type { MemberRow } from './sign-ins.ts'

export type NewMember = Insertable<MembersTable>
/** A member's editable columns. */
export type SeatChanges = Pick<MemberRow, 'role' | 'scopes' | 'projects' | 'max_keys'> &
  Partial<Pick<MemberRow, 'protected_until'>>

/** A member, with the user details that the account's other members can see. */
export type ListedMember = MemberRow & {
  readonly email: string
  readonly name: string
  readonly last_sign_in_at: number | null
  readonly has_second_factor: boolean
}

/** Lists a user's memberships, oldest first. */
export const listMemberships = (db: Queries, personId: string): Promise<MemberRow[]> =>
  db.selectFrom('members').selectAll().where('person_id', '=', personId).orderBy('seq').execute()

/**
 * Lists an account's members, oldest first. A passkey counts as a second factor, because it requires the
 * device and another factor.
 */
export const listMembers = async (db: Queries, customerId: string): Promise<ListedMember[]> => {
  const rows = await db
    .selectFrom('members as m')
    .innerJoin('people as p', 'p.id', 'm.person_id')
    .selectAll('m')
    .select(['p.email', 'p.name', 'p.last_sign_in_at', 'p.totp_secret'])
    .select((e) =>
      e
        .selectFrom('passkeys as k')
        .select('k.id')
        .whereRef('k.person_id', '=', 'p.id')
        .limit(1)
        .as('passkey'),
    )
    .where('m.customer_id', '=', customerId)
    .orderBy('m.seq')
    .execute()
  return rows.map(({ totp_secret, passkey, ...member }) => ({
    ...member,
    has_second_factor: totp_secret !== null || passkey !== null,
  }))
}

export const findMember = (db: Queries, customerId: string, id: string): Promise<MemberRow | undefined> =>
  db
    .selectFrom('members')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where('id', '=', id)
    .executeTakeFirst()

export const findMemberOf = (
  db: Queries,
  customerId: string,
  personId: string,
): Promise<MemberRow | undefined> =>
  db
    .selectFrom('members')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where('person_id', '=', personId)
    .executeTakeFirst()

/** `email` must be in lowercase. */
export const findMemberByEmail = (
  db: Queries,
  customerId: string,
  email: string,
): Promise<MemberRow | undefined> =>
  db
    .selectFrom('members as m')
    .innerJoin('people as p', 'p.id', 'm.person_id')
    .selectAll('m')
    .where('m.customer_id', '=', customerId)
    .where('p.email', '=', email)
    .executeTakeFirst()

export const countMembers = async (db: Queries, customerId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('members')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('customer_id', '=', customerId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Lists an account's owners, including owners disabled by an operator. */
export const listOwners = (
  db: Queries,
  customerId: string,
): Promise<{ readonly person_id: string; readonly email: string }[]> =>
  db
    .selectFrom('members as m')
    .innerJoin('people as p', 'p.id', 'm.person_id')
    .select(['m.person_id', 'p.email'])
    .where('m.customer_id', '=', customerId)
    .where('m.role', '=', 'owner')
    .orderBy('m.seq')
    .execute()

/**
 * Returns whether the account has an owner other than this member. Owners disabled by an operator don't
 * count.
 */
export const hasOtherOwner = async (db: Queries, customerId: string, memberId: string): Promise<boolean> => {
  const other = await db
    .selectFrom('members as m')
    .innerJoin('people as p', 'p.id', 'm.person_id')
    .select('m.id')
    .where('m.customer_id', '=', customerId)
    .where('m.role', '=', 'owner')
    .where('m.id', '!=', memberId)
    .where('p.disabled', '=', 0)
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

/** Returns whether the account has an owner who can sign in. */
export const hasOwner = (db: Queries, customerId: string): Promise<boolean> =>
  hasOtherOwner(db, customerId, '')

export const insertMember = (tx: Queries, row: NewMember): Promise<MemberRow> =>
  tx.insertInto('members').values(row).returningAll().executeTakeFirstOrThrow()

export const updateMember = async (tx: Queries, id: string, changes: SeatChanges): Promise<void> => {
  await tx.updateTable('members').set(changes).where('id', '=', id).execute()
}

export const deleteMember = async (tx: Queries, id: string): Promise<void> => {
  await tx.deleteFrom('members').where('id', '=', id).execute()
}
