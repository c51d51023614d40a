/**
 * Describes the contents of a database for backups and moves. Uses plain SQL and does not migrate the schema.
 */
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration'
import { migrations } from '../migrations/list.ts'
import { tables } from '../schema/tables.ts'

export type Row = Readonly<Record<string, unknown>>
/** Runs one read-only statement. */
export type Ask = (sql: string) => Promise<readonly Row[]>

export type Contents = {
  /** The name of the last migration. Empty if there is no schema. */
  readonly schema: string
  /** The row counts of existing tables that belong to this version's schema. */
  readonly counts: Readonly<Record<string, number>>
}

export const NEWEST_SCHEMA = Object.keys(migrations).at(-1) ?? ''

/** Lists all table names, including those of the migrator and of other software. */
export type ListTables = (ask: Ask) => Promise<readonly string[]>

export async function readContents(ask: Ask, listTables: ListTables): Promise<Contents> {
  const found = await listTables(ask)
  const counts: Record<string, number> = {}
  for (const table of Object.keys(tables).filter((name) => found.includes(name))) {
    const [row] = await ask(`select count(*) as count from ${table}`)
    counts[table] = Number(row?.count)
  }
  return { schema: (await namesOfMigrations(ask, found)).at(-1) ?? '', counts }
}

async function namesOfMigrations(ask: Ask, found: readonly string[]): Promise<string[]> {
  if (!found.includes(DEFAULT_MIGRATION_TABLE)) return []
  const rows = await ask(`select name from ${DEFAULT_MIGRATION_TABLE}`)
  return rows.map(({ name }) => String(name)).sort()
}

/** Migrations that this version would run at startup. Empty if there is no schema yet. */
export async function waitingMigrations(ask: Ask, listTables: ListTables): Promise<string[]> {
  const done = await namesOfMigrations(ask, await listTables(ask))
  return done.length === 0 ? [] : Object.keys(migrations).filter((name) => !done.includes(name))
}

/** Encrypted values to test a keyring against. Undefined if none are stored. */
export type Samples = {
  readonly source?: { readonly scriptId: string; readonly sealed: Uint8Array } | undefined
  readonly key?: { readonly scriptId: string; readonly sealed: Uint8Array } | undefined
}

export async function readSamples(ask: Ask, { counts }: Contents): Promise<Samples> {
  if (counts.script_versions === undefined) return {}
  const sample = async (column: string) => {
    const [row] = await ask(
      `select script_id, ${column} as sealed from script_versions where ${column} is not null order by seq desc limit 1`,
    )
    return row && { scriptId: String(row.script_id), sealed: row.sealed as Uint8Array }
  }
  return { source: await sample('source'), key: await sample('service_key') }
}
