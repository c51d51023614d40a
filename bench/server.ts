/**
 * Measures the server as a process: the time until it is ready, its memory when idle, and how many users per
 * second it can read from a project with one million users. On SQLite, the baseline is plain Fastify. On
 * PostgreSQL, the baseline is a Fastify route that makes one query through the bare driver's pool. The server
 * and its baseline send the same bytes.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { startPostgres } from '../packages/server/test/postgres.ts'
import type { Row } from './row.ts'
import { ADMIN_KEY, median, residentBytes, serve, stop } from './served.ts'

const ROOT = path.join(import.meta.dirname, '..')
const USERS = 1_000_000
const ROUNDS = 5
const CLIENTS = 32
const DRIVE_S = 2
const STARTS = 3
const IDLE_MS = 2000
/** Number of rows between changed users, chosen so that no two of them are on the same page. */
const STRIDE = 7919
const BYTES_PER_MIB = 1_048_576

export async function bench(): Promise<Row[]> {
  return [...(await measureStart()), ...(await measureSqliteRead()), ...(await measurePostgresRead())]
}

async function measureStart(): Promise<Row[]> {
  const ready: number[] = []
  const memory: number[] = []
  for (let round = 0; round < STARTS; round += 1) {
    const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-bench-'))
    const served = await serve(folder)
    ready.push(served.readyMs)
    await wait(IDLE_MS)
    memory.push(residentBytes(served.pid) / BYTES_PER_MIB)
    await served.stop()
    rmSync(folder, { recursive: true })
  }
  return [
    { name: 'time until ready, empty database', value: median(ready), unit: 'ms', limit: '<= 3000' },
    { name: 'resident memory when idle', value: median(memory), unit: 'MiB', limit: '<= 150' },
  ]
}

async function measureSqliteRead(): Promise<Row[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-bench-'))
  const project = await createProject(folder)
  const database = new DatabaseSync(path.join(folder, 'scriptward.db'))
  database
    .prepare(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)
       insert into users (key, customer_id, project_id, chat_id, note, created_at)
       select printf('%032d', i), (select customer_id from projects), ?, 'chat-' || i, 'a note', 0 from n`,
    )
    .run(USERS, project)
  database.close()
  const reads = await compareReads(folder)
  rmSync(folder, { recursive: true })
  return describeReads('SQLite', reads)
}

async function measurePostgresRead(): Promise<Row[]> {
  const server = await startPostgres()
  const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-bench-'))
  const project = await createProject(folder, server.url)
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(
    `insert into users (key, customer_id, project_id, chat_id, note, created_at)
     select lpad(i::text, 32, '0'), (select customer_id from projects where id = $2), $2, 'chat-' || i, 'a note', 0 from generate_series(1, $1::int) i`,
    [USERS, project],
  )
  await client.query('vacuum analyze users')
  await client.query('checkpoint')
  await client.end()
  const reads = await compareReads(folder, server.url)
  await server.stop()
  rmSync(folder, { recursive: true })
  return describeReads('PostgreSQL', reads)
}

/** Requests per second. Each figure is the median of alternating rounds. */
type Reads = {
  readonly note: string
  readonly service: number
  readonly alone: number
  /** Fastify with the bare PostgreSQL driver. */
  readonly withDriver: number | undefined
  /** Requests per second of the server while one client makes `changes` changes per second. */
  readonly besideWriter: number
  readonly changes: number
}

async function compareReads(folder: string, databaseUrl?: string): Promise<Reads> {
  const served = await serve(folder, settingsOf(databaseUrl))
  const headers = { token: ADMIN_KEY }
  const text = await (await fetch(`${served.url}/users/${userKey(1)}`, { headers })).text()
  const bare = await startBare(text)
  const withDriver = databaseUrl === undefined ? undefined : await startBare(text, databaseUrl)
  const all = [served, bare, ...(withDriver ? [withDriver] : [])]
  const [service = Number.NaN, alone = Number.NaN, driver] = await compare(all.map(({ url }) => url))
  const writing = await driveBesideWriter(served.url)
  for (const one of all) await one.stop()
  const note = `${text.length} bytes, ${USERS.toLocaleString('en')} users, ${CLIENTS} clients`
  return { service, alone, withDriver: driver, ...writing, note }
}

/** The first round is not counted, because hot code is compiled in it. */
async function compare(urls: readonly string[]): Promise<number[]> {
  const rates = urls.map((): number[] => [])
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [i, url] of urls.entries()) {
      const rate = await drive(url)
      if (round >= 0) rates[i]?.push(rate)
    }
  }
  return rates.map(median)
}

/** One client changes users one at a time, and waits for each acknowledgment. */
async function driveBesideWriter(url: string): Promise<Pick<Reads, 'besideWriter' | 'changes'>> {
  const rates: number[] = []
  const changes: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const state = { isOver: false, changes: 0 }
    const driven = drive(url).finally(() => {
      state.isOver = true
    })
    const start = performance.now()
    while (!state.isOver) {
      await changeUser(url, state.changes)
      state.changes += 1
    }
    changes.push((state.changes * 1000) / (performance.now() - start))
    rates.push(await driven)
  }
  return { besideWriter: median(rates), changes: median(changes) }
}

async function changeUser(url: string, number: number): Promise<void> {
  const headers = { token: ADMIN_KEY, 'content-type': 'application/json' }
  const user = userKey(((number * STRIDE) % USERS) + 1)
  const body = JSON.stringify({ note: `note ${number}` })
  const answer = await fetch(`${url}/users/${user}/edit`, { method: 'POST', headers, body })
  if (!answer.ok) throw new Error(await answer.text())
  await answer.text()
}

function describeReads(engine: string, { note, service, alone, withDriver, ...writing }: Reads): Row[] {
  const read = `${engine}: GET /users/:user_key`
  const rows: Row[] = [
    { name: read, value: service, unit: 'req/s', note },
    { name: `${engine}: Fastify alone, same bytes`, value: alone, unit: 'req/s' },
    {
      name: `${read}, relative to Fastify alone`,
      value: service / alone,
      unit: 'x',
      ...(withDriver === undefined && { limit: '>= 0.5' }),
    },
    {
      name: `${read} while one client writes`,
      value: writing.besideWriter,
      unit: 'req/s',
      note: `${Math.round(writing.changes)} changes a second`,
    },
  ]
  return withDriver === undefined ? rows : [...rows, ...describeDriver(read, service, withDriver)]
}

function describeDriver(read: string, service: number, withDriver: number): Row[] {
  return [
    { name: 'PostgreSQL: Fastify with the bare driver', value: withDriver, unit: 'req/s' },
    {
      name: `${read}, relative to Fastify with the bare driver`,
      value: service / withDriver,
      unit: 'x',
      limit: '>= 0.9',
    },
  ]
}

async function startBare(
  text: string,
  databaseUrl?: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const driver = databaseUrl === undefined ? [] : ['0', databaseUrl]
  const child = spawn(process.execPath, [path.join(ROOT, 'bench/bare-fastify.ts'), text, ...driver], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  return { url: String(line).trim(), stop: () => stop(child) }
}

/** Returns requests per second. The clients are written in C, because they share the CPUs with the server. */
async function drive(url: string): Promise<number> {
  const script = path.join(ROOT, 'bench/users.lua')
  const args = ['-t1', `-c${CLIENTS}`, `-d${DRIVE_S}`, '-s', script, url, '--', ADMIN_KEY, String(USERS)]
  const { stdout } = await promisify(execFile)('wrk', args)
  const rate = Number(stdout.trim().split('\n').at(-1))
  if (Number.isNaN(rate)) throw new Error(stdout)
  return rate
}

/** Creates a project whose users are written directly to the database, because only reads are measured. */
async function createProject(dataDir: string, databaseUrl?: string): Promise<string> {
  const served = await serve(dataDir, settingsOf(databaseUrl))
  const headers = { token: ADMIN_KEY, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'Large' })
  const made = await fetch(`${served.url}/v1/projects/new`, { method: 'POST', headers, body })
  await served.stop()
  return ((await made.json()) as { project_id: string }).project_id
}

function settingsOf(databaseUrl: string | undefined): Record<string, string> {
  return databaseUrl === undefined ? {} : { SCRIPTWARD_DATABASE_URL: databaseUrl }
}

function userKey(index: number): string {
  return String(index).padStart(32, '0')
}
