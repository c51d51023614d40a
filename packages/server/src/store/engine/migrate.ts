/** Brings a database to the schema of this version, or refuses one that a newer version wrote. */
import { type Kysely, sql } from 'kysely'
import { DEFAULT_MIGRATION_TABLE, Migrator } from 'kysely/migration'
import { migrations } from '../migrations/list.ts'
import { tables } from '../schema/tables.ts'

/** Throws when a migration fails, and then changes nothing. The caller makes sure that no two run at once. */
export async function migrate(db: Kysely<unknown>): Promise<void> {
  await assertNothingNewer(db)
  const provider = { getMigrations: async () => ({ ...migrations }) }
  const { error } = await new Migrator({ db, provider }).migrateToLatest()
  if (error) throw error
  await assertComplete(db)
}

/** Before the first release the initial migration still changes, and what it made earlier cannot be brought up to date. */
async function assertComplete(db: Kysely<unknown>): Promise<void> {
  const found = new Map(
    (await db.introspection.getTables()).map(({ name, columns }) => [name, columns.map((one) => one.name)]),
  )
  const missing = Object.entries(tables).flatMap(([table, columns]) =>
    Object.keys(columns)
      .filter((column) => !found.get(table)?.includes(column))
      .map((column) => `${table}.${column}`),
  )
  if (missing.length === 0) return
  throw new Error(
    `The database was made by an unreleased version of Scriptward (it lacks ${missing.slice(0, 3).join(', ')}): ` +
      'move ./data (or what SCRIPTWARD_DATA_DIR and SCRIPTWARD_DATABASE_URL name) away and start again with an empty one.',
  )
}

async function assertNothingNewer(db: Kysely<unknown>): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some((table) => table.name === DEFAULT_MIGRATION_TABLE)) return
  const { rows } = await sql<{
    name: string
  }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(db)
  const unknown = rows.map((row) => row.name).filter((name) => !(name in migrations))
  if (unknown.length === 0) return
  throw new Error(
    `The database was changed by a newer version of Scriptward (${unknown.sort().join(', ')}): ` +
      'start that version or a later one, or restore the backup that was made before it ran.',
  )
}
