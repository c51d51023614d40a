/**
 * The database API for the rest of the server: reads are allowed at any time, and writes only inside
 * `transaction`. The two engines behind it are `sqlite/` and `postgres/`. `dialect.ts` describes their
 * differences.
 */
import type { Kysely } from 'kysely'
import type { Tables } from '../schema/tables.ts'

/** The handle that store functions use to run statements: a read-only connection or a transaction. */
export type Queries = Kysely<Tables>

export type Database = {
  /** Handle for reads outside a transaction. Writes through it fail. */
  readonly read: Queries
  /**
   * Like `read`, but for reading single rows by key. On PostgreSQL, these reads share one pipelined
   * connection.
   */
  readonly readPoint: Queries
  readonly cache: RowCache
  /**
   * Runs `change` atomically: the transaction is rolled back if `change` throws or returns a `Refused`, and
   * the promise resolves only after the change is durable. Inside `change`, only store functions may be
   * awaited.
   */
  transaction<T>(change: (tx: Queries) => Promise<T>): Promise<T>
  /**
   * Like `transaction`, but for changes so large that a single statement can take seconds. Requests are still
   * served, but on SQLite all other writes wait until the change finishes.
   */
  bulk<T>(change: (tx: Queries) => Promise<T>): Promise<T>
  /** Maximum number of rows that a statement may scan. On SQLite, a statement blocks the event loop. */
  readonly rowsAtOnce: number
  /** Used by the readiness probe. Rejects if the database can't be read. */
  ping(): Promise<void>
  load(): DatabaseLoad
  /** Size on disk in bytes, including indexes and, on SQLite, the write-ahead log. */
  size(): Promise<number>
  /** Waits for accepted transactions to finish. */
  close(): Promise<void>
}

/**
 * On SQLite, caches values until the database changes. Changes by other processes are noticed within a few
 * milliseconds. PostgreSQL does not report commits by other processes, so nothing is cached there.
 */
export type RowCache = {
  /** Returns the value cached under this name, or reads it. Missing values are not cached. */
  find<T extends object>(name: string, read: () => Promise<T | undefined>): Promise<T | undefined>
}

type DatabaseLoad = {
  /** Number of operations waiting for a connection or for their turn to write. */
  readonly waiting: number
  readonly connections: number
}
