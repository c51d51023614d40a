/** Opens connections to SQLite through Node's built-in binding. */
import { closeSync, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { SqliteConnection } from './connection.ts'

export const BUSY_TIMEOUT_MS = 5000
const DEFAULT_CACHE_MB = 32

export type SqliteFile = {
  readonly path: string
  readonly reader: SqliteConnection
  readonly writer: SqliteConnection
}

/** Opens the file, or creates it so that only its owner can read it. */
export function openSqliteFile(dataDir: string, cacheMb = DEFAULT_CACHE_MB): SqliteFile {
  const file = path.join(dataDir, 'scriptward.db')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  const writer = openWriter(file)
  writer.database.exec('pragma temp_store = memory')
  return { path: file, reader: openReader(file, cacheMb), writer }
}

function openReader(file: string, cacheMb: number): SqliteConnection {
  const reader = new SqliteConnection(new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS }))
  reader.database.exec(`pragma query_only = on; pragma trusted_schema = off; pragma temp_store = memory;
    pragma cache_size = -${Math.round(cacheMb * 1024)}`)
  return reader
}

/** Opens a connection with durable commits and enforced foreign keys. */
export function openWriter(file: string): SqliteConnection {
  const writer = new SqliteConnection(new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, defensive: true }))
  writer.database.exec('pragma journal_mode = wal')
  writer.database.exec(`pragma synchronous = full; pragma foreign_keys = on; pragma trusted_schema = off;
    pragma cache_size = -32768; pragma journal_size_limit = 67108864`)
  return writer
}
