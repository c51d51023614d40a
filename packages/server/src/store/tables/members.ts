/** Rows of `members` and every statement on that table. */
import type { Insertable } from 'kysely'
import type { Queries } from '../engine/db.ts'
import type { MembersTable } from '../schema/access-tables.ts'
import type { MemberRow } from './sign-ins.ts'

export type NewMember = Insertable<MembersTable>

/** The accounts of a person, the oldest membership first. */
export const listMemberships = (db: Queries, personId: string): Promise<MemberRow[]> =>
  db.selectFrom('members').selectAll().where('person_id', '=', personId).orderBy('seq').execute()

export const insertMember = (tx: Queries, row: NewMember): Promise<MemberRow> =>
  tx.insertInto('members').values(row).returningAll().executeTakeFirstOrThrow()

export const countMembers = async (db: Queries, customerId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('members')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('customer_id', '=', customerId)
    .executeTakeFirstOrThrow()
  return Number(count)
}
