/**
 * What a page costs: processor time of the landing page of an ad system beside Fastify alone answering the same bytes,
 * its size with all that it loads, and how soon a browser on a slow mobile network paints it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import { startPostgres } from '../packages/server/test/postgres.ts'
import { startBrowser } from '../test/browser.ts'
import { ask } from './ask.ts'
import type { Row } from './row.ts'
import { ADMIN_KEY, median, processorNs, type Served, serve, stop } from './served.ts'

const ROOT = path.join(import.meta.dirname, '..')
const WARM_UP = 6000
const REQUESTS = 4000
const ROUNDS = 7
/** What Lighthouse calls slow 4G when it throttles requests: latency of each, and bytes a second. */
const SLOW_4G = { offline: false, latency: 562.5, downloadThroughput: 184_320, uploadThroughput: 84_375 }

export async function bench(): Promise<Row[]> {
  const rows = await withService({}, async (served, landing) => [
    ...(await compareAll('SQLite', served, landing)),
    ...(await paint(landing)),
  ])
  const postgres = await startPostgres()
  try {
    const database = { SCRIPTWARD_DATABASE_URL: postgres.url }
    const others = await withService(database, (served, landing) => compareAll('PostgreSQL', served, landing))
    return [...rows, ...others]
  } finally {
    await postgres.stop()
  }
}

async function withService<T>(
  database: Readonly<Record<string, string>>,
  work: (served: Served, landing: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-bench-'))
  const served = await serve(folder, {
    ...database,
    SCRIPTWARD_ADS_PROVIDER_A_URL: 'https://links.example.com',
    SCRIPTWARD_CLIENT_RATES: '0',
    SCRIPTWARD_LOG_LEVEL: 'error',
  })
  try {
    return await work(served, `${served.url}/ads/${await plantSystem(served.url)}`)
  } finally {
    await served.stop()
    rmSync(folder, { recursive: true })
  }
}

async function compareAll(engine: string, { url, pid }: Served, landing: string): Promise<Row[]> {
  const bare = await startBare(await (await fetch(landing)).text())
  const compared = [
    await compare(`${engine}: landing page of an ad system`, { url: landing, pid }, bare),
    await compare(`${engine}: page of a key, before it is given`, { url: `${url}/me`, pid }, bare),
  ]
  await bare.stop()
  return compared.flat()
}

/** One with three checkpoints; the id of it. */
async function plantSystem(url: string): Promise<string> {
  const post = async (path: string, body: object) => {
    const headers = { token: ADMIN_KEY, 'content-type': 'application/json' }
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as Record<string, string>
  }
  const { project_id } = await post('/v1/projects/new', { name: 'Garden' })
  const { system_id } = await post('/v1/adsystems/new', { project_id, name: 'Get a free key' })
  const checkpoints = `/v1/adsystems/${system_id}/checkpoints`
  for (const name of ['Read an article', 'Watch a clip', 'Last link']) {
    await post(`${checkpoints}/prepare`, {})
    const link = { url: 'https://links.example.com/x', provider: 'provider_a' }
    await post(`${checkpoints}/new`, { name, ...link, provider_data: { token: 'abcdefgh0123456789wxyz' } })
  }
  return system_id ?? ''
}

type Target = { readonly url: string; readonly pid: number }

/**
 * A ratio of one run. Of the rounds the cheapest counts: whatever else runs on the machine only ever adds, and takes the
 * caches from the larger program first. The note says what the asking takes, which has to be less than the answering.
 */
async function compare(name: string, page: Target, bare: Target): Promise<Row[]> {
  await ask(page.url, WARM_UP)
  await ask(bare.url, WARM_UP)
  const costs: Record<'page' | 'bare', Cost[]> = { page: [], bare: [] }
  for (let round = 0; round < ROUNDS; round += 1) {
    costs.bare.push(await costOf(bare))
    costs.page.push(await costOf(page))
  }
  const [own, alone] = [least(costs.page), least(costs.bare)]
  const note =
    `${own.us.toFixed(0)} µs a request; Fastify alone with the bytes of a landing page: ${alone.us.toFixed(0)} µs, ` +
    `asked in ${alone.askedUs.toFixed(0)} µs`
  const value = own.us / alone.us
  return [{ name: `${name}, processor by Fastify's`, value, unit: 'x', limit: '<= 3', note }]
}

/** Microseconds of processor time for each request, of all threads of who answers and of who asks. */
type Cost = { readonly us: number; readonly askedUs: number }

async function costOf({ url, pid }: Target): Promise<Cost> {
  const [before, start] = [processorNs(pid), process.cpuUsage()]
  await ask(url, REQUESTS)
  const { user, system } = process.cpuUsage(start)
  return { us: (processorNs(pid) - before) / 1000 / REQUESTS, askedUs: (user + system) / REQUESTS }
}

function least(costs: readonly Cost[]): Cost {
  return costs.reduce((one, other) => (other.us < one.us ? other : one))
}

async function startBare(text: string): Promise<Target & { stop(): Promise<void> }> {
  const child = spawn(process.execPath, [path.join(ROOT, 'bench/bare-fastify.ts'), JSON.stringify(text)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  return { url: `${String(line).trim()}/users/one`, pid: child.pid ?? 0, stop: () => stop(child) }
}

async function paint(url: string): Promise<Row[]> {
  const browser = await startBrowser()
  const visits: { readonly ms: number; readonly bytes: number }[] = []
  for (let round = 0; round < ROUNDS; round += 1) visits.push(await visitSlowly(browser, url))
  await browser.close()
  const note = 'latency 562.5 ms a request, 1.47 Mbit/s'
  const ms = median(visits.map((one) => one.ms))
  const bytes = median(visits.map((one) => one.bytes))
  return [
    { name: 'landing page with all that it loads', value: bytes / 1000, unit: 'kB', limit: '<= 50' },
    { name: 'first contentful paint on slow 4G', value: ms, unit: 'ms', limit: '<= 1000', note },
  ]
}

async function visitSlowly(browser: Browser, url: string): Promise<{ ms: number; bytes: number }> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', SLOW_4G)
  let bytes = 0
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.goto(url, { waitUntil: 'load' })
  const ms = await page.evaluate<number>(
    `new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntriesByName('first-contentful-paint')[0].startTime))
      .observe({ type: 'paint', buffered: true }))`,
  )
  await context.close()
  return { ms, bytes }
}
