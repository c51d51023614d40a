/**
 * Kysely over connections that `sqlite/` and `postgres/` open and close themselves: its own transactions are
 * switched off, so that `Database.transaction` is the only way to write.
 */
import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  type Driver,
  Kysely,
  PostgresDialect,
  type QueryResult,
  SqliteDialect,
} from 'kysely'

export type Connections = {
  provideConnection<T>(consumer: (connection: DatabaseConnection) => Promise<T>): Promise<T>
}

/** Everything on one connection, whose transactions the caller begins and ends. */
export function always(connection: DatabaseConnection): Connections {
  return { provideConnection: (consumer) => consumer(connection) }
}

/** A connection that runs one statement with many parameter lists cheaper than one by one. */
export type RepeatingConnection = DatabaseConnection & {
  /** How many rows each run changed. */
  countEach(sql: string, all: readonly (readonly unknown[])[]): readonly number[]
}

export function isRepeating(connection: DatabaseConnection): connection is RepeatingConnection {
  return 'countEach' in connection
}

/** A query that is run many times. */
export type NamedQuery = CompiledQuery & {
  /** The engine may cache its plan under this name. */
  readonly statement?: string
  /** Each row is the list of its values. */
  readonly asLists?: boolean
}

export const sqliteDialect: Dialect = new SqliteDialect({ database: refuse })
export const postgresDialect: Dialect = new PostgresDialect({ pool: refuse })

/** Makes Kysely instances of one engine; making one is cheap enough to have one for each transaction. */
export function queriesOf<T>(dialect: Dialect): (connections: Connections) => Kysely<T> {
  const compiler = dialect.createQueryCompiler()
  const adapter = dialect.createAdapter()
  return (connections) => {
    const executor = new Executor(compiler, adapter, connections)
    return new Kysely<T>({ config: { dialect }, dialect, driver: refusingDriver, executor })
  }
}

/**
 * Without plugins and cancellation nothing happens between a query and its connection, but the promises that Kysely makes
 * there cost as much as a point read.
 */
class Executor extends DefaultQueryExecutor {
  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.provideConnection((connection) => connection.executeQuery<R>(query))
  }
}

/**
 * The connection of one transaction while that transaction lasts. A statement that fails ends the transaction on
 * both engines, as PostgreSQL does it by itself; SQLite would go on with half of a change.
 */
export class Scope implements Connections {
  readonly #connection: DatabaseConnection
  #over = false
  #failure: { readonly error: unknown } | undefined

  constructor(connection: DatabaseConnection) {
    this.#connection = connection
  }

  async provideConnection<T>(consumer: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
    if (this.#over) throw new Error('this transaction is over: await every statement inside the transaction')
    this.assertWhole()
    try {
      return await consumer(this.#connection)
    } catch (error) {
      this.#failure ??= { error }
      throw error
    }
  }

  /** Throws what a statement threw, even when the change went on regardless. */
  assertWhole(): void {
    if (this.#failure) throw this.#failure.error
  }

  /** No statement may follow. */
  end(): void {
    this.#over = true
  }
}

const refusingDriver: Driver = {
  init: async () => {},
  acquireConnection: refuse,
  beginTransaction: refuse,
  commitTransaction: refuse,
  rollbackTransaction: refuse,
  releaseConnection: refuse,
  destroy: refuse,
}

async function refuse(): Promise<never> {
  throw new Error('use Database.transaction and Database.close')
}
