/**
 * Measures the library for script hubs: its size, and the CPU time that it takes to start and to check a key,
 * excluding the network.
 */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { type LoaderRuntime, libraryCore, packCore, renderLibrary } from '../packages/client/src/bundle.ts'
import { signLibraryAnswer } from '../packages/client/src/check-answers.ts'
import { ed25519Pair, toB64u } from '../packages/client/src/wire.ts'
import type { Row } from './row.ts'

const KB = 1024
const signing = ed25519Pair(randomBytes(32))
const record = {
  urls: ['https://ward.example.com/client/v1'],
  pins: [toB64u(signing.publicKey), toB64u(randomBytes(32))],
}
type Host = {
  readonly name: string
  readonly runtime: LoaderRuntime
  readonly command: readonly string[]
  /** Limit for the CPU time of a check. */
  readonly limit?: string
}
const HOSTS: readonly Host[] = [
  { name: 'Lua 5.1', runtime: '51', command: ['lua5.1'], limit: '<= 150' },
  { name: 'LuaJIT', runtime: 'jit', command: ['luajit'] },
  { name: 'Lua 5.4', runtime: '54', command: ['lua5.4'] },
  // No system package provides native Luau, so Luau is measured only if it has been built on this machine.
  // Its clock includes time used by other programs.
  { name: 'Luau', runtime: 'luau', command: ['luau'], limit: '<= 60' },
  {
    ...{ name: 'Luau in WebAssembly', runtime: 'luau' },
    command: [process.execPath, 'packages/client/test/luau.ts'],
  },
]

export async function bench(): Promise<Row[]> {
  const hosts = HOSTS.filter(({ command: [program = ''] }) => !spawnSync(program, ['--version']).error)
  return [...(['any', 'luau'] as const).flatMap(sizes), ...hosts.flatMap(times)]
}

function sizes(runtime: LoaderRuntime): Row[] {
  const core = libraryCore(runtime)
  const [plain, packed] = [core, packCore(core)].map((text) => renderLibrary(text, record))
  const size = (name: string, text: string | Buffer = '', limit?: string): Row => ({
    ...{ name: `library for ${runtime}: ${name}`, value: text.length / KB, unit: 'KiB' },
    ...(limit === undefined ? {} : { limit }),
  })
  return [
    size('as served, with gzip', gzipSync(plain ?? ''), '<= 20'),
    size('as served, without gzip', plain),
    size('if it were packed', packed),
    size('if it were packed, with gzip', gzipSync(packed ?? '')),
  ]
}

/** A valid key whose plan has a few features and variables. */
const ANSWER = {
  ...{
    success: true,
    code: 0,
    reason: 'valid',
    key_expires: null,
    executions: 7,
    note: 'for Ann',
    bound: true,
  },
  ...{
    plan: 'Pro',
    features: { turbo: true, slots: 3 },
    vars: { motd: 'hello' },
    tags: ['vip'],
    metadata: null,
  },
  ...{ in_grace: false, status: 'active', details: null, retry_after: null, typo: false, message: null },
  ...{ link: null, get_key: 'https://ward.example.com/ads/hub?d=ticket', nonce: 'n'.repeat(32), st: 1 },
}

/** The response has a valid signature, but for a different request. The library checks this last. */
function programOf(runtime: LoaderRuntime): string {
  const answer = signLibraryAnswer(signing.privateKey, { ...ANSWER, asked: 'a'.repeat(43) })
  return `
function request() return { StatusCode = 200, Body = ${JSON.stringify(answer)} } end
local function median(rounds, run)
  local times = {}
  for round = 1, rounds do
    local start = os.clock()
    run()
    times[round] = os.clock() - start
  end
  table.sort(times)
  return times[math.floor((rounds + 1) / 2)] * 1000
end
local function open()
  local ward = (function() ${renderLibrary(libraryCore(runtime), record)} end)()
  ward.project = 'prj_1'
  return ward
end
local ward = open()
assert(ward.check('KEY').message == 'The response belongs to a different request.')
print(median(20, open))
print(median(20, function() ward.check('KEY') end))`
}

function times({ name, runtime, command: [program = '', ...words], limit }: Host): Row[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'library-'))
  const file = path.join(folder, 'hub.lua')
  writeFileSync(file, programOf(runtime))
  const cwd = path.join(import.meta.dirname, '..')
  const done = spawnSync(program, [...words, file], { cwd, encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  if (done.status !== 0) throw new Error(`${name}: ${done.stderr}`)
  const [start = 0, check = 0] = done.stdout.split('\n').map(Number)
  return [
    { name: `library on ${name}: startup, without compilation`, value: start, unit: 'ms' },
    {
      ...{ name: `library on ${name}: a check, without network time`, value: check, unit: 'ms' },
      ...(limit === undefined ? {} : { limit }),
    },
  ]
}
