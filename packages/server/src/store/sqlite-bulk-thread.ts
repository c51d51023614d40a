/** The thread behind `sqlite-bulk.ts`: one connection that runs the statements it is sent and answers each. */
import { parentPort, workerData } from 'node:worker_threads'
import { CompiledQuery } from 'kysely'
import { openWriter } from './sqlite.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

export type Question = { readonly sql: string; readonly parameters: readonly unknown[] }
export type Answer =
  | { readonly rows: unknown[]; readonly affected?: bigint | undefined }
  | { readonly failure: string; readonly codes: { readonly code?: unknown; readonly errcode?: unknown } }

const connection = openWriter(workerData)
// A change of all users goes through most pages of several indexes again and again. What it wrote is moved from the log
// into the file after the answer: it is durable before that, and moving takes as long again.
connection.database.exec('pragma cache_size = -131072; pragma wal_autocheckpoint = 0')
parentPort?.on('message', async (question: Question) => {
  const given = await answer(connection, question)
  parentPort?.postMessage(given)
  if (question.sql === 'commit') connection.database.exec('pragma wal_checkpoint(passive)')
})

async function answer(on: SqliteConnection, { sql, parameters }: Question): Promise<Answer> {
  try {
    const { rows, numAffectedRows } = await on.executeQuery(CompiledQuery.raw(sql, [...parameters]))
    return { rows, affected: numAffectedRows }
  } catch (error) {
    const { message, ...codes } = error as Error & { code?: unknown; errcode?: unknown }
    return { failure: message, codes: { code: codes.code, errcode: codes.errcode } }
  }
}
