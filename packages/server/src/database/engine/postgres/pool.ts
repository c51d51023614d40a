/**
 * Connections to PostgreSQL. Every wait has a timeout, because by default `pg` waits forever on a silent
 * network.
 */
import type { DatabaseConnection, QueryResult } from 'kysely'
import pg from 'pg'
import { isStalePlan } from '../dialect.ts'
import type { NamedQuery } from '../queries.ts'
import type { StatementNames } from '../statement-names.ts'

const MAX_CONNECTIONS = 10
export const CONNECT_TIMEOUT_MS = 5000
const STATEMENT_TIMEOUT_MS = 15_000
/**
 * Maximum wait for a pool connection. This is long enough for a thousand concurrent requests to be served.
 */
const QUEUE_TIMEOUT_MS = 15_000
/** A point read fetches one row by index. Every request, even a denied one, waits for several point reads. */
export const POINT_TIMEOUT_MS = 5000
/** Added to the server's own timeout so that the driver's timeout fires only when the network is silent. */
const NETWORK_TIMEOUT_MS = 5000
/** Changes to a million rows take minutes on a slow disk. */
export const BULK_TIMEOUT_MS = 600_000
/** Set on every connection. A statement whose `begin` failed must be rejected, or it would autocommit. */
export const READ_ONLY = '-c default_transaction_read_only=on'

export function boundedConfig(url: string, statementMs = STATEMENT_TIMEOUT_MS): pg.PoolConfig {
  return {
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: QUEUE_TIMEOUT_MS,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: statementMs + NETWORK_TIMEOUT_MS,
    keepAlive: true,
    options: READ_ONLY,
    types: { getTypeParser: typeParser },
  }
}

export function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config)
  // A connection that breaks between statements emits an error, which would crash the process if there were
  // no listener.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

const { builtins } = pg.types
/**
 * `pg` returns values of these types as strings to keep every digit, but our values are milliseconds, far
 * below 2^53.
 */
const NUMBERS: ReadonlySet<number> = new Set([builtins.INT8, builtins.NUMERIC])

export function typeParser(type: number, format?: 'text' | 'binary') {
  if (NUMBERS.has(type)) return Number
  return format === 'binary' ? pg.types.getTypeParser(type, 'binary') : pg.types.getTypeParser(type, 'text')
}

/**
 * After a table is altered, its prepared statements keep failing on a connection. That connection is closed,
 * and `consumer` is retried with another one.
 */
export async function withConnection<T>(
  pool: pg.Pool,
  consumer: (connection: PostgresConnection) => Promise<T>,
  names?: StatementNames,
): Promise<T> {
  for (let stale = 0; ; stale += 1) {
    try {
      return await withOneConnection(pool, consumer, names)
    } catch (error) {
      if (stale === MAX_CONNECTIONS || !isStalePlan(error)) throw error
    }
  }
}

async function withOneConnection<T>(
  pool: pg.Pool,
  consumer: (connection: PostgresConnection) => Promise<T>,
  names: StatementNames | undefined,
): Promise<T> {
  const client = await pool.connect()
  const connection = new PostgresConnection(client, names)
  const onError = (error: Error) => connection.fail(error)
  client.on('error', onError)
  try {
    return await consumer(connection)
  } finally {
    client.off('error', onError)
    client.release(connection.isBroken)
  }
}

export class PostgresConnection implements DatabaseConnection {
  readonly #client: pg.Client
  readonly #names: StatementNames | undefined
  #failure: unknown

  constructor(client: pg.Client, names: StatementNames | undefined) {
    this.#client = client
    this.#names = names
  }

  /** Whether the connection is in an unknown state and must not be reused. */
  get isBroken(): boolean {
    return this.#failure !== undefined
  }

  /** Keeps only the first failure, because later ones result from it. */
  fail(error: unknown): void {
    this.#failure ??= error
  }

  async executeQuery<R>(query: NamedQuery): Promise<QueryResult<R>> {
    const name = query.statement ?? this.#names?.nameOf(query.sql)
    return resultOf<R>(await this.send(queryConfig(query, name)))
  }

  /** Batches everything sent in this tick into one packet. */
  cork(): void {
    const { stream } = this.#client.connection
    stream.cork()
    setImmediate(() => stream.uncork())
  }

  /** A statement sent while another is in flight runs after it, and fails if the earlier one fails. */
  async send(query: string | pg.QueryConfig): Promise<pg.QueryResult> {
    if (this.isBroken) throw this.#failure
    try {
      return await this.#client.query(query)
    } catch (error) {
      if (!isOrdinary(error) || isStalePlan(error)) this.fail(error)
      throw error
    }
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    yield Promise.reject(new Error('read long lists in pages, not as a stream'))
  }
}

export function queryConfig(query: NamedQuery, name: string | undefined): pg.QueryConfig {
  return {
    text: query.sql,
    values: [...query.parameters],
    ...(name !== undefined && { name }),
    ...(query.asLists && { rowMode: 'array' }),
  }
}

const CHANGES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

export function resultOf<R>({ command, rowCount, rows }: pg.QueryResult): QueryResult<R> {
  return CHANGES.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
}

/**
 * True if the server rejected a statement but the connection is intact. All other failures are connection
 * failures.
 */
function isOrdinary(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR'
}
