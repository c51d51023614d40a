/**
 * The reading connection. Its statements share one snapshot until this process commits, but for no more than
 * a few milliseconds. Starting a new snapshot costs half as much as a point read. Values read from an
 * unchanged file are also cached.
 */
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { RowCache } from '../db.ts'
import { SnapshotCache } from '../snapshot-cache.ts'
import type { SqliteConnection } from './connection.ts'

/** Maximum delay until a reader sees commits by other processes. */
const MAX_SNAPSHOT_MS = 5

export class SqliteReader implements DatabaseConnection, RowCache {
  readonly #connection: SqliteConnection
  readonly #cache = new SnapshotCache()
  #version: unknown
  #isOpen = false
  #timer: NodeJS.Timeout | undefined

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.#beginSnapshot()
    return this.#connection.executeQuery(query)
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    yield* this.#connection.streamQuery<R>()
  }

  async find<T extends object>(name: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    this.#beginSnapshot()
    return this.#cache.find(name, read)
  }

  /** Makes the next statement see everything committed before it. */
  endSnapshot(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    clearTimeout(this.#timer)
    this.#connection.run('commit')
  }

  #beginSnapshot(): void {
    if (this.#isOpen) return
    this.#connection.run('begin')
    this.#isOpen = true
    this.#timer = setTimeout(() => this.endSnapshot(), MAX_SNAPSHOT_MS)
    const version = this.#connection.value('pragma data_version')
    if (version === this.#version) return
    this.#version = version
    this.#cache.clear()
  }
}
