/**
 * Measures the CPU time of the server and its child processes for runs that have a live session and call a
 * server function once a minute. Measures a fraction of the promised load and scales up the result.
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import WebSocket from 'ws'
import { formatNumbered, openFrame, sealFrame, wsAad, wsKeys } from '../packages/client/src/live.ts'
import type { ServerFrame } from '../packages/client/src/live-messages.ts'
import { seal } from '../packages/client/src/wire.ts'
import { apart } from './apart.ts'
import type { Row } from './row.ts'
import { callAtTimes, randomPauses } from './sample.ts'
import { ADMIN_KEY, processorNs } from './served.ts'
import { type Server, withServers } from './session-servers.ts'
import type { Instance } from './sessions-server.ts'

const RUNS = Number(process.env.CALLING_RUNS ?? 2000)
const PROMISED_RUNS = 10_000
const CALLS_PER_MINUTE = 1
/** During this time, the server pings every session twice. */
const MEASURED_MS = 50_000
const WARM_UP_CALLS = 2000
const SOURCE = 'return function(run, item, amount) return ({ gold = 10 })[item] * amount end'

export function benchCalling(): Promise<Row[]> {
  return withServers(RUNS, async (service) => [await apart([service], () => measure(service))])
}

async function measure(service: Server): Promise<Row> {
  await putFunction(service.url)
  const callers: Caller[] = []
  for (let i = 0; i < RUNS; i += 50)
    callers.push(
      ...(await Promise.all(service.instances.slice(i, i + 50).map((one) => Caller.join(service.url, one)))),
    )
  const warmUp = callers.slice(0, 8).map((caller) => many(caller, WARM_UP_CALLS / 8))
  await Promise.all(warmUp)
  const before = usedNs(service.pid)
  const pauses = randomPauses((RUNS * CALLS_PER_MINUTE) / 60, MEASURED_MS)
  const calls = await callAtTimes(pauses, async () => callers[Math.floor(Math.random() * RUNS)]?.call())
  const cores = (usedNs(service.pid) - before) / 1e6 / MEASURED_MS
  for (const caller of callers) caller.end()
  return {
    name: `${PROMISED_RUNS.toLocaleString('en')} runs that each make a call per minute, CPU time`,
    value: (cores / RUNS) * PROMISED_RUNS,
    unit: 'cores',
    limit: '<= 1',
    note: `scaled from ${RUNS} runs, of which ${calls} calls took ${((cores * MEASURED_MS) / calls).toFixed(2)} ms each, pings included`,
  }
}

async function many(caller: Caller, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await caller.call()
}

/** Returns the CPU time of the server and of the processes that run functions. */
function usedNs(pid: number): number {
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
  const pids = children.trim().split(/\s+/).filter(Boolean).map(Number)
  return [pid, ...pids].reduce((sum, one) => sum + processorNs(one), 0)
}

async function putFunction(url: string): Promise<void> {
  const headers = { token: ADMIN_KEY, 'content-type': 'application/json' }
  const body = JSON.stringify({ source: SOURCE })
  const response = await fetch(`${url}/v1/scripts/scr_bench/functions/price`, {
    method: 'PUT',
    headers,
    body,
  })
  if (!response.ok) throw new Error(`the function was rejected: ${await response.text()}`)
}

/** The client of one run, with a live session. */
class Caller {
  readonly #ws: WebSocket
  readonly #exec: string
  readonly #keys: ReturnType<typeof wsKeys>
  readonly #waiting = new Map<string, () => void>()
  #in = 0
  #out = 1
  #calls = 0

  static async join(url: string, instance: Instance): Promise<Caller> {
    const ws = new WebSocket(`${url.replace('http', 'ws')}/client/v1/ws`, { perMessageDeflate: false })
    const caller = new Caller(ws, instance)
    await once(ws, 'open')
    const { c2s } = caller.#keys
    const box = seal(c2s, 1, wsAad('c', instance.exec), '{"t":"auth"}')
    const ready = new Promise<void>((resolve) => caller.#waiting.set('ready', resolve))
    ws.send(formatNumbered({ exec: instance.exec, n: 1, box }))
    await ready
    return caller
  }

  constructor(ws: WebSocket, { exec, ws: key }: Instance) {
    this.#ws = ws
    this.#exec = exec
    this.#keys = wsKeys(Buffer.from(key, 'hex'), 1)
    ws.on('message', (data) => this.#receive(String(data)))
  }

  /** Calls the function, and resolves when the correct result arrives. */
  call(): Promise<void> {
    this.#calls += 1
    const id = String(this.#calls)
    const answered = new Promise<void>((resolve) => this.#waiting.set(id, resolve))
    this.#send({ t: 'call', id, epoch: 1, a: ['price', 'gold', this.#calls] })
    return answered
  }

  end(): void {
    this.#ws.terminate()
  }

  #send(frame: object): void {
    this.#out += 1
    this.#ws.send(sealFrame(this.#keys.c2s, wsAad('c', this.#exec), this.#out, JSON.stringify(frame)))
  }

  #receive(text: string): void {
    this.#in += 1
    const opened = openFrame(this.#keys.s2c, wsAad('s', this.#exec), this.#in, text)
    const frame = JSON.parse(String(opened)) as ServerFrame
    if (frame.t === 'ping') this.#send({ t: 'pong', n: frame.n })
    if (frame.t === 'ready') this.#waiting.get('ready')?.()
    if (frame.t !== 'answer') return
    if (!('value' in frame) || frame.value !== 10 * Number(frame.id))
      throw new Error(`a call was answered with ${JSON.stringify(frame)}`)
    this.#waiting.get(frame.id)?.()
    this.#waiting.delete(frame.id)
  }
}
