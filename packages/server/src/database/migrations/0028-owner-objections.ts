/** Owners who came back by objecting to their removal are protected for a while. */
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../engine/dialect.ts'

export const ownerObjections = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    await sql.raw(`alter table members add column protected_until ${dialectOf(db).bigint}`).execute(db)
  },
}
