/**
 * Runs Kysely on connections that `sqlite/` and `postgres/` open and close themselves. Kysely's own
 * transactions are disabled, so that `Database.transaction` is the only way to write.
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

/** Runs everything on one connection. The caller begins and ends the transactions. */
export function always(connection: DatabaseConnection): Connections {
  return { provideConnection: (consumer) => consumer(connection) }
}

/** A connection that can run one statement with many parameter lists, which costs less than separate runs. */
export type RepeatingConnection = DatabaseConnection & {
  /** Returns how many rows each run changed. */
  countEach(sql: string, all: readonly (readonly unknown[])[]): readonly number[]
}

export function isRepeating(connection: DatabaseConnection): connection is RepeatingConnection {
  return 'countEach' in connection
}

/** A query that runs many times. */
export type NamedQuery = CompiledQuery & {
  /** The engine may cache its plan under this name. */
  readonly statement?: string
  /** Whether each row is returned as an array of its values. */
  readonly asLists?: boolean
}

export const sqliteDialect: Dialect = new SqliteDialect({ database: refuse })
export const postgresDialect: Dialect = new PostgresDialect({ pool: refuse })

/** Creates Kysely instances for one engine. They are cheap enough to create one per transaction. */
export function queriesOf<T>(dialect: Dialect): (connections: Connections) => Kysely<T> {
  const compiler = dialect.createQueryCompiler()
  const adapter = dialect.createAdapter()
  return (connections) => {
    const executor = new Executor(compiler, adapter, connections)
    return new Kysely<T>({ config: { dialect }, dialect, driver: refusingDriver, executor })
  }
}

/**
 * Skips Kysely's plugins and cancellation, which are unused here. The promises that Kysely creates for them
 * cost as much as a point read.
 */
class Executor extends DefaultQueryExecutor {
  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.provideConnection((connection) => connection.executeQuery<R>(query))
  }
}

/**
 * The connection that a transaction uses while it runs. On both engines, a failed statement aborts the
 * transaction. PostgreSQL does this natively, whereas SQLite would continue with half of the change.
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

  /** Rethrows a failed statement's error, even if the change ignored it. */
  assertWhole(): void {
    if (this.#failure) throw this.#failure.error
  }

  /** Rejects all further statements. */
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
