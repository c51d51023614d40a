/**
 * Tests numbers that differ between keys on real hosts: as the author wrote them, and as a server writes them
 * for a key.
 */

import { describe, expect, test } from 'vitest'
import { type Host, runLua } from '../../test/run-lua.ts'
import { seeds } from '../../test/seeds.ts'
import { padsOf, withChannel } from '../../test/served.ts'
import { type Built, expand, type ObfuscateOptions, obfuscate } from '../index.ts'
import { writeNumber } from './served-numbers.ts'
import { middleOf } from './variation.ts'

function build(source: string, options: ObfuscateOptions = {}): Built {
  const result = obfuscate(source, { seed: 'vary', slots: 1024, ...options })
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return result
}

/** Writes the copy for a key: the level of every number, and a 1 in every second slot. */
function copyOf({ code, numbers, slots }: Built, levelOf: (count: number) => number): string {
  const bytes = Buffer.from(code, 'latin1')
  const ones = slots.filter((_, i) => i % 2 === 1).flat()
  const edits = numbers.list.flatMap((each) => writeNumber(numbers, each, levelOf(each.count)))
  for (const { at, text } of [...ones, ...edits]) bytes.write(text, at, 'latin1')
  return bytes.toString('latin1')
}

/** Uses numbers in every kind of code: virtualized, native, locked, in loops, and in the main chunk. */
const program = (vary: (value: number, tolerance: number) => string) => `
local speed = ${vary(61.25, 0.01)}
local function tiny() return ${vary(-3.5, 0.001)} end
local native = WARD_NO_VIRTUALIZE(function(x)
  local sum = 0
  for i = 1, 2 do sum = sum + x * ${vary(0.125, 0.0625)} end
  return sum
end)
local locked = WARD_ENCFUNC(function(text) if text == 'open' then return ${vary(7.75, 0.5)} end return ${vary(2, 0.5)} end)
local keyed = WARD_ENCFUNC(function() return ${vary(9.5, 0.25)} end, 'the key', 'the ' .. 'key')
local function busy(n)
  local best = 0
  for i = 1, n do
    for j = 1, n do if i + j > ${vary(5, 2)} then best = best + ${vary(1000, 400)} end end
    if best > 0 then best = best - 1 else best = best + 0.5 end
  end
  while best > ${vary(500, 100)} do best = best - ${vary(77, 7)} end
  return best
end
local t = { near = ${vary(16, 0.5)}, ${vary(0, 0.1)} }
local function counted() local n = 0 for _ = 1, ${vary(10, 5)} do n = n + 1 end return n end
for _, each in ipairs({ speed, tiny(), native(3), locked('open'), locked('x'), keyed(), busy(5), t.near, t[1], counted() }) do
  print(string.format('%.12g', each))
end`

const SOURCE = `if not WARD_OBFUSCATED then WARD_VARY = function(v) return v end end
${program((value, tolerance) => `WARD_VARY(${value}, ${tolerance})`)}`

/** A program with these numbers as literals. A copy must behave like this program. */
const plain = (share: -1 | 0 | 1) =>
  program((value, tolerance) => `(${value + share * tolerance})`).replaceAll(
    /WARD_(NO_VIRTUALIZE|ENCFUNC)/g,
    '(function(f) return f end)',
  )

const NUMBERS = SOURCE.match(/WARD_VARY\(/g)?.length ?? 0
const LEVELS = [
  { share: -1, level: () => 0 },
  { share: 0, level: (count: number) => middleOf({ count }) },
  { share: 1, level: (count: number) => count - 1 },
] as const

describe.each<Host>(['lua5.1', 'luajit', 'luau', 'lua5.4'])('on %s', (host) => {
  const target = host === 'lua5.4' ? 'lua54' : 'any'

  test.each(['balanced', 'strong', 'max'])(
    'a copy at %s behaves like the program with the numbers of its key',
    async (preset) => {
      for (const seed of seeds) {
        const servicePad = padsOf('secret')
        const served = build(SOURCE, { preset, target, seed, parameters: [], servicePad })
        const alone = build(SOURCE, { preset, target, seed })
        expect(served.report.warnings.join()).toContain('because of a number of WARD_VARY')
        expect([served.numbers.list.length, alone.numbers.list.length]).toEqual([NUMBERS, NUMBERS])
        const pads = served.locks.map(({ size }, lock) => servicePad(lock, size))
        const run = async (programs: readonly string[]) => {
          const outcomes = await runLua(
            host,
            programs.map((code, i) => ({ name: `${i}`, code })),
          )
          return outcomes.map(({ output, error }) => error ?? output)
        }
        const expected = await run(LEVELS.map(({ share }) => plain(share)))
        expect(new Set(expected).size).toBe(LEVELS.length)
        const copies = (built: Built) => LEVELS.map(({ level }) => copyOf(built, level))
        expect(await run(copies(alone))).toEqual(expected)
        expect(await run(copies(served).map((code) => withChannel({ code, pads })))).toEqual(expected)
        // A smoke test compares the build with the unprotected script, so both must use the author's numbers.
        const bare = expand(SOURCE, { slots: 1024, ...(target === 'lua54' ? { target } : {}) })
        if ('errors' in bare) throw new Error(JSON.stringify(bare.errors))
        const untouched = target === 'any' ? [alone.code, bare.code] : [alone.code]
        for (const each of await run(untouched)) expect(each).toBe(expected[1])
      }
    },
  )
})

test('in Lua 5.4, whole numbers stay integers, and others are floats', async () => {
  const source =
    'print(math.type(WARD_VARY(100, 5)), math.type(WARD_VARY(100.0, 5)), math.type(WARD_VARY(2, 0.5)))'
  const wanted = 'integer\tfloat\tfloat'
  const [copy, bare] = [1024, 0].map((slots) => build(source, { target: 'lua54', slots }))
  if (!copy || !bare) throw new Error('no builds')
  const programs = [copyOf(copy, () => 0), bare.code].map((code, i) => ({ name: `${i}`, code }))
  for (const { output } of await runLua('lua5.4', programs)) expect(output).toContain(wanted)
})

test('a split output has all numbers in its data', () => {
  const source = `local function f(x) return x * WARD_VARY(61.25, 0.01) end
    local function g(x, y) for i = 1, x do y = y + f(i) * WARD_VARY(2.5, 0.1) end return y end
    print(g(5, 1), WARD_VARY(7, 2))`
  const { data, numbers } = build(source, { parameters: ['ward'] })
  if (!data) throw new Error('not split')
  const places = numbers.list.flatMap((each) => writeNumber(numbers, each, 0))
  expect(places).toHaveLength(6)
  for (const { at, text } of places) {
    expect(at).toBeGreaterThan(data.from)
    expect(at + text.length).toBeLessThanOrEqual(data.to)
  }
})

test('a copy that is changed by hand elsewhere still fails, as does a copy with a wrong number', async () => {
  const built = build('print(WARD_VARY(61.25, 0.01))')
  const [first] = built.numbers.list
  if (!first) throw new Error('no number')
  const [word] = writeNumber(built.numbers, first, 5)
  const bytes = Buffer.from(built.code, 'latin1')
  bytes.write(word?.text ?? '', word?.at ?? 0, 'latin1')
  const [outcome] = await runLua('lua5.1', [{ name: 'x', code: bytes.toString('latin1') }])
  expect(outcome?.error).not.toBeNull()
})

test('the report states the number of keys among which the numbers can identify one', () => {
  const tracing = (count: number, tolerance: number) =>
    build(`print(WARD_VARY(100, ${tolerance}))\n`.repeat(count)).report.tracing
  const whole = 'identifies the key of an unchanged copy; after decompilation, the'
  expect(tracing(1, 0.01)).toBe(`${whole} WARD_VARY number only gives candidates: add more WARD_VARY numbers`)
  expect(tracing(2, 0.01)).toBe(`${whole} 2 WARD_VARY numbers identify the key among up to 3,243 keys`)
  expect(tracing(5, 5)).toBe(`${whole} 5 WARD_VARY numbers identify the key among up to 62 keys`)
  expect(tracing(9, 0.01)).toBe(`${whole} 9 WARD_VARY numbers identify the key among any number of keys`)
})

test('without a server, the number stays as the author wrote it, with a warning', async () => {
  const { code, numbers, report } = build('print(WARD_VARY(-61.25, 0.01), WARD_VARY(100, 5))', { slots: 0 })
  expect(numbers.list).toEqual([])
  expect(report).toMatchObject({ variedNumbers: 0, variedKeys: 0 })
  expect(report.warnings[0]).toMatch(/^line 1 and 1 more: this WARD_VARY is the same in every copy/)
  const [outcome] = await runLua('lua5.1', [{ name: 'x', code }])
  expect(outcome?.output).toContain('-61.25\t100')
})

const SERVER = 'WARD_SERVER(function(x) return x end)'

describe('invalid input is an error with its position and a fix', () => {
  test.each([
    ['WARD_VARY(x, 0.01)', 'column 11: ', 'takes a number and a tolerance'],
    ["WARD_VARY('61', 0.01)", 'column 11: ', 'takes a number and a tolerance'],
    ['WARD_VARY(61.25)', 'column 11: ', 'takes a number and a tolerance'],
    ['WARD_VARY()', 'column 11: ', 'takes a number and a tolerance'],
    ['WARD_VARY(61.25, 0.01, 1)', 'column 11: ', 'takes a number and a tolerance'],
    ['WARD_VARY(61.25 + 1, 0.01)', 'column 11: ', 'takes a number and a tolerance'],
    ['WARD_VARY(1e999, 0.01)', 'column 11: ', 'takes a number and a tolerance'],
    ['WARD_VARY(61.25, 0)', 'column 28: ', 'the tolerance must be greater than 0'],
    ['WARD_VARY(61.25, -0.01)', 'column 28: ', 'the tolerance must be greater than 0'],
    ['WARD_VARY(61.25, 1e-17)', 'column 28: ', 'no digits remain'],
    ['WARD_VARY', 'column 11: ', 'must be called directly'],
    [
      `WARD_SERVER({ speed = WARD_VARY(61.25, 0.01) }).speed, ${SERVER}`,
      'column 33: ',
      'on the server are the same',
    ],
    [
      'WARD_SERVER(function(n) return n * WARD_VARY(61.25, 0.01) end)(1)',
      'column 46: ',
      'on the server are the same',
    ],
  ])('%s', (expression, place, message) => {
    const result = obfuscate(`local a = ${expression}\nprint(a)`, { slots: 1024, parameters: ['ward'] })
    const messages = 'errors' in result ? result.errors.map((each) => each.message) : []
    expect(messages[0]).toContain(`line 1, ${place}`)
    expect(messages[0]).toContain(message)
  })

  test('a number that the server would copy', () => {
    for (const source of [
      'local speed = WARD_VARY(61.25, 0.01)\nlocal f = WARD_SERVER(function(n) return n * speed end)\nprint(f(1))',
      'local function speed() return WARD_VARY(61.25, 0.01) end\nlocal f = WARD_SERVER(function(n) return n * speed() end)\nprint(f(1))',
    ]) {
      const result = obfuscate(source, { slots: 1024, parameters: ['ward'] })
      expect('errors' in result && result.errors[0]?.message).toMatch(/pass (it|the number) as a parameter$/)
    }
  })

  test('more than a hundred numbers', () => {
    const source = (count: number) => 'print(WARD_VARY(1.5, 0.1))\n'.repeat(count)
    expect(build(source(100)).report.variedNumbers).toBe(100)
    const result = obfuscate(source(101), { slots: 1024 })
    expect('errors' in result && result.errors[0]?.message).toMatch(
      /^line 101, column 7: .* at most 100 numbers/,
    )
  })

  test.each([
    ['light', 'print(WARD_VARY(61.25, 0.01))'],
    ['strong', '--!hot\nprint(WARD_VARY(61.25, 0.01))'],
  ])('a build at %s that is the same for every key: %s', (preset, source) => {
    const result = obfuscate(source, { slots: 1024, preset })
    expect('errors' in result && result.errors[0]?.message).toContain("remove 'WARD_VARY'")
  })
})
