/**
 * The connection shared by all point reads. The driver sends each query without waiting for earlier responses
 * (pipelining). A lost connection is replaced on the next query.
 */
import type { DatabaseConnection, QueryResult } from 'kysely'
import pg from 'pg'
import { isStalePlan } from '../dialect.ts'
import type { NamedQuery } from '../queries.ts'
import { queryConfig, resultOf } from './pool.ts'
import { retried } from './retry.ts'

export class PostgresPipeline implements DatabaseConnection {
  readonly #config: pg.ClientConfig
  #opening: Promise<pg.Client> | undefined
  #waiting = 0
  #isClosed = false

  constructor(config: pg.ClientConfig) {
    this.#config = { ...config, pipeline: true }
  }

  /** Number of pending queries. */
  get waiting(): number {
    return this.#waiting
  }

  get connections(): number {
    return this.#opening === undefined ? 0 : 1
  }

  async executeQuery<R>(query: NamedQuery): Promise<QueryResult<R>> {
    this.#waiting += 1
    try {
      return await retried(() => this.#readFresh<R>(query))
    } finally {
      this.#waiting -= 1
    }
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    yield Promise.reject(new Error('read long lists in pages, not as a stream'))
  }

  /** Waits for pending queries before closing. */
  async close(): Promise<void> {
    this.#isClosed = true
    const client = await this.#opening?.catch(() => undefined)
    await client?.end()
    this.#opening = undefined
  }

  /**
   * After a table is altered, its prepared statements keep failing on a connection, so a new one is opened.
   */
  async #readFresh<R>(query: NamedQuery): Promise<QueryResult<R>> {
    const opening = this.#connected()
    try {
      return await read<R>(opening, query)
    } catch (error) {
      if (!isStalePlan(error)) throw error
      if (this.#forget(opening)) opening.then((client) => client.end()).catch(() => {})
      return await read<R>(this.#connected(), query)
    }
  }

  #connected(): Promise<pg.Client> {
    if (this.#isClosed) return Promise.reject(new Error('the database is closed'))
    this.#opening ??= this.#connect()
    return this.#opening
  }

  #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#config)
    const opening = client.connect().then(() => client)
    const forget = () => this.#forget(opening)
    client.on('error', forget).on('end', forget)
    opening.catch(forget)
    return opening
  }

  /** Returns true if the next query would have used this connection. */
  #forget(opening: Promise<pg.Client>): boolean {
    if (this.#opening !== opening) return false
    this.#opening = undefined
    return true
  }
}

async function read<R>(opening: Promise<pg.Client>, query: NamedQuery): Promise<QueryResult<R>> {
  const client = await opening
  return resultOf<R>(await client.query(queryConfig(query, query.statement)))
}
