/** The runs of one project in their order, so that who follows them never reads those of others. */
import { type Kysely, sql } from 'kysely'

export const recentRuns = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    await sql.raw('create index instances_recent on instances (project_id, seq)').execute(db)
  },
}
