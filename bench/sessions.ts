/**
 * Measures the server's cost of running scripts: a heartbeat compared with a bare node:http response, an idle
 * session and a message compared with bare ws, and management calls by an author with many sessions. The
 * servers run in separate processes, and this one simulates the clients.
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import WebSocket from 'ws'
import { formatNumbered, openFrame, sealFrame, wsAad, wsKeys } from '../packages/client/src/live.ts'
import type { ServerFrame } from '../packages/client/src/live-messages.ts'
import { seal } from '../packages/client/src/wire.ts'
import { apart } from './apart.ts'
import { benchHeartbeats } from './heartbeats.ts'
import type { Row } from './row.ts'
import { median } from './served.ts'
import { type Server, withServers } from './session-servers.ts'

/** The number of sessions is limited by the number of files that a process may open. */
const SESSIONS = Math.min(Number(process.env.SESSIONS ?? 20_000), mostSessions())
/**
 * How long sessions are idle before they are measured. `SESSIONS_MINUTES=10` tests the documented promise.
 */
const IDLE_MINUTES = Number(process.env.SESSIONS_MINUTES ?? 0.5)
/** Maximum length of a ping in base64url characters. Commands are longer. */
const MAX_PING_LENGTH = 90
const VARIABLE_BYTES = 2048
const BENCH_KEY = 'k'.repeat(32)
const TOKEN = { token: 'admin-of-the-benchmark', 'content-type': 'application/json' }

export async function bench(): Promise<Row[]> {
  // `benchSessions` measures memory first, before its servers have done any other work.
  return [...(await benchHeartbeats()), ...(await withServers(SESSIONS, benchSessions))]
}

async function benchSessions(service: Server, bare: Server): Promise<Row[]> {
  const sockets: WebSocket[] = []
  const plain = await growth(bare, () => connectBare(bare, sockets))
  for (const socket of sockets.splice(0)) socket.terminate()
  await connectBare(bare, sockets)
  const sealed = await growth(service, (i) => connect(service, i, sockets))
  const rows = [
    ...describeMemory(sealed, plain),
    await benchIdle(service),
    await apart([service, bare], () => measureTrips(service, bare)),
  ]
  rows.push(...(await benchChanges(service)), ...(await benchOwner(service)))
  for (const socket of sockets) socket.terminate()
  return rows
}

function describeMemory(sealed: number, plain: number): Row[] {
  const [ours, theirs] = [sealed / 1024, plain / 1024]
  const note = `${ours.toFixed(1)} KiB each, bare ${theirs.toFixed(1)} KiB`
  return [
    {
      name: `memory of ${SESSIONS} sessions, relative to bare ws`,
      value: ours / theirs,
      unit: 'x',
      limit: '<= 1.5',
      note,
    },
    { name: 'memory of a session, minus bare ws', value: ours - theirs, unit: 'KiB', limit: '<= 15' },
  ]
}

async function benchIdle(service: Server): Promise<Row> {
  const before = await service.ask('used')
  await wait(IDLE_MINUTES * 60_000)
  const used = (await service.ask('used')) - before
  const answer = await call(`${service.url}/v1/scripts/scr_bench/sessions`)
  const { sessions } = JSON.parse(answer) as { sessions: { state: string }[] }
  return {
    name: `of ${SESSIONS} sessions, lost within ${IDLE_MINUTES} minutes`,
    value: SESSIONS - sessions.filter(({ state }) => state === 'ready').length,
    unit: 'sessions',
    limit: '<= 0',
    note: `${((used / (IDLE_MINUTES * 60_000)) * 100).toFixed(1)} % of one CPU`,
  }
}

/** Alternates between the two servers, so that other load on the machine affects both equally. */
async function measureTrips(service: Server, bare: Server): Promise<Row> {
  const trips: number[] = []
  const echoes: number[] = []
  for (let i = -300; i < 1500; i += 1) {
    const trip = await service.ask('trip')
    const echo = await bare.ask('trip')
    if (i < 0) continue
    trips.push(trip)
    echoes.push(echo)
  }
  return {
    name: 'message round trip to a session, median, relative to bare ws',
    value: median(trips) / median(echoes),
    unit: 'x',
    limit: '<= 2',
    note: `${median(trips).toFixed(3)} ms, bare ${median(echoes).toFixed(3)} ms`,
  }
}

/** Returns the bytes used per connection, after a garbage collection. */
async function growth(server: Server, connectOne: (i: number) => Promise<void>): Promise<number> {
  const first = SESSIONS >> 2
  await connectMany(0, first, connectOne)
  const before = await server.ask('held')
  await connectMany(first, SESSIONS, connectOne)
  return ((await server.ask('held')) - before) / (SESSIONS - first)
}

async function connectMany(
  from: number,
  to: number,
  connectOne: (i: number) => Promise<void>,
): Promise<void> {
  for (let i = from; i < to; i += 50)
    await Promise.all(Array.from({ length: Math.min(50, to - i) }, (_, n) => connectOne(i + n)))
}

async function connect({ url, instances }: Server, i: number, sockets: WebSocket[]): Promise<void> {
  const instance = instances[i]
  if (!instance) throw new Error('too few instances')
  const { exec, ws: key } = instance
  const keys = wsKeys(Buffer.from(key, 'hex'), 1)
  const ws = new WebSocket(`${url.replace('http', 'ws')}/client/v1/ws`, { perMessageDeflate: false })
  sockets.push(ws)
  await once(ws, 'open')
  const box = seal(keys.c2s, 1, wsAad('c', exec), '{"t":"auth"}')
  let heard = 0
  let said = 1
  const sealed = (frame: object) => {
    said += 1
    return sealFrame(keys.c2s, wsAad('c', exec), said, JSON.stringify(frame))
  }
  const opened = (text: string) => {
    heard += 1
    return JSON.parse(String(openFrame(keys.s2c, wsAad('s', exec), heard, text))) as ServerFrame
  }
  // Encrypts the response to the next command before the command arrives, so that the measurement excludes
  // the client's work.
  const answerTo = (id: number) => ({ t: 'res', id: String(id), ok: true, data: { greeting: 'hello' } })
  let answered = 0
  let prepared: string | undefined
  ws.on('message', (data) => {
    const text = String(data)
    // Greetings, kicks and changes are as long as commands. Responding to a greeting or a kick is harmless,
    // and `isOn` excludes changes.
    const isCommand = heard > 0 && text.length > MAX_PING_LENGTH && !changes.isOn
    if (isCommand) ws.send(prepared ?? sealed(answerTo(answered + 1)))
    else if (prepared !== undefined) said -= 1
    const frame = opened(text)
    if (frame.t === 'ping') ws.send(sealed({ t: 'pong', n: frame.n }))
    if (frame.t === 'cmd' && frame.id !== String(answered + 1)) throw new Error('a command was left out')
    if (frame.t === 'cmd') answered += 1
    if (frame.t === 'set') changes.hear(frame)
    prepared = answered > 0 ? sealed(answerTo(answered + 1)) : undefined
  })
  ws.send(formatNumbered({ exec, n: 1, box }))
  await once(ws, 'message')
}

async function connectBare({ url }: Server, sockets: WebSocket[]): Promise<void> {
  const ws = new WebSocket(url.replace('http', 'ws'), { perMessageDeflate: false })
  sockets.push(ws)
  ws.on('message', (data) => ws.send(String(data)))
  await once(ws, 'open')
}

type Change = Extract<ServerFrame, { t: 'set' }>

/**
 * Counts the clients that have not received a change yet, and calls `done` when the last one has received it.
 */
const changes = {
  isOn: false,
  left: 0,
  done: () => {},
  isNews: (_: Change): boolean => false,
  hear(frame: Change): void {
    if (!this.isOn || !this.isNews(frame)) return
    this.left -= 1
    if (this.left === 0) this.done()
  },
}

/**
 * Measures the time from the change request until the last session has received the change, including
 * decryption by the clients.
 */
async function benchChanges(service: Server): Promise<Row[]> {
  const path = `${service.url}/v1/projects/prj_bench`
  const motd = 'x'.repeat(VARIABLE_BYTES)
  const put = () => call(`${path}/variables`, 'PUT', { version: 0, variables: { motd: { value: motd } } })
  const variable = await spread(service, put, ({ vars }) => vars?.motd === motd)
  const features = await call(`${path}/plans/new`, 'POST', { name: 'Bench' })
  const { plan_id } = JSON.parse(features) as { plan_id: string }
  const follow = () =>
    call(`${service.url}/v1/users/${BENCH_KEY}/edit`, 'POST', { plan_id, features: { slots: 3 } })
  const feature = await spread(service, follow, (frame) => frame.features.slots === 3)
  const row = (what: string, { ms, wall }: Used): Row => ({
    name: `${what} reaches ${SESSIONS} sessions`,
    value: wall,
    unit: 'ms',
    limit: '<= 2000',
    note: `${ms.toFixed(0)} ms of CPU time; the clients share the machine`,
  })
  return [
    row(`a change to a variable of ${VARIABLE_BYTES / 1024} KiB`, variable),
    row('a change to a feature', feature),
  ]
}

async function spread(
  service: Server,
  change: () => Promise<unknown>,
  isNews: (frame: Change) => boolean,
): Promise<Used> {
  const all = new Promise<void>((resolve) => Object.assign(changes, { done: resolve }))
  Object.assign(changes, { isOn: true, left: SESSIONS, isNews })
  const [taken] = await used(service, 1, async () => {
    await change()
    await all
  })
  changes.isOn = false
  return taken ?? { ms: Number.NaN, wall: Number.NaN }
}

/** Measures the server's CPU time for management calls that affect all sessions. */
async function benchOwner(service: Server): Promise<Row[]> {
  const script = `${service.url}/v1/scripts/scr_bench/sessions`
  const lists = await used(service, 7, () => call(script))
  const filters = await used(service, 7, () => call(`${script}/filter?place_id=2`))
  const disconnect = () => call(`${service.url}/v1/projects/prj_bench/sessions/disconnect`, 'POST')
  const [ended] = await used(service, 1, disconnect)
  const row = (name: string, limit: number, { ms, wall }: Used, sessions: number): Row => ({
    name: `${name} ${sessions.toLocaleString('en')} sessions, CPU time`,
    value: (ms / SESSIONS) * sessions,
    unit: 'ms',
    limit: `<= ${limit}`,
    note: `measured with ${SESSIONS}, which took ${wall.toFixed(0)} ms`,
  })
  return [
    row('list', 100, middle(lists), 20_000),
    row('filter', 100, middle(filters), 20_000),
    row('disconnect', 2000, ended ?? { ms: Number.NaN, wall: Number.NaN }, 10_000),
  ]
}

type Used = { readonly ms: number; readonly wall: number }

async function used(service: Server, times: number, work: () => Promise<unknown>): Promise<Used[]> {
  const all: Used[] = []
  for (let i = 0; i < times; i += 1) {
    const before = await service.ask('used')
    const start = performance.now()
    await work()
    const wall = performance.now() - start
    all.push({ ms: (await service.ask('used')) - before, wall })
  }
  return all
}

function middle(all: readonly Used[]): Used {
  return { ms: median(all.map(({ ms }) => ms)), wall: median(all.map(({ wall }) => wall)) }
}

async function call(url: string, method = 'GET', body: object = {}): Promise<string> {
  const sent = method === 'GET' ? {} : { body: JSON.stringify(body) }
  const response = await fetch(url, { method, headers: TOKEN, ...sent })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${method} was answered with ${response.status}`)
  return text
}

/** Each connection needs one file. Some files are reserved for other uses. */
function mostSessions(): number {
  const files = Number(execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }))
  return Number.isNaN(files) ? Number.POSITIVE_INFINITY : files - 500
}
