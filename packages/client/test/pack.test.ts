// Tests the packed loader: every runtime restores packed text exactly, and each kind of host gets a loader
// that runs there.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { LOADER_RUNTIMES, type LoaderRuntime, loaderCore, packCore } from '../src/bundle.ts'
import { pack } from '../src/pack.ts'
import { runLoader, runLuau, TRANSPORTS } from './run-loader.ts'
import { type LuaRuntime, RUNTIMES } from './run-lua.ts'
import { BEATS, SESSION, withPeer } from './story.ts'

const UNPACK = readFileSync(new URL('../lua/unpack.lua', import.meta.url), 'utf8')
const TEXTS = [
  'x',
  'abc',
  'a'.repeat(10_000),
  'a\n[[b]]--[==[c]=]d"e\\f\ng',
  noise(94),
  noise(9000),
  // Distances and lengths around the limits at which they need another digit.
  ...[7515, 7519, 7520, 7521, 60_000].map(
    (size) => `${'0123456789abc'.repeat(9)}${noise(size)}${'0123456789abc'.repeat(9)}`,
  ),
  ...[9, 10, 11, 12, 103, 104, 105, 197, 198].map(
    (length) => `${noise(50)}${'-'.repeat(length)}${noise(length)}`,
  ),
  loaderCore(),
]

describe.each(RUNTIMES)('in $name', (runtime) => {
  test.skipIf(runtime.missing)(`every packed text is restored ${runtime.missing ?? ''}`, async () => {
    expect(await unpackAll(runtime, TEXTS.map(pack))).toEqual(TEXTS.map(describeText))
  })
})

test('a string that cannot be packed is rejected', () => {
  for (const text of ['', '\nreturn 1', 'é', '\t', '\0']) expect(() => pack(text)).toThrow('printable ASCII')
})

test('the loader for one kind of host is smaller than the one for all', () => {
  const all = packCore(loaderCore('any')).length
  for (const runtime of LOADER_RUNTIMES.slice(1))
    expect(packCore(loaderCore(runtime)).length).toBeLessThan(all)
})

const HOSTS: readonly (readonly [LoaderRuntime, string])[] = [
  ['51', 'lua5.1'],
  ['jit', 'luajit'],
  ['jit', 'luajit -joff'],
  ['54', 'lua5.4'],
]

describe('the loader for', () => {
  for (const [kind, command] of HOSTS) {
    const missing = RUNTIMES.find(({ name }) => name === command)?.missing
    for (const [way, env] of Object.entries(TRANSPORTS)) {
      test.skipIf(missing)(`${kind} runs in ${command} over ${way} ${missing ?? ''}`, async () => {
        await withPeer(async (peer) => {
          peer.core = packCore(loaderCore(kind))
          expect(await runLoader({ command, text: peer.loader(), env })).toMatchObject({
            stdout: 'ran\n',
            stderr: '',
          })
          await vi.waitFor(() => expect(peer.live.ends).toHaveLength(1), 120_000)
        })
      })
    }
  }

  test('luau runs in Luau, with a session', async () => {
    await withPeer(async (peer) => {
      peer.core = packCore(loaderCore('luau'))
      peer.reset({ decide: () => ({ beat: BEATS, ws: SESSION }) })
      peer.live.scene.session = (session) =>
        session.send({ t: 'kick', code: 44, reason: 'script_disabled', message: 'Off.' })
      const outcome = await runLuau({ text: peer.loader(), live: true })
      expect(outcome).toMatchObject({
        stdout: 'ran\nkicked: scriptward: Off. (script_disabled)\n',
        stderr: '',
      })
    })
  })
})

/** Compares length and a checksum, because a runtime's output may not preserve every text. */
async function unpackAll(runtime: LuaRuntime, packed: readonly string[]): Promise<string[]> {
  const lines = packed.map((text) => `show(unpackText("${text.replace(/["\\\n]/g, escaped)}"))`)
  const sum = `local function show(text)
    local sum = 0
    for i = 1, #text do sum = (sum * 31 + text:byte(i)) % 1000003 end
    print(('%d %d'):format(#text, sum))
  end`
  const program = `local unpackText = (function(...) ${UNPACK} end)()\n${sum}\n${lines.join('\n')}`
  return (await runtime.run(program)).trim().split('\n')
}

function escaped(letter: string): string {
  return `\\${String(letter.charCodeAt(0)).padStart(3, '0')}`
}

function describeText(text: string): string {
  let sum = 0
  for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) % 1_000_003
  return `${text.length} ${sum}`
}

/** Printable text with almost no repetition. */
function noise(length: number): string {
  let text = ''
  for (let i = 0; text.length < length; i++) {
    const bytes = createHash('sha512').update(`noise ${length} ${i}`).digest()
    text += Array.from(bytes, (byte) => String.fromCharCode(32 + (byte % 95))).join('')
  }
  return text.slice(0, length).replace(/^\s/, 'x')
}
