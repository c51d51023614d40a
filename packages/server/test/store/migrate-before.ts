/** Makes the schema of an earlier version. */
import { Kysely, PostgresDialect } from 'kysely'
import { Migrator } from 'kysely/migration'
import pg from 'pg'
import { onWriter } from '../../src/database/engine/sqlite/database.ts'
import { openSqliteFile } from '../../src/database/engine/sqlite/open.ts'
import { migrations } from '../../src/database/migrations/list.ts'
import type { Location } from '../databases.ts'

/** With the migrations before this one; returns the name of the last. */
export async function migrateBefore({ dataDir, databaseUrl }: Location, name: string): Promise<string> {
  const before = Object.entries(migrations).filter(([one]) => one < name)
  const provider = { getMigrations: async () => Object.fromEntries(before) }
  const migrate = async (db: Kysely<unknown>) => {
    const { error } = await new Migrator({ db, provider }).migrateToLatest()
    if (error) throw error
    return before.at(-1)?.[0] ?? ''
  }
  if (databaseUrl !== undefined) {
    const db = new Kysely<unknown>({
      dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl }) }),
    })
    return migrate(db).finally(() => db.destroy())
  }
  const file = openSqliteFile(dataDir)
  return migrate(onWriter(file)).finally(() => {
    file.reader.database.close()
    file.writer.database.close()
  })
}
