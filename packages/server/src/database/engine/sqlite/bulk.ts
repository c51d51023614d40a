/**
 * Runs bulk changes on SQLite in another thread with its own connection, because a single statement could
 * block the event loop for seconds. In the meantime, `writer.ts` makes other writes wait.
 */
import { Worker } from 'node:worker_threads'
import type { DatabaseConnection, QueryResult } from 'kysely'
import type { Queries } from '../db.ts'
import { type Connections, type NamedQuery, Scope } from '../queries.ts'
import type { BulkAnswer, BulkStatement } from './bulk-thread.ts'

const THREAD = new URL('./bulk-thread.ts', import.meta.url)

export class SqliteBulk {
  readonly #file: string
  readonly #queries: (connections: Connections) => Queries
  readonly #isRefusal: (value: unknown) => boolean
  #thread: BulkThread | undefined

  constructor(
    file: string,
    queries: (connections: Connections) => Queries,
    isRefusal: (value: unknown) => boolean,
  ) {
    this.#file = file
    this.#queries = queries
    this.#isRefusal = isRefusal
  }

  async run<T>(change: (tx: Queries) => Promise<T>): Promise<T> {
    const thread = this.#startedThread()
    await thread.send('begin immediate')
    try {
      const value = await this.#runChange(new Scope(thread), change)
      await thread.send(this.#isRefusal(value) ? 'rollback' : 'commit')
      return value
    } catch (error) {
      // The connection may have ended with its thread, which also rolls back the change.
      await thread.send('rollback').catch(() => {})
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#thread?.close()
  }

  async #runChange<T>(scope: Scope, change: (tx: Queries) => Promise<T>): Promise<T> {
    try {
      const value = await change(this.#queries(scope))
      scope.assertWhole()
      return value
    } finally {
      scope.end()
    }
  }

  /**
   * Starts the thread on first use, because most servers never need it, and replaces a thread that has ended.
   */
  #startedThread(): BulkThread {
    if (!this.#thread || this.#thread.ended) this.#thread = new BulkThread(this.#file)
    return this.#thread
  }
}

type Waiter = { readonly resolve: (answer: BulkAnswer) => void; readonly reject: (error: Error) => void }

/** A connection whose statements run in the thread, in the order they were sent. */
class BulkThread implements DatabaseConnection {
  readonly #worker: Worker
  readonly #waiters: Waiter[] = []
  #ended: Error | undefined

  constructor(file: string) {
    this.#worker = new Worker(THREAD, { workerData: file })
    this.#worker.unref()
    this.#worker.on('message', (answer: BulkAnswer) => this.#waiters.shift()?.resolve(answer))
    this.#worker.on('error', (error: Error) => this.#end(error))
    this.#worker.on('exit', () => this.#end(new Error('the thread for bulk changes ended')))
  }

  get ended(): boolean {
    return this.#ended !== undefined
  }

  async executeQuery<R>({ sql, parameters, asLists }: NamedQuery): Promise<QueryResult<R>> {
    const { rows, affected } = await this.#send({ sql, parameters, ...(asLists && { asLists }) })
    return affected === undefined ? { rows: rows as R[] } : { rows: rows as R[], numAffectedRows: affected }
  }

  async send(sql: string): Promise<void> {
    await this.#send({ sql, parameters: [] })
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    yield Promise.reject(new Error('read long lists in pages, not as a stream'))
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  async #send(statement: BulkStatement): Promise<Extract<BulkAnswer, { rows: unknown[] }>> {
    if (this.#ended) throw this.#ended
    const answer = await new Promise<BulkAnswer>((resolve, reject) => {
      this.#waiters.push({ resolve, reject })
      this.#worker.postMessage(statement)
    })
    if ('failure' in answer) throw Object.assign(new Error(answer.failure), answer.codes)
    return answer
  }

  #end(error: Error): void {
    this.#ended ??= error
    for (const { reject } of this.#waiters.splice(0)) reject(error)
  }
}
