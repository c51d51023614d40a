/** Whether software that is not Lua may ask about the keys of a project. */
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'

export const checks = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    const { integer } = dialectOf(db)
    await sql.raw(`alter table projects add column allow_checks ${integer} not null default 0`).execute(db)
  },
}
