/**
 * Measures the server's CPU time for one execution of a script with channels, a running release, executor
 * rules and error reports, compared with an execution of a plain script on the same server.
 */
import { ERRORS_LOADER_BUILD } from '../packages/client/src/live-messages.ts'
import { startPostgres } from '../packages/server/test/postgres.ts'
import { checkOne, cost, post, prepare, type Server, startServer } from './execution.ts'
import type { Row } from './row.ts'
import { median } from './served.ts'

/** The limit is tight, so there are more rounds than for other ratios. */
const ROUNDS = 15
/** The server requests error reports only from loaders with at least this build number. */
const LOADER = { lb: ERRORS_LOADER_BUILD }

export async function bench(): Promise<Row[]> {
  const onSqlite = await withServer((server) => measure('SQLite', server))
  const { url, stop } = await startPostgres()
  try {
    return [onSqlite, await withServer((server) => measure('PostgreSQL', server), url)]
  } finally {
    await stop()
  }
}

async function withServer(measureIt: (server: Server) => Promise<Row>, url?: string): Promise<Row> {
  const server = await startServer('service', 0, url === undefined ? {} : { BENCH_DATABASE_URL: url })
  try {
    return await measureIt(server)
  } finally {
    server.end()
  }
}

/** The first rounds are not counted, because hot code is compiled in them. */
async function measure(engine: string, server: Server): Promise<Row> {
  const scripts = [{ ...server, scriptId: server.stagedId }, server] as const
  for (const each of scripts) await checkOne(each, LOADER)
  const [staged, plain]: [number[], number[]] = [[], []]
  for (let round = -3; round < ROUNDS; round++) {
    const costs = [await costOf(scripts[0]), await costOf(scripts[1])] as const
    if (round < 0) continue
    staged.push(costs[0])
    plain.push(costs[1])
  }
  return {
    name: `${engine}: one execution of a script with channels, a release, executor rules and error reports, relative to a plain one`,
    value: median(staged) / median(plain),
    unit: 'x',
    limit: '<= 1.05',
    note: `medians of ${ROUNDS} rounds in turns, ${median(staged).toFixed(2)} and ${median(plain).toFixed(2)} ms`,
  }
}

async function costOf(server: Server): Promise<number> {
  const requests = await prepare(server, LOADER)
  return cost(server, (i) => post(server.url, requests[i]?.body ?? ''))
}
