/**
 * A connection that only reads. Its statements see one state of the file until this process changes it, or for some
 * milliseconds, because asking for the newest one costs half of a point read; what was read and has not changed since is
 * kept beside it.
 */
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { Unchanged } from './db.ts'
import { Kept } from './kept.ts'
import type { SingleStatement, Singles } from './queries.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

export class SqliteReader implements DatabaseConnection, Singles, Unchanged {
  readonly #connection: SqliteConnection
  readonly #sharedMs: number
  readonly #kept = new Kept()
  #version: unknown
  #isOpen = false
  #timer: NodeJS.Timeout | undefined

  /** What other processes change is seen `sharedMs` later at most; with 0, by the next turn of the event loop. */
  constructor(connection: SqliteConnection, sharedMs: number) {
    this.#connection = connection
    this.#sharedMs = sharedMs
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.#open()
    return this.#connection.executeQuery(query)
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    yield* this.#connection.streamQuery<R>()
  }

  first({ sql }: SingleStatement, parameters: readonly unknown[]): unknown {
    this.#open()
    return this.#connection.first(sql, parameters) ?? null
  }

  find<T extends object>(name: string, read: () => Promise<T | undefined>): T | Promise<T | undefined> {
    this.#open()
    return this.#kept.find(name, read)
  }

  /** The next statement sees what was committed until then. */
  renew(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    clearTimeout(this.#timer)
    this.#connection.run('commit')
  }

  #open(): void {
    if (this.#isOpen) return
    this.#connection.run('begin')
    this.#isOpen = true
    if (this.#sharedMs === 0) setImmediate(() => this.renew())
    else this.#timer = setTimeout(() => this.renew(), this.#sharedMs)
    const version = this.#connection.value('pragma data_version')
    if (version === this.#version) return
    this.#version = version
    this.#kept.forget()
  }
}
