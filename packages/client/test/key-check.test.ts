// Tests keys that have a key format: the loader detects typos before it sends anything, and sends every other
// key unchanged.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Peer } from './peer.ts'
import { COMMANDS, runLoader, runLuau, TRANSPORTS } from './run-loader.ts'
import { evaluate, RUNTIMES } from './run-lua.ts'

/** Key formats, each with a key that was generated for it. */
const KEYS = [
  ['HUB-XXXXX-XXXXX-XXXXX-XXXXX-X', 'HUB-U4Q5H-LUE6A-QZXAS-4Q57B-4'],
  ['XXXXXXX-XXXXXXX-XXXXXXX', 'LZAH5YU-WMG5DBK-89YWBB3'],
  ['XXXXXXXXXXXXXXXXXXXXX', 'EWX44PG7EVE72NBR2X72T'],
  ['X2-XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX', 'X2-9ZTUZ4GVX2M99U2R3UET37M4C2PXAKTG'],
] as const
const [[FORMAT, KEY]] = KEYS
const WRONG = 'HUB-U4Q5H-LUE6A-QZXAS-4Q57B-5'
const WORDS = 'scriptward: This key contains a typo. Check script_key. (invalid_key)'

describe.each(RUNTIMES)('on $name', { concurrent: true }, (runtime) => {
  const check = (cases: readonly (readonly [form: string, key: string])[]) =>
    evaluate(
      runtime,
      cases.map(([form, key]) => `tostring(keyCheck('${form}', '${key}'))`),
    )
  const { missing = '' } = runtime

  test.skipIf(missing)(`a valid key is sent in upper case ${missing}`, async () => {
    const right = KEYS.flatMap(([form, key]) => [[form, key] as const, [form, key.toLowerCase()] as const])
    expect(await check(right)).toEqual(KEYS.flatMap(([, key]) => [key, key]))
  })

  test.skipIf(missing)(`detects every wrong symbol and every swap of two neighbors ${missing}`, async () => {
    const wrong = KEYS.flatMap(([form, key]) => mistypedOf(form, key).map((one) => [form, one] as const))
    expect(wrong.length).toBeGreaterThan(3000)
    expect(new Set(await check(wrong))).toEqual(new Set(['false']))
  })

  test.skipIf(missing)(`a key in another form is sent unchanged ${missing}`, async () => {
    const others = ['k'.repeat(32), 'old key', `${WRONG}2`, WRONG.slice(0, -1), `PUB${WRONG.slice(3)}`]
    const near = [WRONG.replace('4', '0'), WRONG.replace('-L', 'L-'), WRONG.replaceAll('-', '_')]
    const keys = [...others, ...near, KEYS[1][1], 'h'.repeat(29)]
    expect(await check(keys.map((key) => [FORMAT, key] as const))).toEqual(keys)
  })
})

function mistypedOf(form: string, key: string): string[] {
  const start = form.indexOf('-') < 0 || form.startsWith('XX') ? 0 : form.indexOf('-') + 1
  const places = Array.from(key, (_, at) => at).filter((at) => at >= start && key[at] !== '-')
  const put = (text: string, at: number, symbol = '') => text.slice(0, at) + symbol + text.slice(at + 1)
  const others = places.flatMap((at) =>
    [...'23456789ABCDEFGHJKLMNPQRSTUVWXYZ'].filter((one) => one !== key[at]).map((one) => put(key, at, one)),
  )
  const swapped = places.slice(1).flatMap((at, index) => {
    const before = places[index] ?? 0
    return key[at] === key[before] ? [] : [put(put(key, at, key[before]), before, key[at])]
  })
  return [...others, ...swapped]
}

describe('the loader', () => {
  const peer = new Peer()
  beforeAll(() => peer.listen())
  afterAll(() => peer.close())
  beforeEach(() => peer.reset())

  const once = () => peer.loader(undefined, { key_format: FORMAT })
  const kept = () => peer.file({ key_format: FORMAT })
  const set = (key: string) => `script_key = "${key}"`

  describe.each(COMMANDS)('on $name', ({ name, missing }) => {
    const start = (text: string, key: string) =>
      runLoader({ command: name, text, before: set(key), env: TRANSPORTS.LuaSocket })

    test.skipIf(missing)(`runs with a valid key in upper or lower case ${missing ?? ''}`, async () => {
      for (const key of [KEY, ` ${KEY.toLowerCase()}\\n`]) {
        expect(await start(once(), key)).toEqual({ status: 0, stdout: 'ran\n', stderr: '' })
        expect(peer.hellos.at(-1)?.key).toBe(KEY)
      }
    })

    test.skipIf(missing)(
      `ends with one line for a mistyped key and sends nothing ${missing ?? ''}`,
      async () => {
        for (const text of [once(), kept()])
          expect(await start(text, WRONG)).toEqual({ status: 1, stdout: '', stderr: `${WORDS}\n` })
        expect(peer.exchanges).toEqual([])
      },
    )

    test.skipIf(missing)(`sends a key in another form unchanged ${missing ?? ''}`, async () => {
      for (const key of ['kK'.repeat(16), 'moved-from-elsewhere'])
        expect(await start(once(), key)).toMatchObject({ stdout: 'ran\n' })
      expect(peer.hellos.map(({ key }) => key)).toEqual(['kK'.repeat(16), 'moved-from-elsewhere'])
    })

    test.skipIf(missing)(`checks for no typos if the project has no format ${missing ?? ''}`, async () => {
      expect(await start(peer.loader(), WRONG)).toMatchObject({ stdout: 'ran\n' })
      expect(peer.hellos.map(({ key }) => key)).toEqual([WRONG])
    })
  })

  test('corrects the case of a valid key and sends no mistyped one, in Luau too', async () => {
    expect(await runLuau({ text: once(), before: set(KEY.toLowerCase()) })).toMatchObject({ stdout: 'ran\n' })
    expect(peer.hellos.map(({ key }) => key)).toEqual([KEY])
    peer.reset()
    for (const text of [once(), kept()]) {
      const { stdout, stderr } = await runLuau({ text, before: set(WRONG) })
      expect([stdout, stderr]).toEqual(['', expect.stringContaining(WORDS)])
    }
    expect(peer.exchanges).toEqual([])
  })

  test('runs without a key if the script requires none', async () => {
    const run = { command: 'luajit', text: once(), env: TRANSPORTS.LuaSocket }
    expect(await runLoader(run)).toMatchObject({ stdout: 'ran\n' })
    expect(peer.hellos.map(({ key }) => key)).toEqual([null])
  })

  test('reports a mistyped key to a program that watches denials', async () => {
    const before = `${set(WRONG)} ward = { on_denied = function(reason) print("denied:", reason) end }`
    const { stdout } = await runLoader({ command: 'luajit', text: once(), before, env: TRANSPORTS.LuaSocket })
    expect(stdout).toBe('denied:\tinvalid_key\n')
    expect(peer.exchanges).toEqual([])
  })
})
