/**
 * The database as the rest of the server sees it: reads at any time, writes only inside `transaction`. The two
 * engines behind it are `sqlite/` and `postgres/`; what differs between them is named in `dialect.ts`.
 */
import type { Kysely } from 'kysely'
import type { Tables } from '../schema/tables.ts'

/** What a store function runs its statement on: a connection that only reads, or a transaction. */
export type Queries = Kysely<Tables>

export type Database = {
  /** Reads outside a transaction; a write through it fails. */
  readonly read: Queries
  /** As `read`, for single rows by their keys: on PostgreSQL they share one pipelined connection. */
  readonly readPoint: Queries
  readonly cache: RowCache
  /**
   * Runs `change` as a whole or not at all: it is rolled back when `change` throws or returns a `Refused`, and the promise
   * resolves only after the change is durable. Await nothing but store functions inside.
   */
  transaction<T>(change: (tx: Queries) => Promise<T>): Promise<T>
  /**
   * The same for changes of so many rows that a statement takes seconds. Requests are answered meanwhile, but on SQLite
   * all other writes wait until it is over.
   */
  bulk<T>(change: (tx: Queries) => Promise<T>): Promise<T>
  /** Rows that one statement may scan: on SQLite a statement blocks the event loop. */
  readonly rowsAtOnce: number
  /** Rejects when the database cannot be read; for the readiness probe. */
  ping(): Promise<void>
  load(): DatabaseLoad
  /** Waits for the transactions that were accepted. */
  close(): Promise<void>
}

/**
 * Holds values until the database changes, on SQLite; a change by another process is seen some milliseconds later.
 * PostgreSQL does not report what other processes commit, so there it holds nothing.
 */
export type RowCache = {
  /** The value cached under this name, or what `read` finds. A missing value is read every time. */
  find<T extends object>(name: string, read: () => Promise<T | undefined>): Promise<T | undefined>
}

type DatabaseLoad = {
  /** Operations that wait for a connection or for their turn to write. */
  readonly waiting: number
  readonly connections: number
}
