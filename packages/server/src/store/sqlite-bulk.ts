/**
 * Changes of many rows on SQLite: they run on a connection of another thread, because one of their statements would
 * keep the event loop to itself for seconds. Who waits while they run is decided in `sqlite-writer.ts`.
 */
import { Worker } from 'node:worker_threads'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { Queries } from './db.ts'
import { type Connections, Scope } from './queries.ts'
import type { Answer, Question } from './sqlite-bulk-thread.ts'

const THREAD = new URL('./sqlite-bulk-thread.ts', import.meta.url)

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
    const thread = this.#running()
    await thread.send('begin immediate')
    try {
      const value = await this.#runChange(new Scope(thread), change)
      await thread.send(this.#isRefusal(value) ? 'rollback' : 'commit')
      return value
    } catch (error) {
      // The connection may be gone with its thread, which takes the change back as well.
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

  /** Started with the first use, since most services never need it; a thread that ended is replaced. */
  #running(): BulkThread {
    if (!this.#thread || this.#thread.ended) this.#thread = new BulkThread(this.#file)
    return this.#thread
  }
}

type Waiting = { readonly resolve: (answer: Answer) => void; readonly reject: (error: Error) => void }

/** A connection whose statements run in the thread, one after the other in the order in which they were sent. */
class BulkThread implements DatabaseConnection {
  readonly #worker: Worker
  readonly #waiting: Waiting[] = []
  #ended: Error | undefined

  constructor(file: string) {
    this.#worker = new Worker(THREAD, { workerData: file })
    this.#worker.unref()
    this.#worker.on('message', (answer: Answer) => this.#waiting.shift()?.resolve(answer))
    this.#worker.on('error', (error: Error) => this.#end(error))
    this.#worker.on('exit', () => this.#end(new Error('the thread of bulk changes ended')))
  }

  get ended(): boolean {
    return this.#ended !== undefined
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, affected } = await this.#ask({ sql, parameters })
    return affected === undefined ? { rows: rows as R[] } : { rows: rows as R[], numAffectedRows: affected }
  }

  async send(sql: string): Promise<void> {
    await this.#ask({ sql, parameters: [] })
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    yield Promise.reject(new Error('read long lists in pages, not as a stream'))
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  async #ask(question: Question): Promise<Extract<Answer, { rows: unknown[] }>> {
    if (this.#ended) throw this.#ended
    const answer = await new Promise<Answer>((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#worker.postMessage(question)
    })
    if ('failure' in answer) throw Object.assign(new Error(answer.failure), answer.codes)
    return answer
  }

  #end(error: Error): void {
    this.#ended ??= error
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }
}
