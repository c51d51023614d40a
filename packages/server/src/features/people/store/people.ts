/** All queries on the `people` table. */
import type { Insertable, Updateable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { forUpdate } from '../../../database/engine/dialect.ts'
import type { KeysetRange } from '../../../database/keyset-range.ts'
import type { PeopleTable } from '../../../database/schema/access-tables.ts'
import type { PersonRow } from './sign-ins.ts'

export type NewPerson = Insertable<PeopleTable>
export type PersonChanges = Updateable<PeopleTable>

export const findPerson = (db: Queries, id: string): Promise<PersonRow | undefined> =>
  db.selectFrom('people').selectAll().where('id', '=', id).executeTakeFirst()

/** `email` must be in lowercase. */
export const findPersonByEmail = (db: Queries, email: string): Promise<PersonRow | undefined> =>
  db.selectFrom('people').selectAll().where('email', '=', email).executeTakeFirst()

/** Fails if another user has the email address. */
export const insertPerson = (tx: Queries, row: NewPerson): Promise<PersonRow> =>
  tx.insertInto('people').values(row).returningAll().executeTakeFirstOrThrow()

export const updatePerson = (
  tx: Queries,
  id: string,
  changes: PersonChanges,
): Promise<PersonRow | undefined> =>
  tx.updateTable('people').set(changes).where('id', '=', id).returningAll().executeTakeFirst()

/**
 * Marks a code from the user's authenticator app as used. Returns false if this time step or a later one has
 * already been used.
 */
export const updateTotpStep = async (tx: Queries, id: string, step: number): Promise<boolean> => {
  const { numUpdatedRows } = await tx
    .updateTable('people')
    .set({ totp_step: step })
    .where('id', '=', id)
    .where('totp_secret', 'is not', null)
    .where('totp_step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Locks the user, so that changes to sign-in methods happen one at a time. */
export const lockPerson = (tx: Queries, id: string): Promise<PersonRow | undefined> =>
  forUpdate(tx.selectFrom('people').selectAll().where('id', '=', id), tx).executeTakeFirst()

export const listPeople = (db: Queries, { after = 0, from, limit }: KeysetRange): Promise<PersonRow[]> =>
  db
    .selectFrom('people')
    .selectAll()
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .offset(from)
    .execute()

export const countPeople = async (db: Queries): Promise<number> => {
  const { count } = await db
    .selectFrom('people')
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}
