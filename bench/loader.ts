/**
 * How long the loader is for each kind of host, boot record included, and what a whole run of it costs its user in each
 * Lua: processor time from the start of the loader's text to the first line of the script, by os.clock of the same
 * process. The loader is obfuscated and packed as it is served; the server's role is played on the loopback, and its
 * time is not counted.
 */
import {
  LOADER_RUNTIMES,
  type LoaderRuntime,
  loaderCore,
  packCore,
  packInterpreter,
} from '../packages/client/src/bundle.ts'
import { Peer } from '../packages/client/test/peer.ts'
import { COMMANDS, runLoader, TRANSPORTS } from '../packages/client/test/run-loader.ts'
import { dataOf, interpreterOf, obfuscate } from '../packages/obfuscator/src/index.ts'
import type { Row } from './row.ts'

const RUNS = 7
const SCRIPT_BYTES = 102_400
const PROTECTED_BYTES = 30_720
const LIMITS: Readonly<Record<string, string>> = { 'lua5.1': '< 100', luajit: '< 20' }

export async function bench(): Promise<Row[]> {
  const peer = await new Peer().listen()
  try {
    const rows = LOADER_RUNTIMES.map((runtime) => benchSize(peer, runtime))
    peer.core = served('any')
    for (const { name } of COMMANDS.filter(({ missing }) => !missing)) {
      rows.push(await benchRun(peer, name, 'a script of one line', ''))
      rows.push(await benchRun(peer, name, 'a script of 100 KB', filler(SCRIPT_BYTES)))
      rows.push(...(await benchDeliveries(peer, name)))
    }
    return rows
  } finally {
    await peer.close()
  }
}

async function benchRun(peer: Peer, command: string, what: string, rest: string): Promise<Row> {
  peer.reset({ script: `return function() print(os.clock() - started)\n${rest}\nend` })
  const times: number[] = []
  for (let i = 0; i < RUNS; i++) times.push(await timeOf(command, peer.loader()))
  return rowOf(command, what, times)
}

/** The same protected script as one piece, as data for an interpreter in the loader, and as both together; in turns. */
async function benchDeliveries(peer: Peer, command: string): Promise<Row[]> {
  const source = `print(os.clock() - started)\n${filler(PROTECTED_BYTES)}`
  const built = obfuscate(source, { seed: 1, parameters: ['ward'], slots: 1024 })
  if (!('code' in built) || built.data === null) throw new Error('the script is not split')
  const { code, data } = built
  const interpreter = packInterpreter(interpreterOf(code, data)) ?? ''
  const kinds = [
    { what: 'one piece', script: code, payload: { kind: 'source' } },
    { what: 'data', script: dataOf(code, data), payload: { kind: 'vm' }, carried: { interpreter } },
    { what: 'data and interpreter', script: code, payload: { kind: 'vm', data: [data.from, data.to] } },
  ]
  const times = kinds.map((): number[] => [])
  for (let i = 0; i < RUNS * kinds.length; i++) {
    const { script, payload, carried } = kinds[i % kinds.length] as (typeof kinds)[number]
    peer.reset({ script, decide: () => ({ payload: payload as never }) })
    times[i % kinds.length]?.push(await timeOf(command, peer.loader(undefined, carried)))
  }
  return kinds.map(({ what }, i) => rowOf(command, `a protected script of 30 KB as ${what}`, times[i] ?? []))
}

/** Milliseconds until the script's first line. */
async function timeOf(command: string, text: string): Promise<number> {
  const run = { command, text, before: 'started = os.clock()', env: TRANSPORTS.LuaSocket }
  const { status, stdout, stderr } = await runLoader(run)
  if (status !== 0) throw new Error(stderr)
  return Number(stdout) * 1000
}

function rowOf(command: string, what: string, times: number[]): Row {
  times.sort((a, b) => a - b)
  const note = `least ${times[0]?.toFixed(1)}, most ${times.at(-1)?.toFixed(1)}`
  const figure = { name: `${command}: ${what}`, value: times[Math.floor(RUNS / 2)] ?? 0, unit: 'ms', note }
  const limit = what.startsWith('a protected') ? undefined : LIMITS[command]
  return limit ? { ...figure, limit } : figure
}

function benchSize(peer: Peer, runtime: LoaderRuntime): Row {
  peer.core = served(runtime)
  const note = `${(protect(runtime).length / 1024).toFixed(1)} KB before it is packed`
  return {
    name: `loader for ${runtime}`,
    value: peer.loader().length / 1024,
    unit: 'KB',
    limit: '<= 33',
    note,
  }
}

function served(runtime: LoaderRuntime): string {
  return packCore(protect(runtime))
}

function protect(runtime: LoaderRuntime): string {
  const passes = { 'encode-numbers': false, 'encrypt-strings': false }
  const result = obfuscate(loaderCore(runtime), { preset: 'light', target: 'any', seed: 1, passes })
  if (!('code' in result)) throw new Error('the loader does not pass the obfuscator')
  return result.code
}

/** Functions that differ in their words and numbers, as those of a real script do. */
function filler(size: number): string {
  const words = ['user', 'count', 'total', 'position', 'speed', 'target', 'offset', 'message']
  let text = 'local t = {}\n'
  for (let i = 1; text.length < size; i++) {
    const name = words[i % 8]
    const other = words[(i * 5 + 3) % 8]
    text += `t.${name}${i} = function(self, ${other}, index)
  if ${other} > ${(i * 37) % 991} then self.${name} = (self.${name} or ${i}) + index * ${i % 17} end
  for n = 1, #self do self[n] = tostring(${other}) .. "${name} is ${(i * 7919) % 10007}" end
  return self.${name}, ${other}\nend\n`
  }
  return text
}
