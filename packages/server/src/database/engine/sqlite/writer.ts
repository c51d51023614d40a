/**
 * The queue in front of SQLite's only writer. Transactions that wait at the same time share a commit (group
 * commit), because small changes mostly wait for the disk. Each transaction has its own savepoint and fails
 * independently. The commit itself doesn't wait for the disk: `sync` makes it durable off the event loop, and
 * only then are the changes acknowledged.
 */
import { clearImmediate, setImmediate } from 'node:timers'
import type { Kysely } from 'kysely'
import type { Tables } from '../../schema/tables.ts'
import type { Queries } from '../db.ts'
import { type Connections, Scope } from '../queries.ts'
import type { SqliteConnection } from './connection.ts'

/** Limits how long the changes of one commit block the event loop. */
const MAX_GROUP = 256
const TRUNCATE_WAL = 'pragma wal_checkpoint(truncate)'
const TOTAL_CHANGES = 'select total_changes()'

const STALLED =
  'a transaction awaited something else than its own statements, such as a network call or a transaction ' +
  'inside the transaction, which would wait for ever'

type Settle = {
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}
type Job = Settle & { readonly change: (tx: Queries) => Promise<unknown> }
/** A job that writes on another connection while no other write runs. */
type ExclusiveJob = Settle & { readonly work: () => Promise<unknown> }
type Outcome = { readonly value: unknown } | { readonly error: unknown }
type Entry = { readonly job: Job; outcome: Outcome }

export type WriterOptions = {
  readonly queries: (connections: Connections) => Kysely<Tables>
  readonly isRefusal: (value: unknown) => boolean
  /** Called before a group takes the lock. */
  readonly onBegin: () => void
  /** Called before a commit is acknowledged. */
  readonly onCommit: () => void
  /** Resolves when the commit is durable. */
  readonly sync: () => Promise<void>
}

export class SqliteWriter {
  readonly #connection: SqliteConnection
  readonly #options: WriterOptions
  #queue: Job[] = []
  /**
   * Exclusive jobs alternate with groups of small changes, so that a small change waits for at most one of
   * them.
   */
  readonly #exclusive: ExclusiveJob[] = []
  #wasExclusive = false
  #isScheduled = false
  #walSuspect = false
  #closed: (() => void) | undefined

  constructor(connection: SqliteConnection, options: WriterOptions) {
    this.#connection = connection
    this.#options = options
  }

  /** Number of changes waiting for their turn. */
  get waiting(): number {
    return this.#queue.length + this.#exclusive.length
  }

  run<T>(change: (tx: Queries) => Promise<T>): Promise<T> {
    return this.#enqueue((settle) => this.#queue.push({ change, ...settle }))
  }

  /** Queues work that writes on another connection and blocks all other writes until it settles. */
  runExclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#enqueue((settle) => this.#exclusive.push({ work, ...settle }))
  }

  /** Resolves when all accepted changes have settled. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#closed = resolve
      this.#schedule()
    })
  }

  #enqueue<T>(add: (settle: Settle) => void): Promise<T> {
    if (this.#closed) return Promise.reject(new Error('the database is closed'))
    return new Promise<T>((resolve, reject) => {
      add({ resolve, reject })
      this.#schedule()
    })
  }

  /** Waits for the next event loop turn, so that requests that arrive together share a commit. */
  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => void this.#runNext())
  }

  async #runNext(): Promise<void> {
    const isExclusive = this.#exclusive.length > 0 && (this.#queue.length === 0 || !this.#wasExclusive)
    this.#wasExclusive = isExclusive
    if (isExclusive) await this.#runExclusiveJob()
    else if (this.#queue.length > 0) await this.#runGroup()
    this.#isScheduled = false
    if (this.waiting > 0) this.#schedule()
    else this.#closed?.()
  }

  async #runExclusiveJob(): Promise<void> {
    const job = this.#exclusive.shift()
    if (job === undefined) return
    const { work, resolve, reject } = job
    const run = async () => {
      this.#recoverWal()
      return work()
    }
    await run().then((value) => resolve(value as never), reject)
  }

  async #runGroup(): Promise<void> {
    const entries: Entry[] = []
    try {
      this.#rollBack()
      this.#options.onBegin()
      this.#recoverWal()
      const before = this.#connection.value(TOTAL_CHANGES)
      this.#connection.run('begin immediate')
      await this.#runJobs(entries)
      this.#connection.run('commit')
      this.#options.onCommit()
      if (this.#connection.value(TOTAL_CHANGES) !== before) await this.#sync()
    } catch (error) {
      this.#failGroup(entries, error)
    }
    settleAll(entries)
  }

  async #sync(): Promise<void> {
    try {
      await this.#options.sync()
    } catch (error) {
      this.#walSuspect = true
      throw error
    }
  }

  /**
   * After a failed sync, the disk may hold only part of the WAL, and the system reports the failure only
   * once. Frames after the gap would be on disk but unreadable. A truncating checkpoint moves everything
   * still readable into the file and restarts the WAL.
   */
  #recoverWal(): void {
    if (!this.#walSuspect) return
    if (this.#connection.value(TRUNCATE_WAL) !== 0)
      throw new Error('SQLite could not checkpoint its WAL after the disk failed')
    this.#walSuspect = false
  }

  async #runJobs(entries: Entry[]): Promise<void> {
    while (entries.length < MAX_GROUP) {
      const job = this.#queue.shift()
      if (!job) return
      const entry: Entry = { job, outcome: { value: undefined } }
      entries.push(entry)
      this.#connection.run('savepoint change')
      entry.outcome = await this.#outcome(job)
      this.#endSavepoint(entry.outcome)
    }
  }

  #endSavepoint(outcome: Outcome): void {
    const failed = 'error' in outcome
    // On a full disk, SQLite rolls back the entire transaction, including all other changes in the group.
    if (!this.#connection.database.isTransaction)
      throw failed ? outcome.error : new Error('SQLite rolled the transaction back')
    if (failed || this.#options.isRefusal(outcome.value)) this.#connection.run('rollback to change')
    this.#connection.run('release change')
  }

  async #outcome(job: Job): Promise<Outcome> {
    const scope = new Scope(this.#connection)
    try {
      const value = await withinThisTurn(job.change(this.#options.queries(scope)))
      scope.assertWhole()
      return { value }
    } catch (error) {
      return { error }
    } finally {
      scope.end()
    }
  }

  /**
   * Rejects all changes in a group. If the group couldn't even begin, rejects the queue too, because its
   * changes would also fail.
   */
  #failGroup(entries: Entry[], error: unknown): void {
    this.#rollBack()
    failAll(entries, error)
    if (entries.length > 0) return
    for (const job of [...this.#queue.splice(0), ...this.#exclusive.splice(0)]) job.reject(error)
  }

  /** The rollback is retried before the next group, because a broken disk can make it fail too. */
  #rollBack(): void {
    if (this.#connection.database.isTransaction) this.#connection.run('rollback')
  }
}

/** Changes that failed individually keep their error. */
function failAll(entries: readonly Entry[], error: unknown): void {
  for (const entry of entries) if (!('error' in entry.outcome)) entry.outcome = { error }
}

function settleAll(entries: readonly Entry[]): void {
  for (const { job, outcome } of entries) {
    if ('error' in outcome) job.reject(outcome.error)
    else job.resolve(outcome.value as never)
  }
}

/**
 * Every statement completes before the event loop turns, so a change that is still running afterward is
 * awaiting something else and blocks all other writes.
 */
function withinThisTurn<T>(change: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stalled = setImmediate(() => reject(new Error(STALLED)))
    change.then(resolve, reject).finally(() => clearImmediate(stalled))
  })
}
