/**
 * Single rows of PostgreSQL. Their statements are short, so all of them go over one connection, each without waiting
 * for the answer to the one before; and what many ask in the same turn with the same words is asked once for all of them,
 * since a question and its answer cost the driver and the server many times what finding the row does.
 */
import type { DatabaseConnection, QueryResult } from 'kysely'
import { isOfValues } from './dialect.ts'
import { type Asker, Collected, TogetherQuestion, typesOf } from './postgres-collected.ts'
import { type LineConfig, PostgresLine, type Question } from './postgres-line.ts'
import type { Fields, RowReader } from './postgres-rows.ts'
import type { NamedQuery, SingleStatement, Singles } from './queries.ts'

/** Rows that one statement looks for: the server finds the first ones while the others are being asked for. */
const MOST_TOGETHER = 8

type Parameters = readonly unknown[]
type Row = object | null
/** Those who ask by one statement, and have not been asked for. */
type Group = { readonly statement: SingleStatement; readonly collected: Collected; askers: Asker[] }

export class PostgresPoints implements DatabaseConnection, Singles {
  readonly #config: LineConfig
  readonly #groups = new Map<SingleStatement, Group>()
  #gathering: Group[] = []
  #opening: Promise<PostgresLine> | undefined
  /** Once it is open. */
  #line: PostgresLine | undefined
  /** Who waits for the connection to be open. */
  #early = 0
  #isClosed = false

  constructor(config: LineConfig) {
    this.#config = config
  }

  /** Questions that have no answer yet. */
  get waiting(): number {
    return this.#early + (this.#line?.waiting ?? 0)
  }

  get connections(): number {
    return this.#opening === undefined ? 0 : 1
  }

  executeQuery<R>({ sql, statement: name, parameters }: NamedQuery): Promise<QueryResult<R>> {
    if (this.#isClosed) return Promise.reject(closed())
    return new Promise((resolve, reject) => {
      const all = (rows: readonly object[]) => resolve({ rows: rows as R[] })
      this.#ask(new LoneQuestion({ sql, name, parameters, resolve: all, reject }))
    })
  }

  first(statement: SingleStatement, parameters: Parameters): Promise<Row> {
    if (this.#isClosed) return Promise.reject(closed())
    return new Promise((resolve, reject) => {
      const asker = { parameters, resolve, reject }
      const group = this.#groupOf(statement, parameters)
      if (group === undefined) this.#askFor(statement, asker)
      else this.#gather(group, asker)
    })
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    yield Promise.reject(new Error('read long lists in pages, not as a stream'))
  }

  /** Answers what was asked, and nothing afterwards. */
  async close(): Promise<void> {
    this.#askGathered()
    this.#isClosed = true
    const line = await this.#opening?.catch(() => undefined)
    await line?.close()
  }

  /** There are as many as the service is written with; the first who asks decides on the types. */
  #groupOf(statement: SingleStatement, parameters: Parameters): Group | undefined {
    const known = this.#groups.get(statement)
    if (known !== undefined) return known.collected.fits(parameters) ? known : undefined
    const types = typesOf(parameters)
    if (types === undefined) return undefined
    const group: Group = { statement, collected: new Collected(statement.sql, types), askers: [] }
    this.#groups.set(statement, group)
    return group
  }

  #gather(group: Group, asker: Asker): void {
    if (group.askers.length === 0 && this.#gathering.push(group) === 1)
      setImmediate(() => this.#askGathered())
    if (group.askers.push(asker) >= MOST_TOGETHER) this.#askGroup(group)
  }

  #askGathered(): void {
    const gathering = this.#gathering
    this.#gathering = []
    for (const group of gathering) this.#askGroup(group)
  }

  #askGroup(group: Group): void {
    const { statement, askers } = group
    const [first] = askers
    if (first === undefined) return
    group.askers = []
    const failed = (error: unknown) => this.#failed(statement, askers, error)
    if (askers.length === 1) this.#askFor(statement, first)
    else this.#ask(new TogetherQuestion(group.collected, askers, failed))
  }

  /** Values that a statement fails for are the fault of one who asks, and his failure alone. */
  #failed(statement: SingleStatement, askers: readonly Asker[], error: unknown): void {
    for (const asker of askers) {
      if (isOfValues(error)) this.#askFor(statement, asker)
      else asker.reject(error)
    }
  }

  #askFor({ sql, statement: name }: SingleStatement, { parameters, resolve, reject }: Asker): void {
    this.#ask(new LoneQuestion({ sql, name, parameters, resolve: ([row]) => resolve(row ?? null), reject }))
  }

  #ask(question: Question): void {
    if (this.#line !== undefined) this.#line.ask(question)
    else void this.#askLater(question)
  }

  async #askLater(question: Question): Promise<void> {
    this.#early += question.askers
    try {
      const line = await this.#connected()
      line.ask(question)
    } catch (error) {
      question.failed(error)
    } finally {
      this.#early -= question.askers
    }
  }

  #connected(): Promise<PostgresLine> {
    if (this.#isClosed) return Promise.reject(closed())
    this.#opening ??= this.#connect()
    return this.#opening
  }

  /** Whoever asks after it has failed begins with a new one. */
  #connect(): Promise<PostgresLine> {
    const forget = () => {
      if (this.#opening !== opening) return
      this.#opening = undefined
      this.#line = undefined
    }
    const opening = PostgresLine.open(this.#config, forget).then((line) => {
      if (this.#opening === opening) this.#line = line
      return line
    })
    opening.catch(forget)
    return opening
  }
}

function closed(): Error {
  return new Error('the database is closed')
}

type Lone = {
  readonly sql: string
  readonly name: string | undefined
  readonly parameters: Parameters
  readonly resolve: (rows: readonly object[]) => void
  readonly reject: (error: unknown) => void
}

/** Finds all rows of a statement, for one who asks. */
class LoneQuestion implements Question {
  readonly sql: string
  readonly name: string | undefined
  readonly values: readonly (string | Buffer | null)[]
  readonly ownColumns = 0
  readonly askers = 1
  readonly #lone: Lone
  readonly #rows: object[] = []

  constructor(lone: Lone) {
    this.sql = lone.sql
    this.name = lone.name
    this.values = lone.parameters.map(boundValue)
    this.#lone = lone
  }

  row(fields: Fields, read: RowReader): void {
    this.#rows.push(read(fields))
  }

  done(): void {
    this.#lone.resolve(this.#rows)
  }

  failed(error: unknown): void {
    this.#lone.reject(error)
  }
}

/** Throws a TypeError for what is no value. */
function boundValue(parameter: unknown): string | Buffer | null {
  if (parameter === null || parameter === undefined) return null
  if (parameter instanceof Uint8Array) return Buffer.from(parameter)
  if (typeof parameter === 'object' || typeof parameter === 'function' || typeof parameter === 'symbol')
    throw new TypeError(`no parameter of a statement: ${typeof parameter}`)
  return String(parameter)
}
