/**
 * Webhooks of a thousand projects of which one in twenty hangs: how late the others get theirs, what the service holds
 * for it, and what its own requests feel of it, beside the same requests to projects without addresses; on both engines.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { startPostgres } from '../packages/server/test/postgres.ts'
import type { Row } from './row.ts'
import { ADMIN_KEY, quantile, residentBytes, type Served, serve } from './served.ts'

const ADDRESSES = 1000
const HANGING = 50
const PHASE_MS = 6000
const ROUNDS = 9
const ROUNDS_BEFORE = 3
const EVERY_MS = 20
const SAMPLE_MS = 250
const BYTES_PER_MIB = 1_048_576
const HEADERS = { token: ADMIN_KEY, 'content-type': 'application/json' }
const SETTINGS = {
  SCRIPTWARD_WEBHOOK_ALLOW_CIDR: '127.0.0.0/8',
  SCRIPTWARD_WEBHOOK_ALLOW_HTTP: 'true',
}

const agent = new Agent({ keepAlive: true })

type Phase = { readonly latencies: readonly number[]; readonly peakMib: number }

export async function bench(): Promise<Row[]> {
  return [...(await onSqlite()), ...(await onPostgres())]
}

async function onSqlite(): Promise<Row[]> {
  return named('SQLite', await onService(SETTINGS))
}

async function onPostgres(): Promise<Row[]> {
  const { url, stop } = await startPostgres()
  try {
    return named('PostgreSQL', await onService({ ...SETTINGS, SCRIPTWARD_DATABASE_URL: url }))
  } finally {
    await stop()
  }
}

function named(engine: string, rows: readonly Row[]): Row[] {
  return rows.map((row) => ({ ...row, name: `${engine}: ${row.name}` }))
}

async function onService(settings: Record<string, string>): Promise<Row[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-bench-'))
  const served = await serve(folder, settings)
  try {
    return await besideReceiver(served)
  } finally {
    await served.stop()
    rmSync(folder, { recursive: true })
  }
}

async function besideReceiver(served: Served): Promise<Row[]> {
  const receiver = fork(new URL('webhook-receiver.ts', import.meta.url))
  const [port] = (await once(receiver, 'message')) as [number]
  return measure(served, receiver, port).finally(() => receiver.disconnect())
}

async function measure(served: Served, receiver: ChildProcess, port: number): Promise<Row[]> {
  const quiet = await createProjects(served)
  // A database that grows fills caches, whether or not anything is sent.
  const before: Phase[] = []
  for (let round = 0; round < ROUNDS_BEFORE; round += 1) before.push(await drive(served, quiet))
  const notified = await createProjects(served)
  await setAddresses(served, notified, port)
  // One event for every address at once; the phases make a steady stream of them.
  await inTurns(notified, (project) => post(served, `/projects/${project}/users/new`, {}))
  const beside: Phase[] = []
  const without: Phase[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    // Either kind is first in turns, so that what happens every minute meets both.
    const isFirst = round % 2 === 0
    if (isFirst) beside.push(await drive(served, notified))
    without.push(await drive(served, quiet))
    if (!isFirst) beside.push(await drive(served, notified))
  }
  receiver.send('report')
  const [lateness] = (await once(receiver, 'message')) as [number[]]
  return [...rowsOfReceiver(lateness), ...rowsOfService({ before, without, beside })]
}

function rowsOfReceiver(lateness: readonly number[]): Row[] {
  const note = `${lateness.length} messages, ${HANGING} of ${ADDRESSES} addresses hang`
  const name = 'webhooks to healthy addresses'
  return [
    { name: `${name} p50`, value: quantile(lateness, 0.5), unit: 'ms' },
    { name: `${name} p95`, value: quantile(lateness, 0.95), unit: 'ms', limit: '<= 5000', note },
  ]
}

type Measured = Readonly<Record<'before' | 'without' | 'beside', readonly Phase[]>>

function rowsOfService({ before, without, beside }: Measured): Row[] {
  const peakOf = (phases: readonly Phase[]) => Math.max(...phases.map(({ peakMib }) => peakMib))
  const peak = peakOf(beside) - peakOf(before)
  const p99Of = (phases: readonly Phase[]) =>
    quantile(
      phases.flatMap(({ latencies }) => latencies),
      0.99,
    )
  const [alone = 0, busy = 0] = [without, beside].map(p99Of)
  const name = 'requests p99 beside webhooks'
  return [
    { name: 'memory beyond that without webhooks', value: peak, unit: 'MiB', limit: '<= 100' },
    { name, value: busy, unit: 'ms', limit: '<= 10, or', note: `alone ${alone.toFixed(1)} ms` },
    { name: `${name}, to that alone`, value: busy / alone, unit: 'x', limit: '<= 1.5' },
  ]
}

/** Every request at its time, however long others take; every second one makes an event. */
async function drive(served: Served, projects: readonly string[]): Promise<Phase> {
  const latencies: number[] = []
  const under: Promise<void>[] = []
  const start = performance.now()
  let peak = 0
  for (let index = 0; index * EVERY_MS < PHASE_MS; index += 1) {
    const planned = start + index * EVERY_MS
    await wait(Math.max(0, planned - performance.now()))
    const project = projects[(index * 7) % projects.length] ?? ''
    const sent = performance.now()
    const request =
      index % 2 === 0
        ? post(served, `/projects/${project}/users/new`, {})
        : get(served, `/projects/${project}`)
    under.push(request.then(() => void latencies.push(performance.now() - sent)))
    if ((index * EVERY_MS) % SAMPLE_MS < EVERY_MS) peak = Math.max(peak, residentBytes(served.pid))
  }
  await Promise.all(under)
  return { latencies, peakMib: peak / BYTES_PER_MIB }
}

async function createProjects(served: Served): Promise<string[]> {
  const names = Array.from({ length: ADDRESSES }, (_, index) => `Project ${index}`)
  return inTurns(names, async (name) => (await post(served, '/v1/projects/new', { name })).project_id ?? '')
}

async function setAddresses(served: Served, projects: readonly string[], port: number): Promise<void> {
  const numbered = projects.map((project, index) => ({ project, index }))
  await inTurns(numbered, ({ project, index }) => {
    const net = index % (ADDRESSES / HANGING) === 0 ? 9 : 10
    const information_webhook = `http://127.${net}.${index >> 8}.${index & 255 || 1}:${port}/hook`
    return post(served, `/projects/${project}/edit`, { information_webhook })
  })
}

/** Eight at once. */
async function inTurns<A, B>(list: readonly A[], call: (one: A) => Promise<B>): Promise<B[]> {
  const done: B[] = []
  for (let start = 0; start < list.length; start += 8)
    done.push(...(await Promise.all(list.slice(start, start + 8).map(call))))
  return done
}

async function post(served: Served, at: string, body: object): Promise<{ project_id?: string }> {
  return JSON.parse(await answerTo(served, at, JSON.stringify(body))) as { project_id?: string }
}

async function get(served: Served, at: string): Promise<void> {
  await answerTo(served, at)
}

/** Without `fetch`, whose garbage collection would delay this process. */
async function answerTo({ url }: Served, at: string, body?: string): Promise<string> {
  const method = body === undefined ? 'GET' : 'POST'
  const asked = request(url + at, { agent, headers: HEADERS, method }).end(body)
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  const answer = await text(response)
  if (response.statusCode !== 200) throw new Error(`${at} was answered with ${answer}`)
  return answer
}
