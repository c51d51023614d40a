/** Rows of `people` and every statement on that table. */
import type { Insertable, Updateable } from 'kysely'
import type { Queries } from '../engine/db.ts'
import type { PeopleTable } from '../schema/access-tables.ts'
import type { PersonRow } from './sign-ins.ts'

export type NewPerson = Insertable<PeopleTable>
export type PersonChanges = Updateable<PeopleTable>

export const findPerson = (db: Queries, id: string): Promise<PersonRow | undefined> =>
  db.selectFrom('people').selectAll().where('id', '=', id).executeTakeFirst()

/** `email` in lower case. */
export const findPersonByEmail = (db: Queries, email: string): Promise<PersonRow | undefined> =>
  db.selectFrom('people').selectAll().where('email', '=', email).executeTakeFirst()

/** Fails when another person has the e-mail address. */
export const insertPerson = (tx: Queries, row: NewPerson): Promise<PersonRow> =>
  tx.insertInto('people').values(row).returningAll().executeTakeFirstOrThrow()

export const updatePerson = (
  tx: Queries,
  id: string,
  changes: PersonChanges,
): Promise<PersonRow | undefined> =>
  tx.updateTable('people').set(changes).where('id', '=', id).returningAll().executeTakeFirst()
