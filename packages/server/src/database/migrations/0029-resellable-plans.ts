/** Plans that whoever only issues users may issue. */
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../engine/dialect.ts'

export const resellablePlans = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    const { integer } = dialectOf(db)
    await sql.raw(`alter table plans add column resellable ${integer} not null default 0`).execute(db)
  },
}
