/** Accesses a test's database without the store, for operations that the store must never perform. */
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { OpenOptions } from '../../src/database/engine/open.ts'

/** Runs one statement on a separate connection and returns its rows. */
export async function runRaw(location: OpenOptions, statement: string): Promise<unknown[]> {
  return location.databaseUrl
    ? runOnPostgres(location.databaseUrl, statement)
    : runOnSqlite(location.dataDir, statement)
}

async function runOnPostgres(connectionString: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

function runOnSqlite(dataDir: string, statement: string): unknown[] {
  const database = new DatabaseSync(path.join(dataDir, 'scriptward.db'), { timeout: 5000 })
  try {
    return database.prepare(statement).all()
  } finally {
    database.close()
  }
}
