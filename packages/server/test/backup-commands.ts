/** Runs the operator backup commands as the command line does, and returns their output. */
import { PassThrough } from 'node:stream'
import { Command } from 'commander'
import { addBackup } from '../src/cli/backup.ts'
import { type Config, readConfig } from '../src/config/config.ts'
import { readPostgres } from '../src/database/engine/postgres/fill.ts'
import { readSqlite } from '../src/database/engine/sqlite/copy.ts'
import { hashTables, type ReadTable, TABLE_NAMES } from '../src/database/engine/table-hashes.ts'
import type { Location } from './databases.ts'

export type Called = { readonly printed: string; readonly warned: string; readonly bytes: Buffer }
export type Call = {
  readonly settings?: Record<string, string>
  readonly signal?: AbortSignal
  readonly now?: number
}

/** Rejects with the command's error message. */
export async function command(at: Location, words: readonly string[], call: Call = {}): Promise<Called> {
  const { settings = {}, signal = new AbortController().signal, now = Date.now() } = call
  let [printed, warned] = ['', '']
  const output = new PassThrough()
  const parts: Buffer[] = []
  output.on('data', (part: Buffer) => parts.push(part))
  const program = new Command().exitOverride()
  addBackup(program, {
    now: () => now,
    config: () => configOf(at, settings),
    print: (text) => {
      printed += text
    },
    warn: (text) => {
      warned += text
    },
    output,
    untilStopped: () => signal,
  })
  await program.parseAsync(words, { from: 'user' })
  return { printed, warned, bytes: Buffer.concat(parts) }
}

export function configOf({ dataDir, databaseUrl }: Location, settings: Record<string, string> = {}): Config {
  const url: Record<string, string> =
    databaseUrl === undefined ? {} : { SCRIPTWARD_DATABASE_URL: databaseUrl }
  return readConfig({ SCRIPTWARD_DATA_DIR: dataDir, ...url, ...settings })
}

/** Runs `use` on the rows of a database while nothing writes to it. */
export function onRows<T>(
  { dataDir, databaseUrl }: Location,
  use: (read: ReadTable) => Promise<T>,
): Promise<T> {
  return databaseUrl === undefined
    ? readSqlite(`${dataDir}/scriptward.db`, use)
    : readPostgres(databaseUrl, use)
}

export const hashesOf = (at: Location) => onRows(at, hashTables)

/** Every row of every table, as strings. */
export function rowsOf(at: Location): Promise<Map<string, Set<string>>> {
  return onRows(at, async (read) => {
    const all = new Map<string, Set<string>>()
    for (const table of TABLE_NAMES) {
      const rows = new Set<string>()
      for await (const batch of read(table)) for (const row of batch) rows.add(JSON.stringify(row))
      all.set(table, rows)
    }
    return all
  })
}
