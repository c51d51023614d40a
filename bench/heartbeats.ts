/**
 * Measures the cost of a heartbeat, compared with a response from bare node:http. Simulates 20,000 running
 * scripts that send heartbeats independently.
 */
import { request } from 'node:http'
import { beatAad, beatKeys, formatNumbered, nextBeatKey } from '../packages/client/src/live.ts'
import { BEAT_INTERVAL_MS, type BeatAccepted } from '../packages/client/src/live-messages.ts'
import { fromB64u, open, seal } from '../packages/client/src/wire.ts'
import { apart } from './apart.ts'
import type { Row } from './row.ts'
import { callAtTimes, randomPauses } from './sample.ts'
import { median } from './served.ts'
import { post, type Server, withServers } from './session-servers.ts'
import type { Instance } from './sessions-server.ts'

const INSTANCES = 20_000
const ROUNDS = 5
const ROUND_MS = 4000
/** Number of concurrent requests during warm-up. */
const WARM_UP_CONCURRENCY = 64
const PLAIN_BODY = 'x'.repeat(90)

type Call = () => Promise<unknown>
/** Sends a body and returns the response body. */
type Post = (url: string, body: string) => Promise<string>
/** CPU time per call, in milliseconds. */
type Costs = { readonly beat: number; readonly plain: number }

export async function benchHeartbeats(): Promise<Row[]> {
  const rows: Row[] = []
  for (const [how, send] of CONNECTIONS)
    rows.push(
      ...(await withServers(INSTANCES, (service, bare) =>
        apart([service, bare], () => benchLoad({ service, bare, how, send })),
      )),
    )
  return rows
}

type Load = { readonly service: Server; readonly bare: Server; readonly how: string; readonly send: Post }

/**
 * The first heartbeat of each instance is not measured, because the server has to load the instance's state.
 */
async function benchLoad({ service, bare, how, send }: Load): Promise<Row[]> {
  const beaters = service.instances.map((instance) => beater(service.url, instance, send))
  const runners = shuffled(beaters.map((one) => () => one()))
  const plain = () => send(bare.url, PLAIN_BODY)
  await callAll(runners, WARM_UP_CONCURRENCY)
  await callAll(Array(INSTANCES / 2).fill(plain), WARM_UP_CONCURRENCY)
  let next = 0
  const beat = async () => runners[next++ % runners.length]?.()
  const perSecond = (INSTANCES / BEAT_INTERVAL_MS) * 1000
  const rounds = await inTurns(async () => {
    const pauses = randomPauses(perSecond, ROUND_MS)
    return {
      beat: await costOf(service, () => callAtTimes(pauses, beat)),
      plain: await costOf(bare, () => callAtTimes(pauses, plain)),
    }
  })
  return [rowOf(`one heartbeat of ${INSTANCES} instances, ${perSecond.toFixed(0)} a second, ${how}`, rounds)]
}

/** The first rounds are not counted, because hot code is compiled in them. */
async function inTurns(round: () => Promise<Costs>): Promise<Costs[]> {
  const rounds: Costs[] = []
  for (let i = -3; i < ROUNDS; i += 1) {
    const costs = await round()
    if (i >= 0) rounds.push(costs)
  }
  return rounds
}

function rowOf(name: string, rounds: readonly Costs[]): Row {
  const us = (values: readonly number[]) => `${(median(values) * 1000).toFixed(0)} µs`
  const [beat, plain] = [us(rounds.map((one) => one.beat)), us(rounds.map((one) => one.plain))]
  return {
    name: `${name}: CPU time relative to bare node:http`,
    value: median(rounds.map((one) => one.beat / one.plain)),
    unit: 'x',
    limit: '<= 4',
    note: `${beat} of CPU time, bare ${plain}`,
  }
}

/**
 * Returns the server's CPU time per call in milliseconds. `work` returns the number of calls that it made.
 */
async function costOf(server: Server, work: () => Promise<number>): Promise<number> {
  const before = await server.ask('used')
  const calls = await work()
  return ((await server.ask('used')) - before) / calls
}

/** Makes all calls, `atOnce` of them concurrently, and returns their number. */
export async function callAll(calls: readonly Call[], atOnce: number): Promise<number> {
  const run = async (first: number) => {
    for (let n = first; n < calls.length; n += atOnce) await calls[n]?.()
  }
  await Promise.all(Array.from({ length: atOnce }, (_, first) => run(first)))
  return calls.length
}

/** Shuffles a list, so that instances in neighboring rows do not send heartbeats one after another. */
function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((value) => ({ value, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value)
}

/**
 * Sends each request over a new connection, as LuaSocket and curl do. Clients that use curl start a new
 * process for every heartbeat.
 */
function postOnOwnConnection(url: string, body: string): Promise<string> {
  const headers = { 'content-type': 'text/plain', 'content-length': body.length, connection: 'close' }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent: false, headers }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString('latin1')
      if (response.statusCode === 200) resolve(text)
      else reject(new Error(`answered with ${response.statusCode}: ${text}`))
    })
    sent.on('error', reject).end(body)
  })
}

/** Simulates clients that keep connections open, such as browsers, by sharing this process's connections. */
const CONNECTIONS: readonly (readonly [string, Post])[] = [
  ['over a connection each', postOnOwnConnection],
  ['over keep-alive connections', post],
]

/** Returns a function that sends an instance's next heartbeat. `message` is the heartbeat's content. */
export function beater(
  url: string,
  { exec, beat }: Instance,
  send: Post,
): (message?: string) => Promise<void> {
  let state: Buffer = Buffer.from(beat, 'hex')
  let n = 0
  return async (message = '{"up":1}') => {
    n += 1
    const keys = beatKeys(state)
    const body = formatNumbered({ exec, n, box: seal(keys.c2s, 0, beatAad(exec, n), message) })
    const text = await send(`${url}/client/v1/beat`, body)
    const box = fromB64u(text.slice(4)) ?? Buffer.alloc(0)
    const reply = JSON.parse(String(open(keys.s2c, 0, beatAad(exec, n), box))) as BeatAccepted
    if (!reply.ok) throw new Error('the heartbeat was rejected')
    state = nextBeatKey(state, Buffer.from(reply.r, 'base64url'))
  }
}
