/**
 * The database as the rest of the server sees it: reads at any time, writes only inside `transaction`. The two
 * engines behind it are `sqlite.ts` and `postgres.ts`; what differs between them is named in `dialect.ts`.
 */
import type { Kysely } from 'kysely'
import type { Soon } from '../soon.ts'
import type { Tables } from './tables.ts'

/** What a store function runs its statement on: the readers, or the transaction that it is part of. */
export type Queries = Kysely<Tables>

export type Database = {
  /** Reads outside a transaction; a write through it fails. */
  readonly read: Queries
  /**
   * As `read`, for single rows by their keys: what these need is kept in memory, and long lists do not push it out.
   */
  readonly readPoint: Queries
  readonly unchanged: Unchanged
  /**
   * Runs `change` alone or not at all: it is rolled back when `change` throws or returns a `Refused`, and the promise
   * resolves only after the change is durable, leisurely ones apart. Nothing but store functions may be awaited inside.
   */
  transaction<T>(change: (tx: Queries) => Promise<T>, hurry?: Hurry): Promise<T>
  /**
   * The same for changes of so many rows that a statement takes seconds: requests are answered meanwhile, though on
   * SQLite no other change is made until it is over.
   */
  bulk<T>(change: (tx: Queries) => Promise<T>): Promise<T>
  /** Rows that one statement may look at: on SQLite nobody else is answered meanwhile. */
  readonly rowsAtOnce: number
  /** Rejects when the database cannot be read; for the readiness of the service. */
  ping(): Promise<void>
  /** How busy it is at the moment. */
  load(): DatabaseLoad
  /** Waits for the transactions that were accepted. */
  close(): Promise<void>
}

/**
 * `leisurely` is for changes that nobody waits for and that would be made again: they wait a fifth of a second for others of
 * their kind, and then for a moment in which nobody waits for an answer. They do not wait for the disk, which has them with the
 * next change in a hurry, and a machine that loses its power before loses them. On PostgreSQL such a change may be begun twice.
 */
export type Hurry = 'at once' | 'leisurely'

/** What was read once and is kept until anything is committed; what other processes commit is seen some milliseconds later. */
export type Unchanged = {
  /** What `read` answered under this name, at once when it is kept; what is missing is looked for every time. */
  find<T extends object>(name: string, read: () => Promise<T | undefined>): Soon<T | undefined>
}

export type DatabaseLoad = {
  /** What waits for a connection or for its turn to write. */
  readonly waiting: number
  readonly connections: number
}
