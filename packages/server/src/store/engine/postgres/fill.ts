/** Fills an empty database of PostgreSQL with the rows of another one, in one transaction that is checked before it ends. */
import pg from 'pg'
import type { Row } from '../contents.ts'
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
import { typeParser } from './pool.ts'

const ROWS_AT_ONCE = 5000

export type Filled = Readonly<Record<string, TableHash>>

/** `done` is called after each table. Throws when a row did not arrive as it left; nothing is there then. */
export async function fillPostgres(
  url: string,
  read: ReadTable,
  { signal, done }: { readonly signal: AbortSignal; readonly done: (table: string, count: number) => void },
): Promise<Filled> {
  const client = new pg.Client({ connectionString: url, types: { getTypeParser: typeParser } })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('begin')
    const indexes = await clear(client)
    const sent: Record<string, TableHash> = {}
    for (const table of TABLE_NAMES) {
      signal.throwIfAborted()
      sent[table] = await send(client, table, read(table))
      done(table, sent[table].count)
    }
    await finish(client, indexes)
    compare(sent, await hashTables((table) => cursorOn(client, table)))
    signal.throwIfAborted()
    await client.query('commit')
    await client.query('analyze')
    return sent
  } finally {
    await client.end()
  }
}

/** Rows of the migrations go, and what would make each row slow: indexes and triggers. Resolves to how to make the indexes. */
async function clear(client: pg.Client): Promise<string[]> {
  await client.query(`truncate ${TABLE_NAMES.join(', ')}, users_search`)
  for (const table of TABLE_NAMES) await client.query(`alter table ${table} disable trigger user`)
  const { rows } = await client.query(
    `select indexname, indexdef from pg_indexes
    where schemaname = current_schema() and tablename = any($1)
      and indexname not in (select conname from pg_constraint)`,
    [[...TABLE_NAMES, 'users_search']],
  )
  for (const { indexname } of rows) await client.query(`drop index ${pg.escapeIdentifier(indexname)}`)
  return rows.map(({ indexdef }) => String(indexdef))
}

async function send(
  client: pg.Client,
  table: TableName,
  batches: AsyncIterable<readonly Row[]>,
): Promise<TableHash> {
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

async function finish(client: pg.Client, indexes: readonly string[]): Promise<void> {
  await client.query(fillPgTrgm)
  for (const index of indexes) await client.query(index)
  for (const table of TABLE_NAMES) await client.query(`alter table ${table} enable trigger user`)
  for (const table of TABLE_NAMES.filter((name) => columnsOf(name).includes('"seq"')))
    await client.query(`select setval(sequence, greatest(coalesce(max(seq), 0), 1), max(seq) is not null)
      from ${table}, pg_get_serial_sequence('${table}', 'seq') as sequence where sequence is not null group by sequence`)
}

function compare(sent: Filled, found: Filled): void {
  const wrong = TABLE_NAMES.filter(
    (table) => sent[table]?.count !== found[table]?.count || sent[table]?.hash !== found[table]?.hash,
  )
  if (wrong.length > 0) throw new Error(`not every row arrived as it left: ${wrong.join(', ')}`)
}

/** One statement reads a table that does not fit into memory. */
async function* cursorOn(client: pg.Client, table: TableName): AsyncGenerator<Row[]> {
  await client.query(`declare rows_of_${table} no scroll cursor for select ${columnsOf(table)} from ${table}`)
  for (;;) {
    const { rows } = await client.query(`fetch ${ROWS_AT_ONCE} from rows_of_${table}`)
    if (rows.length === 0) break
    yield rows
  }
  await client.query(`close rows_of_${table}`)
}

/** The rows of one state of a database, for as long as `use` takes. */
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
