/**
 * Single rows of PostgreSQL. Their statements are short, so all of them go over one connection, each without waiting
 * for the answer to the one before: what the driver, the system and the server do for a message is done for many at once.
 */
import type { DatabaseConnection, QueryResult } from 'kysely'
import pg from 'pg'
import type { NamedQuery } from './queries.ts'

export class PostgresPoints implements DatabaseConnection {
  readonly #config: pg.ClientConfig
  #client: Promise<pg.Client> | undefined
  #waiting = 0

  constructor(config: pg.ClientConfig) {
    this.#config = { ...config, pipeline: true }
  }

  /** Statements that have no answer yet. */
  get waiting(): number {
    return this.#waiting
  }

  get connections(): number {
    return this.#client === undefined ? 0 : 1
  }

  async executeQuery<R>({ sql: text, parameters, statement: name }: NamedQuery): Promise<QueryResult<R>> {
    this.#waiting += 1
    try {
      const client = await this.#connected()
      const query = { text, values: [...parameters] }
      const { rows } = await client.query(name === undefined ? query : { ...query, name })
      return { rows }
    } finally {
      this.#waiting -= 1
    }
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    yield Promise.reject(new Error('read long lists in pages, not as a stream'))
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined)
    await client?.end()
  }

  #connected(): Promise<pg.Client> {
    this.#client ??= this.#connect()
    return this.#client
  }

  /** Whoever asks after it has failed begins with a new one. */
  #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#config)
    const connected = client.connect().then(() => client)
    const forget = () => {
      if (this.#client === connected) this.#client = undefined
    }
    client.on('error', forget).on('end', forget)
    connected.catch(forget)
    return connected
  }
}
