/**
 * PostgreSQL: a pool that only reads and a pool that writes. Every wait has a bound, since with the defaults of `pg`
 * a silent network holds a request for ever.
 */
import { setTimeout } from 'node:timers/promises'
import { type DatabaseConnection, Kysely, PostgresDialect, type QueryResult } from 'kysely'
import pg from 'pg'
import type { Database, Hurry, Queries } from './db.ts'
import { isSerializationFailure } from './dialect.ts'
import { BrieflyKept } from './kept.ts'
import { migrate } from './migrate.ts'
import { type Change, type LeisureOptions, PostgresLeisure } from './postgres-leisure.ts'
import { PostgresPoints } from './postgres-points.ts'
import { type Connections, type NamedQuery, postgresDialect, queriesOf, Scope } from './queries.ts'
import { StatementNames } from './statement-names.ts'
import type { Tables } from './tables.ts'
import { settlePgTrgm } from './trigrams.ts'

const CONNECTIONS = 10
const CONNECT_TIMEOUT_MS = 5000
const STATEMENT_TIMEOUT_MS = 15_000
/** For a connection of the pool: a thousand who come at once wait for each other, and are answered all the same. */
const QUEUE_TIMEOUT_MS = 15_000
/** Longer than the server's own bound by this, so that it strikes only when the network is silent. */
const NETWORK_TIMEOUT_MS = 5000
/** For changes of a million rows, which a slow disk takes minutes for. */
const BULK_TIMEOUT_MS = 600_000
const BULK_CONNECTIONS = 2
/** What is new to the index of `search` is collected, which halves the time of an import, and put in its place once. */
const BULK_OPTIONS = '-c gin_pending_list_limit=128MB -c work_mem=64MB'
/** Of every connection: a statement whose `begin` failed would be committed by itself if it were not refused. */
const READ_ONLY = '-c default_transaction_read_only=on'
/** Some hundredths of a second, in a process that nobody else waits for. */
const ROWS_AT_ONCE = 10_000
/** How old what is kept may be, as far as other processes are concerned. */
const KEPT_MS = 5
const BEGIN: Readonly<Record<Hurry, string>> = {
  'at once': 'begin read write',
  leisurely: 'begin read write; set local synchronous_commit = off',
}
const MOST_ATTEMPTS = 5
const FIRST_RETRY_MS = 5

type IsRefusal = (value: unknown) => boolean
type Within = {
  readonly queries: (connections: Connections) => Queries
  readonly isRefusal: IsRefusal
  readonly hurry: Hurry
}

export type PostgresOptions = Pick<LeisureOptions, 'isRefusal' | 'lull'>

export async function openPostgres(url: string, { isRefusal, lull }: PostgresOptions): Promise<Database> {
  await migratePostgres(url)
  const readers = openPool({ ...bounded(url), options: READ_ONLY })
  const writers = openPool({ ...bounded(url), options: READ_ONLY, pipeline: true })
  const bulk = openPool({
    ...bounded(url, BULK_TIMEOUT_MS),
    max: BULK_CONNECTIONS,
    pipeline: true,
    connectionTimeoutMillis: 0,
    options: `${READ_ONLY} ${BULK_OPTIONS}`,
  })
  const points = new PostgresPoints({
    ...bounded(url),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    options: READ_ONLY,
    silenceMs: STATEMENT_TIMEOUT_MS + NETWORK_TIMEOUT_MS,
    parsers: (type) => typeParser(type, 'text'),
  })
  const queries = queriesOf<Tables>(postgresDialect)
  const read = queries(pooled(readers))
  const names = new StatementNames()
  const unchanged = new BrieflyKept(KEPT_MS)
  const changeOn = <T>(pool: pg.Pool, change: Change<T>, how: { hurry: Hurry; names?: StatementNames }) => {
    const within = { queries, isRefusal, hurry: how.hurry }
    return retried(() => withConnection(pool, (one) => attempt(one, within, change), how.names)).finally(() =>
      unchanged.forget(),
    )
  }
  const leisure = new PostgresLeisure({
    transaction: (change) => changeOn(writers, change, { hurry: 'leisurely', names }),
    isRefusal,
    lull,
  })
  return {
    read,
    readPoint: queries({ provideConnection: (consumer) => consumer(points), singles: points }),
    unchanged,
    transaction: (change, hurry = 'at once') =>
      hurry === 'leisurely' ? leisure.run(change) : changeOn(writers, change, { hurry, names }),
    bulk: (change) => changeOn(bulk, (tx) => settled(tx, change), { hurry: 'at once' }),
    rowsAtOnce: ROWS_AT_ONCE,
    ping: async () => {
      await read.selectFrom('tiers').select('id').limit(1).execute()
    },
    load: () => {
      const pools = [readers, writers, bulk]
      const sum = (of: (pool: pg.Pool) => number) => pools.reduce((total, pool) => total + of(pool), 0)
      return {
        waiting: points.waiting + leisure.waiting + sum((pool) => pool.waitingCount),
        connections: points.connections + sum((pool) => pool.totalCount),
      }
    },
    close: async () => {
      await leisure.close()
      await Promise.all([points.close(), readers.end(), writers.end(), bulk.end()])
    },
  }
}

/** A migration may take longer than any statement of the service, and waits for another process that migrates. */
async function migratePostgres(url: string): Promise<void> {
  const pool = openPool({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, max: 1 })
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  try {
    await migrate(db)
  } finally {
    await db.destroy()
  }
}

function bounded(url: string, statementMs = STATEMENT_TIMEOUT_MS): pg.PoolConfig {
  return {
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: QUEUE_TIMEOUT_MS,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: statementMs + NETWORK_TIMEOUT_MS,
    keepAlive: true,
    types: { getTypeParser: typeParser },
  }
}

function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config)
  // A connection that breaks between two statements is reported by an event, which ends the process when unheard.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

const { builtins } = pg.types
/** What `pg` gives as text lest it lose digits: the service counts milliseconds, far below 2^53. */
const NUMBERS: ReadonlySet<number> = new Set([builtins.INT8, builtins.NUMERIC])

function typeParser(type: number, format?: 'text' | 'binary') {
  if (NUMBERS.has(type)) return Number
  return format === 'binary' ? pg.types.getTypeParser(type, 'binary') : pg.types.getTypeParser(type, 'text')
}

function pooled(pool: pg.Pool): Connections {
  return { provideConnection: (consumer) => withConnection(pool, consumer) }
}

async function withConnection<T>(
  pool: pg.Pool,
  consumer: (connection: PostgresConnection) => Promise<T>,
  names?: StatementNames,
): Promise<T> {
  const client = await pool.connect()
  const connection = new PostgresConnection(client, names)
  const onError = (error: Error) => connection.fail(error)
  client.on('error', onError)
  try {
    return await consumer(connection)
  } finally {
    client.off('error', onError)
    client.release(connection.broken)
  }
}

/** Searches would have to look through whatever was left to be put in its place. */
async function settled<T>(tx: Queries, change: Change<T>): Promise<T> {
  const value = await change(tx)
  await settlePgTrgm.execute(tx)
  return value
}

async function retried<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run()
    } catch (error) {
      if (tries >= MOST_ATTEMPTS || !isSerializationFailure(error)) throw error
      await setTimeout(FIRST_RETRY_MS * 2 ** tries)
    }
  }
}

async function attempt<T>(connection: PostgresConnection, within: Within, change: Change<T>): Promise<T> {
  const begun = connection.begin(within.hurry)
  try {
    const value = await runChange(new Scope(connection), within.queries, change)
    await begun
    await end(connection, within.isRefusal(value) ? 'ROLLBACK' : 'COMMIT')
    return value
  } catch (error) {
    await connection.send('rollback').catch(() => {})
    throw error
  }
}

async function runChange<T>(scope: Scope, queries: Within['queries'], change: Change<T>): Promise<T> {
  try {
    const value = await change(queries(scope))
    scope.assertWhole()
    return value
  } finally {
    scope.end()
  }
}

/** The server answers `commit` with a rollback, and no error, when a statement of the transaction had failed. */
async function end(connection: PostgresConnection, command: 'COMMIT' | 'ROLLBACK'): Promise<void> {
  const answer = await connection.send(command)
  if (answer.command !== command) throw new Error('PostgreSQL rolled the transaction back')
}

class PostgresConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient
  readonly #names: StatementNames | undefined
  #failure: unknown

  constructor(client: pg.PoolClient, names: StatementNames | undefined) {
    this.#client = client
    this.#names = names
  }

  /** Whether nobody knows any more what is under way on it, so that it must not be used again. */
  get broken(): boolean {
    return this.#failure !== undefined
  }

  /** The first failure is the cause of the others. */
  fail(error: unknown): void {
    this.#failure ??= error
  }

  async executeQuery<R>(query: NamedQuery): Promise<QueryResult<R>> {
    const text = { text: query.sql, values: [...query.parameters] }
    const name = query.statement ?? this.#names?.nameOf(query.sql)
    const { command, rowCount, rows } = await this.send(name === undefined ? text : { ...text, name })
    return CHANGES.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
  }

  /**
   * Leaves together with the statements that the change starts at once, none of which waits for the answer to this one: each
   * way there and back costs as much as a small statement.
   */
  begin(hurry: Hurry): Promise<unknown> {
    const { stream } = this.#client.connection
    stream.cork()
    setImmediate(() => stream.uncork())
    const answer = this.send(BEGIN[hurry])
    answer.catch(() => {})
    return answer
  }

  /** What is sent while another statement is under way runs after it, and is refused by the server when that one fails. */
  async send(query: string | pg.QueryConfig): Promise<pg.QueryResult> {
    if (this.broken) throw this.#failure
    try {
      return await this.#client.query(query)
    } catch (error) {
      if (!isOrdinary(error)) this.fail(error)
      throw error
    }
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    yield Promise.reject(new Error('read long lists in pages, not as a stream'))
  }
}

const CHANGES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/** The server refused a statement and goes on; any other failure is one of the connection. */
function isOrdinary(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR'
}
