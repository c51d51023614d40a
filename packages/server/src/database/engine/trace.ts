/** Reports every statement that an engine runs, for logging at the `trace` level. */
import type { DatabaseConnection, Kysely } from 'kysely'
import { type Connections, isRepeating, type RepeatingConnection } from './queries.ts'

/**
 * Called after every statement, including failed ones, with its SQL without parameters and its duration in
 * milliseconds.
 */
export type OnStatement = (sql: string, ms: number) => void

type MakeQueries<T> = (connections: Connections) => Kysely<T>

/** Without a callback, nothing is wrapped or measured. */
export function tracedQueries<T>(
  queries: MakeQueries<T>,
  onStatement: OnStatement | undefined,
): MakeQueries<T> {
  if (onStatement === undefined) return queries
  return (connections) =>
    queries({
      provideConnection: (consumer) =>
        connections.provideConnection((connection) => consumer(traced(connection, onStatement))),
    })
}

function traced(connection: DatabaseConnection, onStatement: OnStatement): DatabaseConnection {
  const plain: DatabaseConnection = {
    streamQuery: (query, size) => connection.streamQuery(query, size),
    async executeQuery(query) {
      const begun = performance.now()
      try {
        return await connection.executeQuery(query)
      } finally {
        onStatement(query.sql, performance.now() - begun)
      }
    },
  }
  if (!isRepeating(connection)) return plain
  const repeating: RepeatingConnection = { ...plain, countEach: tracedRepeats(connection, onStatement) }
  return repeating
}

/** Reports all runs of the statement as one statement. */
function tracedRepeats(connection: RepeatingConnection, onStatement: OnStatement) {
  return (sql: string, all: readonly (readonly unknown[])[]): readonly number[] => {
    const begun = performance.now()
    try {
      return connection.countEach(sql, all)
    } finally {
      onStatement(sql, performance.now() - begun)
    }
  }
}
