/** Connections to PostgreSQL. Every wait has a bound, since by default `pg` waits for ever on a silent network. */
import type { DatabaseConnection, QueryResult } from 'kysely'
import pg from 'pg'
import { isStalePlan } from '../dialect.ts'
import type { NamedQuery } from '../queries.ts'
import type { StatementNames } from '../statement-names.ts'

const MAX_CONNECTIONS = 10
export const CONNECT_TIMEOUT_MS = 5000
const STATEMENT_TIMEOUT_MS = 15_000
/** For a connection of the pool: a thousand requests at once wait for each other, and are answered all the same. */
const QUEUE_TIMEOUT_MS = 15_000
/** A point read takes one row by its index. Each request waits for some, also one that is refused. */
export const POINT_TIMEOUT_MS = 5000
/** Added to the server's own bound, so that the driver's strikes only when the network is silent. */
const NETWORK_TIMEOUT_MS = 5000
/** For changes of a million rows, which take minutes on a slow disk. */
export const BULK_TIMEOUT_MS = 600_000
/** Of every connection: a statement whose `begin` failed would commit by itself if it were not refused. */
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
  // A connection that breaks between two statements emits an error, which would end the process without a listener.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

const { builtins } = pg.types
/** `pg` gives these as text so that no digit is lost, but the service counts milliseconds, far below 2^53. */
const NUMBERS: ReadonlySet<number> = new Set([builtins.INT8, builtins.NUMERIC])

export function typeParser(type: number, format?: 'text' | 'binary') {
  if (NUMBERS.has(type)) return Number
  return format === 'binary' ? pg.types.getTypeParser(type, 'binary') : pg.types.getTypeParser(type, 'text')
}

/**
 * A table that was altered makes its prepared statements fail for the rest of a connection: that one is closed, and `consumer`
 * begins again with another.
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

  /** Whether its state is unknown, so that it must not be used again. */
  get isBroken(): boolean {
    return this.#failure !== undefined
  }

  /** The first failure is the cause of the others. */
  fail(error: unknown): void {
    this.#failure ??= error
  }

  async executeQuery<R>(query: NamedQuery): Promise<QueryResult<R>> {
    const name = query.statement ?? this.#names?.nameOf(query.sql)
    return resultOf<R>(await this.send(queryConfig(query, name)))
  }

  /** What is sent before this one returns leaves together with it in one packet. */
  cork(): void {
    const { stream } = this.#client.connection
    stream.cork()
    setImmediate(() => stream.uncork())
  }

  /** A statement that is sent while another is in flight runs after it, and fails when that one does. */
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

/** The server refused a statement and goes on; any other failure is one of the connection. */
function isOrdinary(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR'
}
