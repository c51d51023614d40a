/**
 * Measures the cost of a long execution log: the time that an execution and list requests take when the log
 * has ten million rows. The execution time is compared with the time on a server with an empty log.
 * `LOG_ROWS` sets the number of rows.
 */
import { startPostgres } from '../packages/server/test/postgres.ts'
import { checkOne, post, prepare, ROUNDS, type Server, startServer } from './execution.ts'
import type { Row } from './row.ts'
import { ADMIN_KEY, median } from './served.ts'

const ROWS = Number(process.env.LOG_ROWS ?? 10_000_000)
const LISTS = 9
const LOG = '/v1/projects/prj_bench/executions/log'
const LISTED = [
  ['time', '', '<= 300'],
  ['outcome and old version', 'script_id=scr_bench&version=3&outcome=crashed', '<= 500'],
  ['outcome', 'outcome=denied', '<= 500'],
  ['customer', 'user_key=key-20000', '<= 500'],
  ['unused executor', 'executor=nobody', '<= 500'],
] as const

export async function bench(): Promise<Row[]> {
  return [...(await measure('SQLite')), ...(await onPostgres())]
}

async function onPostgres(): Promise<Row[]> {
  const databases = [await startPostgres(), await startPostgres()] as const
  try {
    return await measure('PostgreSQL', databases)
  } finally {
    for (const { stop } of databases) await stop()
  }
}

type Databases = readonly [empty: { readonly url: string }, full: { readonly url: string }]

async function measure(engine: string, databases?: Databases): Promise<Row[]> {
  const [empty, full] = databases?.map(({ url }) => ({ BENCH_DATABASE_URL: url })) ?? []
  const short = await startServer('service', 0, empty)
  const long = await startServer('logged', ROWS, full)
  try {
    return [await compare(engine, short, long), ...(await measureLists(engine, long))]
  } finally {
    short.end()
    long.end()
  }
}

/**
 * Alternates between the servers. The first rounds are not counted, because hot code is compiled in them.
 * Returns the medians of single executions, because other processes delay some of them.
 */
async function compare(engine: string, short: Server, long: Server): Promise<Row> {
  for (const server of [short, long]) await checkOne(server)
  const [atEmpty, atFull]: [number[], number[]] = [[], []]
  for (let round = -3; round < ROUNDS; round++) {
    const times = [await timeExecutions(short), await timeExecutions(long)] as const
    if (round < 0) continue
    atEmpty.push(...times[0])
    atFull.push(...times[1])
  }
  return {
    name: `log: one execution with ${ROWS} rows on ${engine}, relative to one with none`,
    value: median(atFull) / median(atEmpty),
    unit: 'x',
    limit: '<= 1.05',
    note: `medians ${median(atFull).toFixed(2)} and ${median(atEmpty).toFixed(2)} ms of ${atFull.length} in turns`,
  }
}

/** Runs the executions one after another, and returns the duration of each in milliseconds. */
async function timeExecutions(server: Server): Promise<number[]> {
  const times: number[] = []
  for (const { body } of await prepare(server)) {
    const start = performance.now()
    await post(server.url, body)
    times.push(performance.now() - start)
  }
  return times
}

async function measureLists(engine: string, { url }: Server): Promise<Row[]> {
  const rows: Row[] = []
  for (const [what, query, limit] of LISTED) {
    const times: number[] = []
    for (let i = 0; i < LISTS; i++) times.push(await timeList(`${url}${LOG}?${query}`))
    const name = `log: list by ${what}, ${engine}`
    rows.push({
      name,
      value: median(times),
      unit: 'ms',
      limit,
      note: `the first took ${times[0]?.toFixed(0)}`,
    })
  }
  return rows
}

async function timeList(url: string): Promise<number> {
  const start = performance.now()
  const response = await fetch(url, { headers: { authorization: `Bearer ${ADMIN_KEY}` } })
  if (response.status !== 200) throw new Error(`the list was answered with ${response.status}`)
  await response.text()
  return performance.now() - start
}
