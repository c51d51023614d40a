/** One connection to SQLite as Kysely wants it; who may write on it is decided elsewhere. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { CompiledQuery, QueryResult } from 'kysely'
import type { Repeating, SingleStatement } from './queries.ts'
import { type RowMaker, rowMaker, type SqlValues } from './rows.ts'

/** Statements kept compiled on a connection; the service has fewer, lists of changing length have more. */
const KEPT_STATEMENTS = 1000

/** A connection whose statements stay compiled. Every statement runs at once, so none of them can overlap. */
export class SqliteConnection implements Repeating {
  readonly database: DatabaseSync
  readonly #statements = new Map<string, Statement>()

  constructor(database: DatabaseSync) {
    this.database = database
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { statement, toRow } = this.#statement(query.sql)
    const parameters = query.parameters.map(toSqlite)
    if (toRow) return { rows: (statement.all(...parameters) as unknown as SqlValues[]).map(toRow) as R[] }
    return { rows: [], numAffectedRows: BigInt(statement.run(...parameters).changes) }
  }

  countEach({ sql }: SingleStatement, all: readonly (readonly unknown[])[]): readonly number[] {
    const { statement } = this.#statement(sql)
    return all.map((parameters) => Number(statement.run(...parameters.map(toSqlite)).changes))
  }

  /** The first row that `text` answers; undefined when there is none. */
  first(text: string, parameters: readonly unknown[]): unknown {
    const { statement, toRow } = this.#statement(text)
    const values = statement.get(...parameters.map(toSqlite)) as unknown as SqlValues | undefined
    return values && toRow?.(values)
  }

  /** For words that come again with every transaction. */
  run(text: string): void {
    this.#statement(text).statement.run()
  }

  /** The one value that `text` answers. */
  value(text: string): unknown {
    const values = this.#statement(text).statement.get() as unknown as SqlValues | undefined
    return values?.[0]
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    yield Promise.reject(new Error('read long lists in pages, not as a stream'))
  }

  #statement(text: string): Statement {
    const kept = this.#statements.get(text)
    if (kept) return kept
    const statement = this.database.prepare(text)
    const columns = statement.columns().map(({ name }) => name)
    statement.setReturnArrays(true)
    const made = { statement, toRow: columns.length > 0 ? rowMaker(columns) : undefined }
    const [oldest] = this.#statements.keys()
    if (this.#statements.size >= KEPT_STATEMENTS && oldest !== undefined) this.#statements.delete(oldest)
    this.#statements.set(text, made)
    return made
  }
}

/** A statement without `toRow` answers no rows. */
type Statement = { readonly statement: StatementSync; readonly toRow: RowMaker | undefined }

/** Node binds every number as a float, with which `7 / 2` and `1 || ''` would not be what PostgreSQL makes of it. */
function toSqlite(value: unknown): SQLInputValue {
  return Number.isSafeInteger(value) ? BigInt(value as number) : (value as SQLInputValue)
}
