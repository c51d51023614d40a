/**
 * PostgreSQL: a read-only pool, a pipelined connection for point reads, a writing pool and a pool for bulk
 * changes.
 */
import { Kysely, PostgresDialect, sql } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../../schema/tables.ts'
import type { Database, Queries } from '../db.ts'
import { migrate } from '../migrate.ts'
import { postgresDialect, queriesOf } from '../queries.ts'
import { noCache } from '../snapshot-cache.ts'
import { StatementNames } from '../statement-names.ts'
import { type OnStatement, tracedQueries } from '../trace.ts'
import { settlePgTrgm } from '../trigrams.ts'
import { PostgresPipeline } from './pipeline.ts'
import {
  BULK_TIMEOUT_MS,
  boundedConfig,
  CONNECT_TIMEOUT_MS,
  openPool,
  POINT_TIMEOUT_MS,
  READ_ONLY,
  withConnection,
} from './pool.ts'
import { retried } from './retry.ts'
import { runTransaction } from './transaction.ts'

const BULK_CONNECTIONS = 2
/** Collects new search index entries and merges them once, which halves import time. */
const BULK_OPTIONS = '-c gin_pending_list_limit=128MB -c work_mem=64MB'
/** PostgreSQL scans this many rows in a few hundredths of a second, in its own process. */
const ROWS_AT_ONCE = 10_000

export type PostgresOptions = {
  readonly isRefusal: (value: unknown) => boolean
  readonly onStatement?: OnStatement | undefined
}

export async function openPostgres(
  url: string,
  { isRefusal, onStatement }: PostgresOptions,
): Promise<Database> {
  await migratePostgres(url)
  const { readers, writers, bulk } = openPools(url)
  const points = new PostgresPipeline({
    ...boundedConfig(url, POINT_TIMEOUT_MS),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  const pools = [readers, writers, bulk]
  const queries = tracedQueries(queriesOf<Tables>(postgresDialect), onStatement)
  const read = queries({ provideConnection: (consumer) => retried(() => withConnection(readers, consumer)) })
  const options = { queries, isRefusal }
  const names = new StatementNames()
  return {
    read,
    readPoint: queries({ provideConnection: (consumer) => consumer(points) }),
    cache: noCache,
    transaction: (change) => runTransaction(writers, { ...options, names }, change),
    bulk: (change) => runTransaction(bulk, options, (tx) => settled(tx, change)),
    rowsAtOnce: ROWS_AT_ONCE,
    ping: async () => {
      await read.selectFrom('tiers').select('id').limit(1).execute()
    },
    load: () => ({
      waiting: points.waiting + sum(pools, (pool) => pool.waitingCount),
      connections: points.connections + sum(pools, (pool) => pool.totalCount),
    }),
    size: async () => {
      const found = await sizeOfDatabase.execute(read)
      return Number(found.rows[0]?.bytes)
    },
    close: async () => {
      await Promise.all([points.close(), ...pools.map((pool) => pool.end())])
    },
  }
}

const sizeOfDatabase = sql<{ readonly bytes: string }>`select pg_database_size(current_database()) as bytes`

function openPools(url: string) {
  const bulkConfig: pg.PoolConfig = {
    ...boundedConfig(url, BULK_TIMEOUT_MS),
    max: BULK_CONNECTIONS,
    pipeline: true,
    connectionTimeoutMillis: 0,
    options: `${READ_ONLY} ${BULK_OPTIONS}`,
  }
  return {
    readers: openPool(boundedConfig(url)),
    writers: openPool({ ...boundedConfig(url), pipeline: true }),
    bulk: openPool(bulkConfig),
  }
}

/** A migration may take longer than regular statements, and waits for other migrating processes. */
async function migratePostgres(url: string): Promise<void> {
  const pool = openPool({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, max: 1 })
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  try {
    await retried(() => migrate(db))
  } finally {
    await db.destroy()
  }
}

/** Merges the pending entries of the search index, which searches would otherwise scan. */
async function settled<T>(tx: Queries, change: (tx: Queries) => Promise<T>): Promise<T> {
  const value = await change(tx)
  await settlePgTrgm.execute(tx)
  return value
}

function sum(pools: readonly pg.Pool[], of: (pool: pg.Pool) => number): number {
  return pools.reduce((total, pool) => total + of(pool), 0)
}
