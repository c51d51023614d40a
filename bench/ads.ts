/**
 * A thousand visitors at once through three checkpoints of the three styles: how many get a key, what fails, and what it
 * costs. Visitors, providers and service share one process, so the processor time is an upper bound for the service.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { readConfig } from '../packages/server/src/config.ts'
import { start } from '../packages/server/src/start.ts'
import { crowd } from '../packages/server/test/ads/crowd.ts'
import { FakeProviders } from '../packages/server/test/ads/providers.ts'
import { addCheckpoint, type Checkpoint, type System } from '../packages/server/test/ads/scene.ts'
import { startPostgres } from '../packages/server/test/postgres.ts'
import type { Row } from './row.ts'
import { ADMIN_KEY } from './served.ts'

const VISITORS = 1000
const STYLES = ['a', 'b', 'c'] as const
const HEADERS = { token: ADMIN_KEY, 'content-type': 'application/json' }

type Api = {
  get(path: string): Promise<Answer>
  post(path: string, body?: object): Promise<Answer>
}
type Answer = { readonly body: Readonly<Record<string, unknown>>; string(member: string): string }

export async function bench(): Promise<Row[]> {
  const rows = await benchEngine('SQLite', {})
  const postgres = await startPostgres()
  try {
    return [...rows, ...(await benchEngine('PostgreSQL', { SCRIPTWARD_DATABASE_URL: postgres.url }))]
  } finally {
    await postgres.stop()
  }
}

async function benchEngine(engine: string, database: Readonly<Record<string, string>>): Promise<Row[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-bench-'))
  const providers = new FakeProviders()
  await providers.start()
  const clock = { now: Date.UTC(2026, 5, 15, 12) }
  providers.clock = clock
  const statuses: number[] = []
  const log = pino(
    { level: 'debug' },
    { write: (line: string) => void statuses.push(JSON.parse(line).status ?? 0) },
  )
  const settings = {
    SCRIPTWARD_PORT: '0',
    SCRIPTWARD_ADMIN_KEY: ADMIN_KEY,
    SCRIPTWARD_TRUST_PROXY: '127.0.0.1',
    ...database,
  }
  const config = { ...readConfig(settings), dataDir: folder, adProviders: providers.config(), clientRates: 0 }
  const running = await start(config, { now: () => clock.now, random: randomBytes, log })
  try {
    const rows = await measure({ url: running.url, providers, clock, statuses })
    return rows.map((row) => ({ ...row, name: `${engine}: ${row.name}` }))
  } finally {
    await running.close()
    await providers.close()
    rmSync(folder, { recursive: true })
  }
}

type Setting = {
  readonly url: string
  readonly providers: FakeProviders
  readonly clock: { now: number }
  readonly statuses: readonly number[]
}

async function measure({ url, providers, clock, statuses }: Setting): Promise<Row[]> {
  const { api, system } = await furnish(url, providers)
  const before = process.cpuUsage()
  const began = performance.now()
  const keys = await crowd(clock, system, VISITORS)
  const seconds = (performance.now() - began) / 1000
  const { user, system: kernel } = process.cpuUsage(before)
  const { body } = await api.get(`/v1/adsystems/${system.id}`)
  const { total_keys } = body.system as { total_keys: number }
  const wrong = Math.abs(VISITORS - total_keys) + (VISITORS - new Set(keys).size)
  const failed = statuses.filter((status) => status >= 500).length
  const note = `${statuses.length} requests in ${seconds.toFixed(1)} s`
  return [
    { name: `keys too many or too few, of ${VISITORS}`, value: wrong, unit: '', limit: '= 0' },
    { name: 'answers of 500 and more', value: failed, unit: '', limit: '= 0', note },
    {
      name: 'processor time a visitor, all sides',
      value: (user + kernel) / 1000 / VISITORS,
      unit: 'ms',
    },
  ]
}

async function furnish(url: string, providers: FakeProviders): Promise<{ api: Api; system: System }> {
  const api = {
    get: (at: string) => ask(url + at),
    post: (at: string, body?: object) => ask(url + at, body ?? {}),
  }
  const project = (await api.post('/v1/projects/new', { name: 'Garden' })).string('project_id')
  const made = await api.post('/v1/adsystems/new', { project_id: project, name: 'Free keys' })
  const id = made.string('system_id')
  const owner = api as unknown as System['owner']
  const checkpoints: Checkpoint[] = []
  for (const style of STYLES) checkpoints.push(await addCheckpoint({ providers }, { owner, id }, style))
  return { api, system: { owner, project, id, url: `${url}/ads/${id}`, checkpoints } }
}

async function ask(url: string, body?: object): Promise<Answer> {
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const answer = (await (await fetch(url, { headers: HEADERS, ...sent })).json()) as Record<string, unknown>
  return { body: answer, string: (member) => String(answer[member]) }
}
