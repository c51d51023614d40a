/**
 * Measures the server's CPU time for one execution: the loader download and the handshake with a 100 KB
 * script, minus the CPU time that a bare node:http server needs for the same bytes. The servers run in
 * separate processes and report their own usage. This process simulates the clients.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Capabilities, Hello } from '../packages/client/src/messages.ts'
import {
  component,
  helloFor,
  openAnswer,
  ProtocolClient,
  type Request,
} from '../packages/server/test/protocol/client.ts'
import type { Row } from './row.ts'
import { median } from './served.ts'

export const ROUNDS = 7
const RUNS = 150
const AT_ONCE = 8

export type Server = {
  readonly url: string
  readonly scriptId: string
  /** A script with channels, a running release, executor rules and error reports. */
  readonly stagedId: string
  readonly key: string
  readonly plannedKey: string
  readonly plainKey: string
  /**
   * A project whose bot checks memberships, with a script, a key and linked accounts. The project is set up
   * only if `BENCH_DISCORD` describes the bot.
   */
  readonly memberProjectId: string
  readonly memberScriptId: string
  readonly memberKey: string
  readonly accounts: readonly string[]
  used(): Promise<number>
  end(): void
}

export async function bench(): Promise<Row[]> {
  const service = await startServer('service')
  const marked = await startServer('marked')
  const split = await startServer('split')
  const bare = await startServer('bare')
  try {
    return [
      ...(await measure(service, marked, bare)),
      ...(await measureSplit(split)),
      await measurePlan(service),
    ]
  } finally {
    service.end()
    marked.end()
    split.end()
    bare.end()
  }
}

async function measure(service: Server, marked: Server, bare: Server): Promise<Row[]> {
  const executions: number[] = []
  const markedOnes: number[] = []
  const downloads: number[] = []
  const answer = await checkOne(service)
  const loader = await text(`${service.url}/client/v1/loader/${service.scriptId}`)
  // The first rounds are not counted, because hot code is compiled in them.
  for (let round = -3; round < ROUNDS; round++) {
    const requests = await prepare(service)
    const execution = await cost(service, (i) => post(service.url, requests[i]?.body ?? ''))
    const markedRequests = await prepare(marked)
    const markedExecution = await cost(marked, (i) => post(marked.url, markedRequests[i]?.body ?? ''))
    const bareExecution = await cost(bare, (i) => post(bare.url, requests[i]?.body ?? '', answer.length))
    const download = await cost(service, () => text(`${service.url}/client/v1/loader/${service.scriptId}`))
    const bareDownload = await cost(bare, () => text(`${bare.url}/?${loader.length}`))
    if (round >= 0) executions.push(execution - bareExecution)
    if (round >= 0) markedOnes.push(markedExecution - bareExecution)
    if (round >= 0) downloads.push(download - bareDownload)
  }
  return [
    row('server: one execution, 100 KB script, minus bare node:http', executions, '<= 1.5'),
    row('server: the same with 1,024 watermark slots', markedOnes, '<= 1.5'),
    row('server: one loader download, minus bare node:http', downloads),
  ]
}

/**
 * Alternates between clients that include the interpreter, which receive the script as data, and clients
 * without it, which receive the script as a chunk.
 */
async function measureSplit(server: Server): Promise<Row[]> {
  const ways: readonly Partial<Capabilities>[] = [{ vm: true }, {}]
  const costs = ways.map((): number[] => [])
  for (let round = -3; round < ROUNDS; round++) {
    for (const [i, caps] of ways.entries()) {
      const requests = await prepare(server, { caps: { ...helloFor(server.scriptId).caps, ...caps } })
      const found = await cost(server, (n) => post(server.url, requests[n]?.body ?? ''))
      if (round >= 0) costs[i]?.push(found)
    }
  }
  const [data = [], whole = []] = costs
  return [
    row('server: one execution, protected 20 KB script sent as data, total', data),
    row('server: the same, sent as one chunk', whole),
  ]
}

/** Alternates between two keys: one with a plan and three devices, and one without a plan. */
async function measurePlan(server: Server): Promise<Row> {
  const devices = ['desk', 'laptop', 'phone'].map((name) => ({
    fp: Object.fromEntries(['machine_id', 'gethwid', 'hostname', 'cpu', 'os_user'].map(partOf(name))),
  }))
  const [device = {}] = devices
  await checkOne(server, { key: server.plainKey, ...device })
  for (const each of devices) await checkOne(server, { key: server.plannedKey, ...each })
  const ratios: number[] = []
  for (let round = -3; round < ROUNDS; round++) {
    const costs: number[] = []
    for (const key of [server.plannedKey, server.plainKey]) {
      const requests = await prepare(server, { key, ...device })
      costs.push(await cost(server, (n) => post(server.url, requests[n]?.body ?? '')))
    }
    const [planned = 0, plain = 1] = costs
    if (round >= 0) ratios.push(planned / plain)
  }
  const name = 'server: one execution with a plan, features and three devices, relative to one without'
  return { name, value: median(ratios), unit: 'x', limit: '<= 1.15', note: `of ${ROUNDS} rounds in turns` }
}

const partOf = (device: string) => (name: string) => [name, component(`${device} ${name}`)]

/** Returns the CPU time per call in milliseconds, over `RUNS` calls. */
export async function cost(server: Server, call: (i: number) => Promise<unknown>): Promise<number> {
  const before = await server.used()
  let next = 0
  const worker = async () => {
    while (next < RUNS) await call(next++)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return ((await server.used()) - before) / RUNS
}

export async function prepare(
  { url, scriptId, key }: Server,
  changes: Partial<Hello> = {},
): Promise<Request[]> {
  const client = new ProtocolClient(url)
  const requests: Request[] = []
  for (let i = 0; i < RUNS; i++)
    requests.push(await client.request(await client.boot(scriptId), helloFor(scriptId, { key, ...changes })))
  return requests
}

/** Checks one execution first. If executions were denied, the measured cost would be meaningless. */
export async function checkOne(
  { url, scriptId, key }: Server,
  changes: Partial<Hello> = {},
): Promise<string> {
  const client = new ProtocolClient(url)
  const { body, keys } = await client.request(
    await client.boot(scriptId),
    helloFor(scriptId, { key, ...changes }),
  )
  const answer = await client.post('/exec', body)
  if (!openAnswer(keys, answer).reply.ok) throw new Error('the execution was denied')
  return answer.text
}

export async function post(url: string, body: string, size?: number): Promise<void> {
  const path = size === undefined ? '/client/v1/exec' : `/?${size}`
  const response = await fetch(url + path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'text/plain' },
  })
  await response.text()
  if (response.status !== 200) throw new Error(`the execution was answered with ${response.status}`)
}

async function text(url: string): Promise<string> {
  return (await fetch(url)).text()
}

type Role = 'service' | 'marked' | 'split' | 'logged' | 'bare'

/** `rows` is the number of log entries on a `logged` server. */
export async function startServer(role: Role, rows = 0, env: NodeJS.ProcessEnv = {}): Promise<Server> {
  const child = fork(new URL('execution-server.ts', import.meta.url), [role, String(rows)], {
    env: { ...process.env, ...env },
  })
  const [place] = (await once(child, 'message')) as [Omit<Server, 'used' | 'end'>]
  return {
    ...place,
    end: () => child.disconnect(),
    async used() {
      child.send('used')
      const [ms] = (await once(child, 'message')) as [number]
      return ms
    },
  }
}

function row(name: string, values: readonly number[], limit?: string): Row {
  const sorted = [...values].sort((a, b) => a - b)
  const note = `least ${sorted[0]?.toFixed(2)}, most ${sorted.at(-1)?.toFixed(2)}`
  const figure = { name, value: sorted[Math.floor(sorted.length / 2)] ?? 0, unit: 'ms', note }
  return limit ? { ...figure, limit } : figure
}
