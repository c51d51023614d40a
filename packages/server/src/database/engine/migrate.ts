/**
 * Migrates a database to this version's schema, or accepts a newer schema that this version is compatible
 * with.
 */

import { isNewer } from '@scriptward/client/version-order'
import { type Kysely, sql } from 'kysely'
import { DEFAULT_MIGRATION_TABLE, Migrator } from 'kysely/migration'
import manifest from '../../../package.json' with { type: 'json' }
import { type Migration, migrations, UNRELEASED } from '../migrations/list.ts'
import { tables } from '../schema/tables.ts'

/**
 * Throws without changing anything if a migration fails. The caller ensures that no two migrations run at the
 * same time. `disableTransactions` is for callers that already have an open transaction.
 */
export async function migrate(
  db: Kysely<unknown>,
  options: { readonly disableTransactions?: boolean } = {},
): Promise<void> {
  // Even with nothing to migrate, the migrator would read the schema twice.
  if ((await stateOf(db)) === 'older') {
    const all = Object.entries(migrations).map(([name, one]) => [name, recorded(one)] as const)
    const provider = { getMigrations: async () => Object.fromEntries(all) }
    const { error } = await new Migrator({ db, provider, ...options }).migrateToLatest()
    if (error && !(isOfUnknown(error) && (await stateOf(db)) === 'newer')) throw error
  }
  await assertComplete(db)
}

/** True if a process of a newer version migrated while this process was waiting for its turn. */
function isOfUnknown(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('corrupted migrations')
}

/** Records the compatibility of a migration in the migration's own transaction. */
function recorded({ up, narrows }: Migration): Pick<Migration, 'up'> {
  if (narrows === undefined) return { up }
  return {
    up: async (db) => {
      await up(db)
      await sql`update compatibility set oldest_version = ${narrows.oldest}`.execute(db)
    },
  }
}

/**
 * Until the first release, the initial migration may still change. Databases created by an earlier form of it
 * can't be migrated.
 */
async function assertComplete(db: Kysely<unknown>): Promise<void> {
  const found = new Map(
    (await db.introspection.getTables()).map(({ name, columns }) => [name, columns.map((one) => one.name)]),
  )
  const missing = Object.entries(tables).flatMap(([table, columns]) =>
    Object.keys(columns)
      .filter((column) => !found.get(table)?.includes(column))
      .map((column) => `${table}.${column}`),
  )
  if (missing.length > 0) throw unreleased(`it lacks ${missing.slice(0, 3).join(', ')}`)
}

function unreleased(because: string): Error {
  return new Error(
    `The database was created by an unreleased version of Scriptward (${because}): ` +
      'move it away (./data, or the directory or database you set with SCRIPTWARD_DATA_DIR or SCRIPTWARD_DATABASE_URL), and start with an empty one.',
  )
}

/**
 * Compares the database with this version: `newer` if a newer version has migrated it. Throws if this version
 * is no longer compatible, or if the schema predates the first release.
 */
async function stateOf(db: Kysely<unknown>): Promise<'older' | 'same' | 'newer'> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some((table) => table.name === DEFAULT_MIGRATION_TABLE)) return 'older'
  const rows = await rowsOf<{ name: string }>(db, `select name from ${DEFAULT_MIGRATION_TABLE}`)
  const done = rows.map(({ name }) => name)
  if (done.includes(UNRELEASED)) throw unreleased(`it has the migration ${UNRELEASED}`)
  const unknown = done.filter((name) => !(name in migrations)).sort()
  const isWhole = Object.keys(migrations).every((name) => done.includes(name))
  if (unknown.length === 0) return isWhole ? 'same' : 'older'
  const [found] = isWhole
    ? await rowsOf<{ oldest: string }>(db, 'select oldest_version as oldest from compatibility')
    : []
  if (found !== undefined && !isNewer(found.oldest, manifest.version)) return 'newer'
  const wanted = found === undefined ? 'that version' : `version ${found.oldest}`
  throw new Error(
    `The database was migrated by a newer version of Scriptward (${unknown.join(', ')}), but this is ${manifest.version}: ` +
      `start ${wanted} or later, or restore the backup from before the upgrade.`,
  )
}

async function rowsOf<T>(db: Kysely<unknown>, statement: string): Promise<readonly T[]> {
  return (await sql.raw<T>(statement).execute(db)).rows
}
