/**
 * Prepared statements. Each is built and compiled once, on first use, and then run with new parameters.
 * Building a query costs several times as much as a point read on SQLite.
 */
import { type CompiledQuery, DummyDriver, Kysely, PostgresAdapter } from 'kysely'
import type { Tables } from '../schema/tables.ts'
import type { Queries } from './db.ts'
import { isRepeating, type NamedQuery, postgresDialect, sqliteDialect } from './queries.ts'
import { statementName } from './statement-names.ts'

type Value = string | number | Uint8Array | null
export type Values = Readonly<Record<string, Value>>

/** A query from the query builder or a raw `sql` query. */
type Buildable<R> = { compile(db: Queries): CompiledQuery<R> }

export type Prepared<P extends Values, R> = {
  /** All rows. */
  readonly all: (db: Queries, values: P) => Promise<R[]>
  /** The only row, or null. */
  readonly first: (db: Queries, values: P) => Promise<R | null>
  /** Number of rows affected by a change without `returning`. */
  readonly count: (db: Queries, values: P) => Promise<number>
  /**
   * Runs the change once per parameter set. Undefined on engines where a single statement for all sets is
   * faster.
   */
  readonly countEach: (db: Queries, all: readonly P[]) => Promise<readonly number[] | undefined>
}

/**
 * `build` is called when the statement is first used on an engine, with a placeholder for every parameter
 * that it uses. It may pass a parameter to the query (`where('key', '=', p.key)`, `.values({ note: p.note
 * })`), but it can't read the parameter's value. With `asLists`, a row is an array of its values.
 *
 *     const byKey = prepared((db, p: { key: string }) => db.selectFrom('users').selectAll().where('key', '=', p.key))
 *     export const findUser = (db: Queries, key: string) => byKey.first(db, { key })
 */
export function prepared<P extends Values, R>(
  build: (db: Queries, parameters: P) => Buildable<R>,
  { asLists = false }: { readonly asLists?: boolean } = {},
): Prepared<P, R> {
  // Compiling all statements for both engines would take a tenth of the startup time.
  const onSqlite = onFirstUse(() => compile(sqliteDialect, build, asLists))
  const onPostgres = onFirstUse(() => compile(postgresDialect, build, asLists))
  const on = (db: Queries) => (db.getExecutor().adapter instanceof PostgresAdapter ? onPostgres : onSqlite)()
  const run = (db: Queries, values: P) => db.executeQuery<R>(on(db).filled(values))
  return {
    all: async (db, values) => (await run(db, values)).rows,
    first: async (db, values) => (await run(db, values)).rows[0] ?? null,
    count: async (db, values) => Number((await run(db, values)).numAffectedRows ?? 0n),
    countEach: (db, all) =>
      db.getExecutor().provideConnection(async (connection) => {
        const { sql, parameters } = on(db)
        return isRepeating(connection) ? connection.countEach(sql, all.map(parameters)) : undefined
      }),
  }
}

function onFirstUse<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

class Parameter {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  [Symbol.toPrimitive](): never {
    throw new Error(`the parameter "${this.name}" of a prepared statement has no value while it is built`)
  }
}

/** Provides a placeholder for every name, so that parameters are declared only in their type. */
const parameters = new Proxy({}, { get: (_, name) => new Parameter(String(name)) })

/** A query compiled for one engine, without parameter values. */
type Compiled<P, R> = {
  readonly sql: string
  readonly parameters: (values: P) => readonly unknown[]
  readonly filled: (values: P) => CompiledQuery<R>
}

function compile<P extends Values, R>(
  dialect: typeof sqliteDialect,
  build: (db: Queries, parameters: P) => Buildable<R>,
  asLists: boolean,
): Compiled<P, R> {
  const db = new Kysely<Tables>({ dialect: { ...bound(dialect), createDriver: () => new DummyDriver() } })
  const query = build(db, parameters as P).compile(db)
  const statement = statementName(query.sql)
  const slots = query.parameters
  const parametersOf = (values: P) =>
    slots.map((slot) => (slot instanceof Parameter ? values[slot.name] : slot))
  const filled = (values: P) => {
    const named: NamedQuery = { ...query, parameters: parametersOf(values), statement, asLists }
    return named as CompiledQuery<R>
  }
  return { sql: query.sql, parameters: parametersOf, filled }
}

function bound(dialect: typeof sqliteDialect) {
  return {
    createAdapter: () => dialect.createAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db: Kysely<unknown>) => dialect.createIntrospector(db),
  }
}
