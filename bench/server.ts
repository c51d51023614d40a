/**
 * The service as a process: how soon it is ready, what it holds when idle, and how many users a second it reads from
 * a project of a million, beside Fastify alone answering the same bytes, and while somebody changes users.
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
/** Who ask at the same time; more are needed to keep two processes busy that wait for each other. */
const FEWEST = 32
const CLIENTS = [FEWEST, 64]
const DRIVE_S = 2
const STARTS = 3
const IDLE_MS = 2000
/** From one user that is changed to the next, so that no two of them share a page. */
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
    { name: 'start to readyz, empty store', value: median(ready), unit: 'ms', limit: '<= 3000' },
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
       insert into users (key, project_id, chat_id, note, created_at)
       select printf('%032d', i), ?, 'chat-' || i, 'a note', 0 from n`,
    )
    .run(USERS, project)
  database.close()
  const reads = await compareReads(folder)
  rmSync(folder, { recursive: true })
  return describeReads('SQLite', reads)
}

/** Beside Fastify that has the bare driver read the row, too: its driver alone costs more than Fastify. */
async function measurePostgresRead(): Promise<Row[]> {
  const server = await startPostgres()
  const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-bench-'))
  const project = await createProject(folder, server.url)
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(
    `insert into users (key, project_id, chat_id, note, created_at)
     select lpad(i::text, 32, '0'), $2, 'chat-' || i, 'a note', 0 from generate_series(1, $1::int) i`,
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

/**
 * Answered requests a second, as medians of rounds in turn; `asking` is Fastify with the driver of PostgreSQL,
 * `besideWriter` the service while somebody makes so many `changes` a second.
 */
type Reads = {
  readonly note: string
  readonly of: readonly Compared[]
  readonly besideWriter: number
  readonly changes: number
}
type Compared = {
  readonly clients: number
  readonly service: number
  readonly alone: number
  readonly asking: number | undefined
}

async function compareReads(folder: string, databaseUrl?: string): Promise<Reads> {
  const served = await serve(folder, settingsOf(databaseUrl))
  const headers = { token: ADMIN_KEY }
  const text = await (await fetch(`${served.url}/users/${userKey(1)}`, { headers })).text()
  const bare = await startBare(text)
  const asking = databaseUrl === undefined ? undefined : await startBare(text, databaseUrl)
  const all = [served, bare, ...(asking ? [asking] : [])]
  const urls = all.map(({ url }) => url)
  // Both compile what they run while they run it.
  for (const url of urls) await drive(url, FEWEST)
  const of: Compared[] = []
  for (const clients of CLIENTS) of.push(await compare(urls, clients))
  const writing = await driveBesideWriter(served.url)
  for (const one of all) await one.stop()
  return { of, ...writing, note: `${text.length} bytes, ${USERS.toLocaleString('en')} users` }
}

async function compare(urls: readonly string[], clients: number): Promise<Compared> {
  const rates = urls.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [i, url] of urls.entries()) rates[i]?.push(await drive(url, clients))
  }
  const [service = Number.NaN, alone = Number.NaN, asking] = rates.map(median)
  return { clients, service, alone, asking }
}

/** Somebody changes one user after the other, each when the change before is acknowledged. */
async function driveBesideWriter(url: string): Promise<Pick<Reads, 'besideWriter' | 'changes'>> {
  const headers = { token: ADMIN_KEY, 'content-type': 'application/json' }
  const rates: number[] = []
  const changes: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const state = { isOver: false, changes: 0 }
    const driven = drive(url, FEWEST).finally(() => {
      state.isOver = true
    })
    const start = performance.now()
    while (!state.isOver) {
      const body = JSON.stringify({ note: `note ${state.changes}` })
      const user = userKey(((state.changes * STRIDE) % USERS) + 1)
      const answer = await fetch(`${url}/users/${user}/edit`, { method: 'POST', headers, body })
      if (!answer.ok) throw new Error(await answer.text())
      await answer.text()
      state.changes += 1
    }
    changes.push((state.changes * 1000) / (performance.now() - start))
    rates.push(await driven)
  }
  return { besideWriter: median(rates), changes: median(changes) }
}

function describeReads(engine: string, { of, note, besideWriter, changes }: Reads): Row[] {
  return [
    ...of.flatMap((compared) => describeCompared(`${engine}, ${compared.clients} clients`, compared, note)),
    {
      name: `${engine}, ${FEWEST} clients: GET /users/:user_key while one writes`,
      value: besideWriter,
      unit: 'req/s',
      note: `${Math.round(changes)} changes a second`,
    },
  ]
}

function describeCompared(name: string, { service, alone, asking }: Compared, note: string): Row[] {
  const rows: Row[] = [
    { name: `${name}: GET /users/:user_key`, value: service, unit: 'req/s', note },
    { name: 'Fastify alone, same bytes', value: alone, unit: 'req/s' },
    { name: `${name}: beside Fastify alone`, value: service / alone, unit: '', limit: '>= 0.6' },
  ]
  if (asking === undefined) return rows
  return [
    ...rows,
    { name: 'Fastify with the bare driver of PostgreSQL', value: asking, unit: 'req/s' },
    { name: `${name}: beside Fastify with the bare driver`, value: service / asking, unit: '' },
  ]
}

async function startBare(
  text: string,
  databaseUrl?: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const asking = databaseUrl === undefined ? [] : ['0', databaseUrl]
  const child = spawn(process.execPath, [path.join(ROOT, 'bench/bare-fastify.ts'), text, ...asking], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  return { url: String(line).trim(), stop: () => stop(child) }
}

/**
 * Answered requests a second for so many who ask, each again when he has his answer. They are written in C: they share two
 * processors with what they ask, and a client in Node takes half as much again of them (decision 34).
 */
async function drive(url: string, connections: number): Promise<number> {
  const script = path.join(ROOT, 'bench/users.lua')
  const args = ['-t1', `-c${connections}`, `-d${DRIVE_S}`, '-s', script, url, '--', ADMIN_KEY, String(USERS)]
  const { stdout } = await promisify(execFile)('wrk', args)
  const rate = Number(stdout.trim().split('\n').at(-1))
  if (Number.isNaN(rate)) throw new Error(stdout)
  return rate
}

/** One project, whose users are written past the service: what is measured is reading. */
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
