/** Builds in two parts: the data that executions are sent, and the interpreter for it that loaders carry. */
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'

export const splitPayloads = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    const { integer, bytes } = dialectOf(db)
    const columns = [`data ${bytes}`, `data_size ${integer}`, `data_at ${integer}`, 'interpreter text']
    for (const column of columns)
      await sql.raw(`alter table script_versions add column ${column}`).execute(db)
  },
}
