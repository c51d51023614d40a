/**
 * The queue in front of SQLite's one writer. Transactions that wait at the same time are committed together, since
 * the wait for the disk is what a small change costs; each has its own savepoint and fails alone. The event loop goes on
 * while the disk is waited for: the connection commits without it, and `sync` has what was committed put on the disk.
 */
import { clearImmediate, setImmediate } from 'node:timers'
import type { Kysely } from 'kysely'
import type { Lull } from '../lulls.ts'
import type { Hurry, Queries } from './db.ts'
import { Gathering } from './gathering.ts'
import { type Connections, Scope } from './queries.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import type { Tables } from './tables.ts'

/** Bounds for how long the changes of one commit keep the event loop to themselves; leisurely ones save little by company. */
const MOST_IN_GROUP = { 'at once': 256, leisurely: 8 } as const

/**
 * Commits after which the log of changes, where they are written, is moved into the file: a millisecond or two. SQLite
 * does that in the commit that fills a thousand pages, several milliseconds in which nobody is answered.
 */
const COMMITS_IN_LOG = 32
const MOVE_LOG = 'pragma wal_checkpoint(passive)'
/** Changes nothing that anybody reads, and is written all the same. */
const TOUCH = 'pragma user_version = 1'
const EMPTY_LOG = 'pragma wal_checkpoint(truncate)'
const CHANGES_SO_FAR = 'select total_changes()'

const STALLED =
  'a transaction awaited something else than its own statements, such as a network call or a transaction ' +
  'inside the transaction, which would wait for ever'

type Job = {
  readonly change: (tx: Queries) => Promise<unknown>
  readonly hurry: Hurry
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}
type Settle = Pick<Job, 'resolve' | 'reject'>
/** Writes on another connection, with nobody else writing meanwhile. */
type Alone = Settle & { readonly work: () => Promise<unknown> }
type Outcome = { readonly value: unknown } | { readonly error: unknown }
type Entry = { readonly job: Job; outcome: Outcome }

export type WriterOptions = {
  readonly queries: (connections: Connections) => Kysely<Tables>
  readonly isRefusal: (value: unknown) => boolean
  /** Called before a group takes the lock. */
  readonly onBegin: () => void
  /** Called before anybody hears of a commit. */
  readonly onCommit: () => void
  /** Resolves when what was committed is on the disk. */
  readonly sync: () => Promise<void>
  readonly lull: Lull
}

export class SqliteWriter {
  readonly #connection: SqliteConnection
  readonly #options: WriterOptions
  #waiting: (Job | Alone)[] = []
  #scheduled = false
  /** Whoever is in a hurry does not wait for these too, and they need few commits of their own. */
  readonly #leisurely: Gathering<Job>
  #commits = 0
  #isTorn = false
  #closed: (() => void) | undefined

  constructor(connection: SqliteConnection, options: WriterOptions) {
    this.#connection = connection
    this.#options = options
    this.#leisurely = new Gathering(options.lull, (jobs) => this.#schedule(...jobs))
  }

  /** Changes that wait for their turn. */
  get waiting(): number {
    return this.#waiting.length + this.#leisurely.size
  }

  run<T>(change: (tx: Queries) => Promise<T>, hurry: Hurry = 'at once'): Promise<T> {
    return this.#enqueue((settle) => {
      const job = { change, hurry, ...settle }
      if (hurry === 'at once') return this.#schedule(job)
      this.#leisurely.add(job)
    })
  }

  /** Runs what writes on another connection in its turn, and nothing else until it is settled. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#enqueue((settle) => this.#schedule({ work, ...settle }))
  }

  /** Resolves when everything that was accepted is settled. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#closed = resolve
      this.#leisurely.end()
      this.#schedule()
    })
  }

  #enqueue<T>(put: (settle: Settle) => void): Promise<T> {
    if (this.#closed) return Promise.reject(new Error('the database is closed'))
    return new Promise<T>((resolve, reject) => put({ resolve, reject }))
  }

  /** Waiting for the event loop's next turn lets the requests that arrived together share one commit. */
  #schedule(...jobs: readonly (Job | Alone)[]): void {
    this.#waiting.push(...jobs)
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => void this.#turn())
  }

  async #turn(): Promise<void> {
    const [first] = this.#waiting
    if (first && 'work' in first) await this.#runAlone(first)
    else if (first) await this.#runGroup(first.hurry)
    this.#scheduled = false
    if (this.#waiting.length > 0) this.#schedule()
    else this.#closed?.()
  }

  async #runAlone({ work, resolve, reject }: Alone): Promise<void> {
    this.#waiting.shift()
    const run = async () => {
      this.#mend()
      return work()
    }
    await run().then((value) => resolve(value as never), reject)
  }

  async #runGroup(hurry: Hurry): Promise<void> {
    const entries: Entry[] = []
    try {
      this.#rollBack()
      this.#options.onBegin()
      this.#mend()
      const before = this.#connection.value(CHANGES_SO_FAR)
      this.#connection.run('begin immediate')
      await this.#runJobs(entries, hurry)
      this.#connection.run('commit')
      this.#options.onCommit()
      this.#moveLogInTurn()
      const hasChanged = this.#connection.value(CHANGES_SO_FAR) !== before
      if (hasChanged && hurry === 'at once') await this.#sync()
    } catch (error) {
      this.#loseGroup(entries, error)
    }
    settleAll(entries)
  }

  /** In a lull, and in a turn of its own, for which nobody waits whose change is committed. What cannot be moved now is moved later. */
  #moveLogInTurn(): void {
    this.#commits += 1
    if (this.#commits % COMMITS_IN_LOG !== 0) return
    const move = () => this.alone(async () => this.#moveLog())
    this.#options
      .lull()
      .then(move)
      .catch(() => {})
  }

  /** The first commit of a log that begins anew waits for the disk, whatever `synchronous` says; no request's shall be that one. */
  #moveLog(): void {
    this.#connection.run(MOVE_LOG)
    this.#options.onBegin()
    try {
      this.#connection.run('begin immediate')
      this.#connection.run(TOUCH)
      this.#connection.run('commit')
    } finally {
      this.#rollBack()
    }
  }

  async #sync(): Promise<void> {
    try {
      await this.#options.sync()
    } catch (error) {
      this.#isTorn = true
      throw error
    }
  }

  /**
   * A disk that failed once may have kept a part of the log alone, and forgets that it failed: what follows in the log would be
   * on the disk and not be found there. What can still be read is moved into the file, and the log begins anew.
   */
  #mend(): void {
    if (!this.#isTorn) return
    if (this.#connection.value(EMPTY_LOG) !== 0) throw new Error('SQLite could not empty its log of changes')
    this.#isTorn = false
  }

  async #runJobs(entries: Entry[], hurry: Hurry): Promise<void> {
    while (entries.length < MOST_IN_GROUP[hurry]) {
      const [job] = this.#waiting
      if (!job || 'work' in job || job.hurry !== hurry) return
      this.#waiting.shift()
      const entry: Entry = { job, outcome: { value: undefined } }
      entries.push(entry)
      this.#connection.run('savepoint change')
      entry.outcome = await this.#outcome(job)
      this.#endSavepoint(entry.outcome)
    }
  }

  #endSavepoint(outcome: Outcome): void {
    const failed = 'error' in outcome
    // A full disk makes SQLite roll back the whole transaction by itself, with the neighbours' changes in it.
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

  /** Nobody may believe in a change of this group, and what could not even begin would fail again at once. */
  #loseGroup(entries: Entry[], error: unknown): void {
    this.#rollBack()
    failAll(entries, error)
    if (entries.length > 0) return
    for (const job of this.#waiting.splice(0)) job.reject(error)
  }

  /** Tried again before the next group, because a broken disk can make this fail too. */
  #rollBack(): void {
    if (this.#connection.database.isTransaction) this.#connection.run('rollback')
  }
}

/** What failed by itself keeps its own reason. */
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
 * Every statement answers before the event loop turns, so a change that is still running afterwards waits for
 * something that has no place in it, while nobody else can write.
 */
function withinThisTurn<T>(change: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stalled = setImmediate(() => reject(new Error(STALLED)))
    change.then(resolve, reject).finally(() => clearImmediate(stalled))
  })
}
