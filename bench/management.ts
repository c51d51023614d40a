/**
 * Management of users in a project of a million beside one of ten thousand, on both engines: single requests, search,
 * bulk work against the bare statement, and what others wait while a million users are exported.
 */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { startPostgres } from '../packages/server/test/postgres.ts'
import { type Base, type Planted, plant, postgresBase, sqliteBase } from './management-base.ts'
import type { Row } from './row.ts'
import { ADMIN_KEY, median, residentBytes, type Served, serve } from './served.ts'

const FEW = 10_000
const MANY = 1_000_000
const ASKED = 300
const GENERATED = 5
/** Between two requests of a client that should not be delayed. */
const PAUSE_MS = 10
const BYTES_PER_MIB = 1_048_576

export async function bench(): Promise<Row[]> {
  const rows = await benchEngine('SQLite', async () => sqliteBase(), 50)
  const postgres = await startPostgres()
  try {
    return [...rows, ...(await benchEngine('PostgreSQL', () => postgresBase(postgres.url), 100))]
  } finally {
    await postgres.stop()
  }
}

async function benchEngine(engine: string, open: () => Promise<Base>, searchMs: number): Promise<Row[]> {
  const few = await plant(await open(), FEW)
  const many = await plant(await open(), MANY)
  const singles = await withService(few.base, (small) =>
    withService(many.base, (large) => measureSingles({ ...few, ...small }, { ...many, ...large })),
  )
  await few.base.remove()
  const rows = [
    ...Object.entries(singles).map(([name, pair]) => compareSingles(engine, name, { ...pair, searchMs })),
    ...(await measureExport(engine, many)),
    ...(await measureBulk(engine, many)),
    ...(await withService(many.base, (served) => measureInserts(engine, served, many))),
  ]
  await many.base.remove()
  return rows
}

/** A request about a user with this key, below an address of a service and one of its project's users. */
type Ask = (places: { readonly url: string; readonly users: string }, key: string) => Promise<unknown>

const SINGLES: Readonly<Record<string, Ask>> = {
  'read a user': ({ url }, key) => get(`${url}/users/${key}`),
  'filter by key': ({ users }, key) => get(`${users}/filter?key=${key}`),
  'edit a user': ({ url }, key) => post(`${url}/users/${key}/edit`, { note: 'edited' }),
  'blacklist a user': ({ url }, key) => post(`${url}/users/${key}/blacklist`, {}),
  'search by ten characters of a key': ({ users }, key) => get(`${users}/filter?search=${key.slice(9, 19)}`),
  'search by a word that all have': ({ users }) => get(`${users}/filter?search=Customer&limit=50`),
  'search by a number within notes': ({ users }) => get(`${users}/filter?search=number+99&limit=50`),
}

type Side = Served & Planted
/** Medians in milliseconds. */
type Pair = { readonly small: number; readonly large: number }

/** Both sizes in turn, one request after the other, so that whatever else the machine does slows both. */
async function measureSingles(small: Side, large: Side): Promise<Readonly<Record<string, Pair>>> {
  const [few, many] = [await asker(small), await asker(large)]
  const found: Record<string, Pair> = {}
  for (const [name, ask] of [['', SINGLES['read a user']] as const, ...Object.entries(SINGLES)]) {
    const times: Record<'small' | 'large', number[]> = { small: [], large: [] }
    for (let number = 0; ask && number < ASKED; number += 1) {
      times.small.push(await timed(() => few(ask, number)))
      times.large.push(await timed(() => many(ask, number)))
    }
    // The first ones only warm up.
    if (name !== '') found[name] = { small: median(times.small), large: median(times.large) }
  }
  return found
}

async function asker({
  url,
  base,
  projectId,
}: Side): Promise<(ask: Ask, number: number) => Promise<unknown>> {
  const planted = await base.query(`select key from users order by random() limit ${ASKED}`)
  const places = { url, users: `${url}/v1/projects/${projectId}/users` }
  return (ask, number) => ask(places, String(planted[number]?.key))
}

/** Both sizes of one request; `searchMs` is the bound of the engine for searches, which have one of their own. */
type Compared = Pair & { readonly searchMs: number }

function compareSingles(engine: string, name: string, { small, large, searchMs }: Compared): Row {
  const note = `at 10,000 users: ${small.toFixed(2)} ms`
  if (name.startsWith('search'))
    return { name: `${engine}: ${name}`, value: large, unit: 'ms', limit: `<= ${searchMs}`, note }
  return {
    name: `${engine}: ${name}, a million to ten thousand`,
    value: large / small,
    unit: 'x',
    limit: '<= 1.3',
    note: `${large.toFixed(2)} ms; ${note}`,
  }
}

async function measureExport(engine: string, { base, projectId }: Planted): Promise<Row[]> {
  const statement = `select * from users where project_id = '${projectId}' order by seq`
  const bareMs = await timed(() => base.drain(statement))
  const [{ key = '' } = {}] = await base.query('select key from users limit 1')
  return withService(base, async ({ url, pid }) => {
    const { ms: exportMs, waits } = await besideReader(`${url}/users/${key}`, () =>
      post(`${url}/projects/${projectId}/users/export`, { type: 'json' }),
    )
    const note = `${(exportMs / 1000).toFixed(1)} s; bare: ${(bareMs / 1000).toFixed(1)} s`
    return [
      {
        name: `${engine}: export of a million to the bare read`,
        value: exportMs / bareMs,
        unit: 'x',
        limit: '<= 2',
        note,
      },
      {
        name: `${engine}: others meanwhile, p99`,
        value: percentile(waits, 0.99),
        unit: 'ms',
        limit: '<= 300',
      },
      {
        name: `${engine}: peak resident memory`,
        value: residentBytes(pid, 'VmHWM') / BYTES_PER_MIB,
        unit: 'MiB',
        limit: '<= 300',
      },
    ]
  })
}

const UNUSED = 'executions = 0 and fingerprint_assigned = 0 and chat_id is null'
const BULK = [
  {
    path: 'compensate',
    body: { duration: 1, compensate_expired: true },
    statement: 'update users set key_expires = key_expires + 1 where key_expires is not null',
  },
  {
    path: 'resetall',
    body: {},
    statement:
      'update users set fingerprint_assigned = 0, fingerprint_display = null, last_reset = 1, total_fingerprint_resets = total_fingerprint_resets + 1 where fingerprint_assigned = 1',
  },
  { path: 'purge', body: {}, statement: `delete from users where ${UNUSED}` },
]

/** Service and bare statement each get a copy of the database; the longest wait of a reader is taken meanwhile. */
async function measureBulk(engine: string, planted: Planted): Promise<Row[]> {
  const rows: Row[] = []
  for (const { path, body, statement } of BULK) {
    const bare = await planted.base.copy()
    const bareMs = await timed(() => bare.query(statement))
    await bare.remove()
    const own = await planted.base.copy()
    const address = `/projects/${planted.projectId}/users`
    const { ms, waits } = await withService(own, ({ url }) =>
      besideReader(`${url}${address}?limit=1`, () => post(`${url}${address}/${path}`, body)),
    )
    await own.remove()
    const note = `${(ms / 1000).toFixed(1)} s; bare: ${(bareMs / 1000).toFixed(1)} s; ${describeWaits(waits)}`
    rows.push({
      name: `${engine}: ${path} of a million to the bare statement`,
      value: ms / bareMs,
      unit: 'x',
      limit: '<= 2',
      note,
    })
  }
  return rows
}

async function measureInserts(engine: string, { url }: Served, { projectId }: Planted): Promise<Row[]> {
  const users = `${url}/projects/${projectId}/users`
  // What the copies before left to be written would be waited for here.
  spawnSync('sync')
  await post(`${users}/generate`, { amount: 1000 })
  const generateMs: number[] = []
  for (let round = 0; round < GENERATED; round += 1)
    generateMs.push(await timed(() => post(`${users}/generate`, { amount: 10_000, note: 'generated' })))
  const entries = Array.from({ length: 100_000 }, (_, index) => ({
    chat_id: `chat-${index}`,
    note: `imported number ${index}`,
    auth_expire: 1_900_000_000,
    key: randomBytes(16).toString('hex'),
  }))
  const { ms: importMs, waits } = await besideReader(`${users}?limit=1`, () =>
    post(`${users}/import`, { users: entries }),
  )
  const note = describeWaits(waits)
  return [
    {
      name: `${engine}: generate 10,000 keys`,
      value: median(generateMs) / 1000,
      unit: 's',
      limit: '<= 1',
      note: `the slowest of ${GENERATED}: ${(Math.max(...generateMs) / 1000).toFixed(2)} s`,
    },
    { name: `${engine}: import 100,000 users`, value: importMs / 1000, unit: 's', limit: '<= 10', note },
  ]
}

/** How long `work` takes, and how long each read of another client takes meanwhile. */
async function besideReader(
  address: string,
  work: () => Promise<unknown>,
): Promise<{ ms: number; waits: number[] }> {
  await get(address)
  const waits: number[] = []
  let isOver = false
  const read = async () => {
    while (!isOver) {
      waits.push(await timed(() => get(address)))
      await wait(PAUSE_MS)
    }
  }
  const reader = read()
  const ms = await timed(work)
  isOver = true
  await reader
  return { ms, waits }
}

function describeWaits(waits: readonly number[]): string {
  return `a reader waited ${percentile(waits, 0.99).toFixed(0)} ms (p99), ${Math.max(...waits).toFixed(0)} ms at the most`
}

async function withService<T>(base: Base, work: (served: Served) => Promise<T>): Promise<T> {
  const served = await serve(base.dataDir, {
    ...base.settings,
    SCRIPTWARD_API_RATES: '0',
    SCRIPTWARD_LOG_LEVEL: 'error',
  })
  try {
    return await work(served)
  } finally {
    await served.stop()
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function get(url: string): Promise<number> {
  return sizeOf(fetch(url, { headers: { token: ADMIN_KEY } }))
}

function post(url: string, body: object): Promise<number> {
  const headers = { token: ADMIN_KEY, 'content-type': 'application/json' }
  return sizeOf(fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }))
}

/** Reads an answer to its end without keeping it. */
async function sizeOf(answer: Promise<Response>): Promise<number> {
  const response = await answer
  let size = 0
  for await (const chunk of response.body ?? []) size += chunk.length
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}`)
  return size
}

function percentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN
}
