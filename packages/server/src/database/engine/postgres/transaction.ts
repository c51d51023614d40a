/** Runs a transaction on PostgreSQL and retries it if it fails only because of a concurrent transaction. */
import type pg from 'pg'
import type { Queries } from '../db.ts'
import { type Connections, Scope } from '../queries.ts'
import type { StatementNames } from '../statement-names.ts'
import { type PostgresConnection, withConnection } from './pool.ts'
import { retried } from './retry.ts'

export type TransactionOptions = {
  readonly queries: (connections: Connections) => Queries
  readonly isRefusal: (value: unknown) => boolean
  /** Names of the statements that connections prepare. If absent, only `prepared` statements are prepared. */
  readonly names?: StatementNames
}
type Change<T> = (tx: Queries) => Promise<T>

export function runTransaction<T>(pool: pg.Pool, options: TransactionOptions, change: Change<T>): Promise<T> {
  return retried(() => withConnection(pool, (one) => attempt(one, options, change), options.names))
}

async function attempt<T>(
  connection: PostgresConnection,
  { queries, isRefusal }: TransactionOptions,
  change: Change<T>,
): Promise<T> {
  const begun = begin(connection)
  try {
    const value = await runChange(new Scope(connection), queries, change)
    await begun
    await end(connection, isRefusal(value) ? 'ROLLBACK' : 'COMMIT')
    return value
  } catch (error) {
    await connection.send('rollback').catch(() => {})
    // Without a transaction, every change fails with a misleading error, so the error of `begin` is reported
    // instead.
    throw await begun.then(
      () => error,
      (cause: unknown) => cause,
    )
  }
}

/**
 * Sent together with the change's first statements, because a round trip costs as much as a small statement.
 */
function begin(connection: PostgresConnection): Promise<unknown> {
  connection.cork()
  const answer = connection.send('begin read write')
  answer.catch(() => {})
  return answer
}

async function runChange<T>(
  scope: Scope,
  queries: TransactionOptions['queries'],
  change: Change<T>,
): Promise<T> {
  try {
    const value = await change(queries(scope))
    scope.assertWhole()
    return value
  } finally {
    scope.end()
  }
}

/**
 * If a statement in the transaction has failed, the server responds to `commit` with a rollback instead of an
 * error.
 */
async function end(connection: PostgresConnection, command: 'COMMIT' | 'ROLLBACK'): Promise<void> {
  const answer = await connection.send(command)
  if (answer.command !== command) throw new Error('PostgreSQL rolled the transaction back')
}
