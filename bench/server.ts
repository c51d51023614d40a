/**
 * The service as a process: how soon it is ready, what it holds when idle, and how many users a second it reads from
 * a project of a million, beside Fastify alone answering the same bytes.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Row } from './row.ts'
import { ADMIN_KEY, median, residentBytes, serve, stop } from './served.ts'

const ROOT = path.join(import.meta.dirname, '..')
const USERS = 1_000_000
const ROUNDS = 5
const STARTS = 3
const IDLE_MS = 2000
const BYTES_PER_MIB = 1_048_576

export async function bench(): Promise<Row[]> {
  return [...(await measureStart()), ...(await measurePointRead())]
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

async function measurePointRead(): Promise<Row[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-bench-'))
  await plantUsers(folder)
  const served = await serve(folder)
  const text = await (
    await fetch(`${served.url}/users/${userKey(1)}`, { headers: { token: ADMIN_KEY } })
  ).text()
  const bare = await startBare(text)
  const rates: Record<'bare' | 'service', number[]> = { bare: [], service: [] }
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.bare.push(await drive(bare.url))
    rates.service.push(await drive(served.url))
  }
  await served.stop()
  await bare.stop()
  rmSync(folder, { recursive: true })
  const service = median(rates.service)
  const alone = median(rates.bare)
  const note = `${text.length} bytes, ${USERS.toLocaleString('en')} users, SQLite`
  return [
    { name: 'GET /users/:user_key', value: service, unit: 'req/s', note },
    { name: 'Fastify alone, same bytes', value: alone, unit: 'req/s' },
    { name: 'GET /users/:user_key beside Fastify alone', value: service / alone, unit: '', limit: '>= 0.6' },
  ]
}

async function startBare(text: string): Promise<{ url: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [path.join(ROOT, 'bench/bare-fastify.ts'), text], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  return { url: String(line).trim(), stop: () => stop(child) }
}

async function drive(url: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    path.join(ROOT, 'bench/drive.ts'),
    url,
    ADMIN_KEY,
  ])
  return Number(stdout)
}

/** One project with all the users, written past the service: what is measured is reading. */
async function plantUsers(dataDir: string): Promise<void> {
  const served = await serve(dataDir)
  const headers = { token: ADMIN_KEY, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'Large' })
  const made = await fetch(`${served.url}/v1/projects/new`, { method: 'POST', headers, body })
  const { project_id } = (await made.json()) as { project_id: string }
  await served.stop()
  const database = new DatabaseSync(path.join(dataDir, 'scriptward.db'))
  const insert = database.prepare(
    `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)
     insert into users (key, project_id, chat_id, note, created_at) select printf('%032d', i), ?, 'chat-' || i, 'a note', 0 from n`,
  )
  insert.run(USERS, project_id)
  database.close()
}

function userKey(index: number): string {
  return String(index).padStart(32, '0')
}
