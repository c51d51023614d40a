/**
 * Measures loader startup with and without the cache: requests, downloaded bytes, and the CPU time until the
 * first line of the script. The script is 10 KB, protected with `strong`, so it has an interpreter.
 */
import { type LoaderRuntime, loaderCore, packCore, packInterpreter } from '../packages/client/src/bundle.ts'
import type { Grant } from '../packages/client/src/messages.ts'
import { Peer } from '../packages/client/test/peer.ts'
import { Device, lineFor } from '../packages/client/test/run-cached.ts'
import { dataOf, interpreterOf, obfuscate } from '../packages/obfuscator/src/index.ts'
import { programs } from './protected.ts'
import type { Row } from './row.ts'

const KB = 1024
const ROUNDS = 7
const SCRIPT_BYTES = 10 * KB
/**
 * Simulates a slow connection: the latency of each request, and the bytes transferred per millisecond (2
 * Mbit/s).
 */
const LINK = { requestMs: 100, bytesPerMs: 250 }
const HOSTS: readonly (readonly [string, string, LoaderRuntime, string])[] = [
  ['Lua 5.1', 'lua5.1', '51', 'lua51'],
  ['LuaJIT', 'luajit', 'jit', 'luajit'],
  ['Lua 5.4', 'lua5.4', '54', 'any'],
  ['Luau in WebAssembly', 'luau', 'luau', 'luau'],
]
const STARTS = [
  ['without the cache', ''],
  ['first start', '&cache=write'],
  ['later start', '&cache=read'],
] as const

type Start = { readonly requests: number; readonly bytes: number; readonly ms: number }

export async function bench(): Promise<Row[]> {
  const rows: Row[] = []
  for (const host of HOSTS) rows.push(...(await rowsOf(host)))
  return rows
}

async function rowsOf([name, host, runtime, target]: (typeof HOSTS)[number]): Promise<Row[]> {
  const peer = await openPeer(runtime, target)
  const device = new Device(host)
  const rows: Row[] = []
  let first: Start | undefined
  for (const [kind, cache] of STARTS) {
    const start = await measure(peer, device, lineFor(`${peer.url}/loader?rt=any${cache}`))
    const ratio = first && { limit: '<= 0.5', value: start.bytes / first.bytes }
    rows.push(...describe(`loader on ${name}, ${kind}`, start))
    if (kind === 'later start' && ratio)
      rows.push({
        name: `loader on ${name}, bytes of a later start relative to the first`,
        unit: 'of 1',
        ...ratio,
      })
    first = start
  }
  device.remove()
  await peer.close()
  return rows
}

function describe(name: string, { requests, bytes, ms }: Start): Row[] {
  return [
    { name: `${name}: requests`, value: requests, unit: '' },
    { name: `${name}: downloaded`, value: bytes / KB, unit: 'KiB' },
    { name: `${name}: CPU time`, value: ms, unit: 'ms' },
    {
      name: `${name}: computed at 100 ms per request and 2 Mbit/s`,
      value: ms + requests * LINK.requestMs + bytes / LINK.bytesPerMs,
      unit: 'ms',
    },
  ]
}

async function measure(peer: Peer, device: Device, line: string): Promise<Start> {
  const starts: Start[] = []
  for (let round = 0; round < ROUNDS; round++) {
    peer.exchanges.length = 0
    const before = `local read = processorMs or function() return os.clock() * 1000 end
      local start = read()
      function reached() print('reached ' .. read() - start) end`
    const { stdout, stderr } = await device.start(line, before)
    const ms = Number(/^reached (\S+)$/m.exec(stdout)?.[1] ?? Number.NaN)
    if (Number.isNaN(ms)) throw new Error(stderr || stdout)
    const needed = peer.exchanges.filter(({ url }) => !url.startsWith('/end'))
    const bytes = needed.reduce((sum, { answer }) => sum + answer.length, 0)
    starts.push({ requests: needed.length, bytes, ms })
  }
  return starts.sort((a, b) => a.ms - b.ms)[ROUNDS >> 1] as Start
}

async function openPeer(runtime: LoaderRuntime, target: string): Promise<Peer> {
  const peer = await new Peer().listen()
  peer.core = packCore(loaderCore(runtime))
  const text = programs.map(({ source }) => `local function part()\n${source}\nend\n`).join('')
  const built = obfuscate(`reached()\n${partOf(text)}`, {
    preset: 'strong',
    target,
    seed: 1,
    parameters: ['ward'],
  })
  if ('errors' in built || !built.data) throw new Error('the script has no data')
  const interpreter = packInterpreter(interpreterOf(built.code, built.data)) ?? ''
  const payload = { kind: 'vm' } as Grant['payload']
  peer.reset({
    script: dataOf(built.code, built.data),
    decide: () => ({ payload }),
    code: { loader: peer.core, interpreter },
  })
  return peer
}

/** Returns complete functions from the programs, up to the script's size. */
function partOf(text: string): string {
  const ends = [...text.matchAll(/^end\n(?=local function part\(\)|$)/gm)].map(({ index }) => index + 4)
  return text.slice(0, ends.findLast((end) => end <= SCRIPT_BYTES) ?? ends[0])
}
