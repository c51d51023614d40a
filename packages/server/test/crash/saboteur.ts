/**
 * Deliberately breaks the database's guarantees. Runs the real server on a real database in a separate
 * process, and makes it either respond before it commits, or commit every statement separately. The violation
 * is invisible until the process is killed.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { pino } from 'pino'
import { Refused } from '../../src/api/refusals.ts'
import { readConfig } from '../../src/config/config.ts'
import type { Database, Queries, RowCache } from '../../src/database/engine/db.ts'
import { dialectOf } from '../../src/database/engine/dialect.ts'
import { postgresDialect, queriesOf, sqliteDialect } from '../../src/database/engine/queries.ts'
import type { Tables } from '../../src/database/schema/tables.ts'
import { endpoints } from '../../src/endpoints.ts'
import { createFirstAdmin } from '../../src/features/accounts/customers.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { openDeps } from '../../src/open-deps.ts'
import type { Sabotage } from './child.ts'

/** Delay between a response and its commit. */
const LATE_MS = 30
/** Delay between two statements of one change. */
const PAUSE_MS = 3

type Change<T> = (tx: Queries) => Promise<T>

const SABOTAGES: Readonly<Record<Sabotage, (db: Database) => Database>> = {
  'answers before it commits': answerEarly,
  'commits every statement': commitPiecemeal,
}

/** Runs one change at a time, so that atomicity is the only missing guarantee. */
function commitPiecemeal(db: Database): Database {
  let last: Promise<unknown> = Promise.resolve()
  const tx = on(db, async (query) => {
    await setTimeout(PAUSE_MS)
    return db.transaction((one) => one.executeQuery(query))
  })
  const change = <T>(change: Change<T>): Promise<T> => {
    const done = last.then(() => change(tx))
    last = done.catch(() => {})
    return done
  }
  return { ...db, transaction: change, bulk: change }
}

/** Reads wait for the late commits, so that every client sees its acknowledged changes. */
function answerEarly(db: Database): Database {
  const late = new Set<Promise<unknown>>()
  const read = on(db, async (query) => {
    await Promise.allSettled(late)
    return db.read.executeQuery(query)
  })
  const change = <T>(change: Change<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      // Runs as a bulk change, because bulk changes may be slow on both engines.
      const done = db.bulk(async (tx) => {
        const value = await change(tx)
        resolve(value)
        if (!(value instanceof Refused)) await setTimeout(LATE_MS)
        return value
      })
      late.add(done)
      done.catch(reject).finally(() => late.delete(done))
    })
  const cache: RowCache = { find: (_, look) => look() }
  return { ...db, read, readPoint: read, cache, transaction: change, bulk: change }
}

type Run = (query: CompiledQuery) => Promise<QueryResult<unknown>>

/** Returns queries in the database's dialect, executed by `run`. */
function on(db: Database, run: Run): Queries {
  const connection: DatabaseConnection = {
    executeQuery: (query) => run(query) as never,
    async *streamQuery() {
      yield Promise.reject(new Error('read long lists in pages, not as a stream'))
    },
  }
  const dialect = dialectOf(db.read).rowLocks ? postgresDialect : sqliteDialect
  return queriesOf<Tables>(dialect)({ provideConnection: (consumer) => consumer(connection) })
}

const log = pino({ level: 'error' }, pino.destination(2))
const opened = await openDeps(readConfig(process.env), { now: Date.now, random: randomBytes, log })
await createFirstAdmin(opened.deps)
const db = SABOTAGES[process.argv[2] as Sabotage](opened.deps.db)
const deps = { ...opened.deps, db, unauditedDb: db }
const server = createHttpServer(deps, { endpoints, pages: [] }, log)
process.stdout.write(`the saboteur listens on ${await server.listen()}\n`)
process.once('SIGTERM', () => void server.close().then(opened.close))
