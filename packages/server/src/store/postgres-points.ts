/**
 * Single rows of PostgreSQL. Their statements are short, so all of them go over one connection, each without waiting
 * for the answer to the one before; and what many ask in the same turn with the same words is asked once for all of them,
 * since a question and its answer cost the driver and the server many times what finding the row does.
 */
import DataLoader from 'dataloader'
import type { DatabaseConnection, QueryResult } from 'kysely'
import pg from 'pg'
import { isOfValues } from './dialect.ts'
import { Collected, typesOf } from './postgres-collected.ts'
import type { NamedQuery, SingleStatement, Singles } from './queries.ts'

/** Rows that one statement looks for: the server finds the first ones while the others are being asked for. */
const MOST_TOGETHER = 16

type Parameters = readonly unknown[]
type Row = object | undefined
type Statement = Pick<NamedQuery, 'sql' | 'statement'>
/** Finds the rows of one statement for each who asks, with parameters of these types. */
type Together = { readonly types: string; readonly loader: DataLoader<Parameters, Row> }

export class PostgresPoints implements DatabaseConnection, Singles {
  readonly #config: pg.ClientConfig
  readonly #together = new Map<SingleStatement, Together>()
  #client: Promise<pg.Client> | undefined
  #waiting = 0
  #isClosed = false

  constructor(config: pg.ClientConfig) {
    this.#config = { ...config, pipeline: true }
  }

  /** Questions that have no answer yet. */
  get waiting(): number {
    return this.#waiting
  }

  get connections(): number {
    return this.#client === undefined ? 0 : 1
  }

  async executeQuery<R>(query: NamedQuery): Promise<QueryResult<R>> {
    return { rows: (await this.#counted(this.#ask(query, query.parameters))) as R[] }
  }

  first(statement: SingleStatement, parameters: Parameters): Promise<Row> {
    const types = typesOf(parameters)
    const together = types === undefined ? undefined : this.#togetherOf(statement, types)
    const isAlike = together !== undefined && together.types === types?.join()
    return this.#counted(isAlike ? together.loader.load(parameters) : this.#askOne(statement, parameters))
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    yield Promise.reject(new Error('read long lists in pages, not as a stream'))
  }

  /** Answers what was asked, and nothing afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true
    const client = await this.#client?.catch(() => undefined)
    await client?.end()
  }

  async #counted<T>(answer: Promise<T>): Promise<T> {
    this.#waiting += 1
    try {
      return await answer
    } finally {
      this.#waiting -= 1
    }
  }

  async #ask({ sql: text, statement: name }: Statement, parameters: Parameters): Promise<object[]> {
    const client = await this.#connected()
    const query = { text, values: [...parameters] }
    const { rows } = await client.query(name === undefined ? query : { ...query, name })
    return rows
  }

  async #askOne(statement: SingleStatement, parameters: Parameters): Promise<Row> {
    return (await this.#ask(statement, parameters))[0]
  }

  /** There are as many as the service is written with; the first who asks decides on the types. */
  #togetherOf(statement: SingleStatement, types: readonly string[]): Together {
    const known = this.#together.get(statement)
    if (known !== undefined) return known
    const collected = new Collected(statement.sql, types)
    const loader = new DataLoader<Parameters, Row>((all) => this.#load(statement, collected, all), {
      cache: false,
      maxBatchSize: MOST_TOGETHER,
      batchScheduleFn: (load) => setImmediate(load),
    })
    const together = { types: types.join(), loader }
    this.#together.set(statement, together)
    return together
  }

  /** Values that the statement fails for are the fault of one who asks, and his failure alone. */
  async #load(
    statement: SingleStatement,
    collected: Collected,
    all: readonly Parameters[],
  ): Promise<(Row | Error)[]> {
    const [first = []] = all
    if (all.length === 1) return [await this.#askOne(statement, first)]
    try {
      const client = await this.#connected()
      return collected.rows(await client.query(collected.query(all)), all.length)
    } catch (error) {
      if (!isOfValues(error)) throw error
      return Promise.all(all.map((one) => this.#askOne(statement, one).catch((reason: Error) => reason)))
    }
  }

  #connected(): Promise<pg.Client> {
    if (this.#isClosed) return Promise.reject(new Error('the database is closed'))
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
