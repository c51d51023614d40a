/** Adapts one SQLite connection to Kysely. `writer.ts` decides who may write on it. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { QueryResult } from 'kysely'
import type { NamedQuery, RepeatingConnection } from '../queries.ts'

/**
 * This limit exceeds the number of statements in the server's code, because lists of varying lengths add
 * more.
 */
const MAX_CACHED_STATEMENTS = 1000

/** Caches compiled statements. Each statement runs synchronously, so no two overlap. */
export class SqliteConnection implements RepeatingConnection {
  readonly database: DatabaseSync
  readonly #statements = new Map<string, Statement>()
  /** Statements that return rows as arrays. They are all prepared statements, so their number is fixed. */
  readonly #listings = new Map<string, Statement>()

  constructor(database: DatabaseSync) {
    this.database = database
  }

  async executeQuery<R>(query: NamedQuery): Promise<QueryResult<R>> {
    const { statement, hasRows } = query.asLists ? this.#listing(query.sql) : this.#statement(query.sql)
    const parameters = query.parameters.map(toSqlite)
    if (hasRows) return { rows: statement.all(...parameters) as R[] }
    return { rows: [], numAffectedRows: BigInt(statement.run(...parameters).changes) }
  }

  countEach(sql: string, all: readonly (readonly unknown[])[]): readonly number[] {
    const { statement } = this.#statement(sql)
    return all.map((parameters) => Number(statement.run(...parameters.map(toSqlite)).changes))
  }

  /** Runs the control statements of a transaction. */
  run(sql: string): void {
    this.#statement(sql).statement.run()
  }

  /** Returns the first value of the first row. */
  value(sql: string): unknown {
    const row = this.#statement(sql).statement.get()
    return row && Object.values(row)[0]
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    yield Promise.reject(new Error('read long lists in pages, not as a stream'))
  }

  #listing(sql: string): Statement {
    const cached = this.#listings.get(sql)
    if (cached) return cached
    const statement = this.database.prepare(sql)
    statement.setReturnArrays(true)
    const made = { statement, hasRows: true }
    this.#listings.set(sql, made)
    return made
  }

  #statement(sql: string): Statement {
    const cached = this.#statements.get(sql)
    if (cached) return cached
    const statement = this.database.prepare(sql)
    const made = { statement, hasRows: statement.columns().length > 0 }
    const [oldest] = this.#statements.keys()
    if (this.#statements.size >= MAX_CACHED_STATEMENTS && oldest !== undefined)
      this.#statements.delete(oldest)
    this.#statements.set(sql, made)
    return made
  }
}

type Statement = { readonly statement: StatementSync; readonly hasRows: boolean }

/** Node binds every number as a float, which would make `7 / 2` and `1 || ''` differ from PostgreSQL. */
function toSqlite(value: unknown): SQLInputValue {
  return Number.isSafeInteger(value) ? BigInt(value as number) : (value as SQLInputValue)
}
