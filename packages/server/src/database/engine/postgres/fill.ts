/**
 * Creates the tables of an empty PostgreSQL database and copies another database's rows into them. Uses one
 * transaction and verifies the copy before the commit, so that an interruption leaves the database empty.
 */
import pg from 'pg'
import type { Row } from '../contents.ts'
import { migrate } from '../migrate.ts'
import { always, postgresDialect, queriesOf } from '../queries.ts'
import {
  columnsOf,
  hashTables,
  type ReadTable,
  RowHash,
  TABLE_NAMES,
  type TableHash,
  type TableName,
} from '../table-hashes.ts'
import { fillPgTrgm } from '../trigrams.ts'
import { CONNECT_TIMEOUT_MS, PostgresConnection, typeParser } from './pool.ts'
import { onPostgres, postgresTables, queryWith } from './programs.ts'

const ROWS_AT_ONCE = 5000
/**
 * The role or database may have timeouts that are meant for regular requests, but this copy takes minutes.
 */
const UNBOUNDED = ['statement_timeout', 'idle_in_transaction_session_timeout', 'lock_timeout']

export type Filled = Readonly<Record<string, TableHash>>
export type Step = 'copy' | 'index' | 'check'

export type Filling = {
  readonly url: string
  readonly read: ReadTable
  /** Total number of rows in all tables. */
  readonly rows: number
  /** The last `seq` assigned in each table. Numbers of deleted rows are not reused. */
  readonly lastNumbers: ReadonlyMap<string, number>
  readonly signal: AbortSignal
  /** Called with the completed fraction of this step, from 0 to 1. */
  readonly report: (step: Step, share: number) => void
}

/** Thrown if the target database already has tables. */
export class NotEmpty extends Error {}
/** Thrown if a copied row differs from its source. Nothing is kept in that case. */
export class NotEqual extends Error {}

/** Throws a {@link NotEmpty}, a {@link NotEqual}, an AbortError, or an error from the server. */
export async function fillPostgres(filling: Filling): Promise<Filled> {
  const { url, signal } = filling
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types: { getTypeParser: typeParser },
  })
  client.on('error', () => {})
  await client.connect()
  const release = await cancelOn(signal, url, client)
  try {
    await client.query('begin')
    const filled = await fill(client, filling)
    signal.throwIfAborted()
    release()
    await client.query('commit')
    // Otherwise, the server wouldn't vacuum and analyze the tables until minutes later.
    await client.query(`vacuum (analyze) ${TABLE_NAMES.join(', ')}, users_search`).catch(() => {})
    return filled
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    release()
    await client.end()
  }
}

/** Cancels the running statement, so that aborting doesn't have to wait for an index over a million rows. */
async function cancelOn(signal: AbortSignal, url: string, client: pg.Client): Promise<() => void> {
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const cancel = () =>
    void onPostgres(url, (other) => other.query('select pg_cancel_backend($1)', [rows[0].pid])).catch(
      () => {},
    )
  signal.addEventListener('abort', cancel, { once: true })
  return () => signal.removeEventListener('abort', cancel)
}

async function fill(client: pg.Client, filling: Filling): Promise<Filled> {
  for (const setting of UNBOUNDED) await client.query(`set local ${setting} = 0`)
  if ((await postgresTables(queryWith(client))).length > 0) throw new NotEmpty()
  await makeTables(client)
  const indexes = await clear(client)
  const sent: Record<string, TableHash> = {}
  const copied = watching('copy', filling)
  for (const table of TABLE_NAMES) sent[table] = await send(client, table, copied(filling.read(table)))
  await makeIndexes(client, indexes, filling)
  const checked = watching('check', filling)
  compare(sent, await hashTables((table) => checked(cursorOn(client, table))))
  return sent
}

function makeTables(client: pg.Client): Promise<void> {
  const connection = new PostgresConnection(client, undefined)
  return migrate(queriesOf<unknown>(postgresDialect)(always(connection)), { disableTransactions: true })
}

type Batches = AsyncIterable<readonly Row[]>

/** Passes batches through, counts their rows, and throws if aborted. */
function watching(step: Step, { rows, signal, report }: Filling): (batches: Batches) => Batches {
  let done = 0
  return async function* (batches) {
    for await (const batch of batches) {
      signal.throwIfAborted()
      yield batch
      done += batch.length
      report(step, done / Math.max(1, rows))
    }
  }
}

/**
 * Removes rows created by migrations, and everything that slows down inserts: indexes, foreign keys and
 * triggers. Without foreign keys, the order of the tables doesn't matter either. Resolves to the statements
 * that recreate everything except the rows.
 */
async function clear(client: pg.Client): Promise<string[]> {
  await client.query(`truncate ${ALL.join(', ')}`)
  for (const table of TABLE_NAMES) await client.query(`alter table ${table} disable trigger user`)
  const { rows } = await client.query<{ away: string; back: string }>(PARTS, [ALL])
  for (const { away } of rows) await client.query(away)
  return rows.map(({ back }) => back).reverse()
}

const ALL = [...TABLE_NAMES, 'users_search']

/**
 * Foreign keys come first because they depend on unique columns. Primary keys are kept, because rows arrive
 * nearly in primary key order.
 */
const PARTS = `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as away,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as back,
    contype::text as kind
  from pg_constraint where contype in ('f', 'u') and conrelid = any($1::regclass[])
  union all select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid), 'x'
  from pg_index where indrelid = any($1::regclass[])
    and not exists (select from pg_constraint where conindid = indexrelid)
  order by kind`

async function send(client: pg.Client, table: TableName, batches: Batches): Promise<TableHash> {
  const columns = columnsOf(table).join(', ')
  const insert = `insert into ${table} (${columns}) overriding system value
    select ${columns} from json_populate_recordset(null::${table}, $1::json)`
  const hash = new RowHash(table)
  for await (const rows of batches) {
    for (const row of rows) hash.add(row)
    if (rows.length > 0) await client.query(insert, [JSON.stringify(rows.map(asJson))])
  }
  return hash.digest()
}

function asJson(row: Row): Row {
  const members = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value,
  ])
  return Object.fromEntries(members)
}

async function makeIndexes(
  client: pg.Client,
  indexes: readonly string[],
  { lastNumbers, signal, report }: Filling,
): Promise<void> {
  await client.query(fillPgTrgm)
  for (const [n, index] of indexes.entries()) {
    signal.throwIfAborted()
    report('index', n / indexes.length)
    await client.query(index)
  }
  for (const table of TABLE_NAMES) await client.query(`alter table ${table} enable trigger user`)
  for (const [table, last] of lastNumbers)
    await client.query(`select setval(pg_get_serial_sequence($1, 'seq'), $2)`, [table, last])
}

function compare(sent: Filled, found: Filled): void {
  const wrong = TABLE_NAMES.filter(
    (table) => sent[table]?.count !== found[table]?.count || sent[table]?.hash !== found[table]?.hash,
  )
  if (wrong.length > 0) throw new NotEqual(wrong.join(', '))
}

/** Reads a table through a cursor, because the table may not fit into memory. */
async function* cursorOn(client: pg.Client, table: TableName): AsyncGenerator<Row[]> {
  await client.query(`declare rows_of_${table} no scroll cursor for select ${columnsOf(table)} from ${table}`)
  for (;;) {
    const { rows } = await client.query(`fetch ${ROWS_AT_ONCE} from rows_of_${table}`)
    if (rows.length === 0) break
    yield rows
  }
  await client.query(`close rows_of_${table}`)
}

/** Reads one consistent snapshot of a database for the duration of `use`. */
export async function readPostgres<T>(url: string, use: (read: ReadTable) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, types: { getTypeParser: typeParser } })
  await client.connect()
  try {
    await client.query('begin isolation level repeatable read, read only')
    return await use((table) => cursorOn(client, table))
  } finally {
    await client.end()
  }
}
