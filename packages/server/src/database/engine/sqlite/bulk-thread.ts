/** The thread behind `bulk.ts`: one connection that runs the statements it receives and replies to each. */
import { parentPort, workerData } from 'node:worker_threads'
import { CompiledQuery } from 'kysely'
import type { NamedQuery } from '../queries.ts'
import type { SqliteConnection } from './connection.ts'
import { openWriter } from './open.ts'

export type BulkStatement = Pick<NamedQuery, 'sql' | 'parameters' | 'asLists'>
export type BulkAnswer =
  | { readonly rows: unknown[]; readonly affected?: bigint | undefined }
  | { readonly failure: string; readonly codes: { readonly code?: unknown; readonly errcode?: unknown } }

const connection = openWriter(workerData)
// The cache is large, because a change to all users visits most pages of several indexes repeatedly. The
// checkpoint runs after the reply, because the change is already durable by then, and a checkpoint takes as
// long as the change itself.
connection.database.exec('pragma cache_size = -131072; pragma wal_autocheckpoint = 0')
parentPort?.on('message', async (statement: BulkStatement) => {
  parentPort?.postMessage(await runStatement(connection, statement))
  if (statement.sql === 'commit') connection.database.exec('pragma wal_checkpoint(passive)')
})

async function runStatement(
  on: SqliteConnection,
  { sql, parameters, asLists = false }: BulkStatement,
): Promise<BulkAnswer> {
  try {
    const query = { ...CompiledQuery.raw(sql, [...parameters]), asLists }
    const { rows, numAffectedRows } = await on.executeQuery(query)
    return { rows, affected: numAffectedRows }
  } catch (error) {
    const { message, ...codes } = error as Error & { code?: unknown; errcode?: unknown }
    return { failure: message, codes: { code: codes.code, errcode: codes.errcode } }
  }
}
