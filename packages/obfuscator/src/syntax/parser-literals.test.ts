/**
 * Tests that a printed number or string has exactly the same value on real hosts, to the last bit and byte.
 */

import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runLua } from '../../test/run-lua.ts'
import { readEscapes, readLongString, readNumber } from './literals.ts'
import { spellInt64, spellNumber, spellString } from './print/spelling.ts'

function run(host: string, program: string): string {
  const { stdout, stderr, status } = spawnSync(host, ['-'], { input: program, encoding: 'latin1' })
  if (status !== 0) throw new Error(`${host}: ${stderr}`)
  return stdout
}

const doubles = [
  ...[0, 0.1, 1e15, 1e21, 1e22, 5e-324, 2.2250738585072014e-308, Number.MAX_VALUE, 2 ** 53 + 2, 123456.789],
  ...fc.sample(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), { numRuns: 500, seed: 1 }),
  ...fc.sample(
    fc.nat().map((n) => n / 1000),
    { numRuns: 200, seed: 2 },
  ),
]

const strings = fc.sample(
  fc
    .array(fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(34, 39, 48, 57, 92)), { maxLength: 12 })
    .map((codes) => String.fromCharCode(...codes)),
  { numRuns: 300, seed: 3 },
)

const chunksOf = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size))

const hexOf = (text: string) => Buffer.from(text, 'latin1').toString('hex')

describe('numbers', () => {
  const program = `for _, n in ipairs{${doubles.map(spellNumber).join(',')}} do print(('%.17g'):format(n)) end`

  test.each(['lua5.1', 'luajit', 'lua5.4'])('%s reads a printed number back bit by bit', (host) => {
    expect(run(host, program).trim().split('\n').map(Number)).toEqual(doubles)
  })

  test('Luau reads a printed number back bit by bit', async () => {
    const programs = chunksOf(doubles, 100).map((some, i) => {
      const texts = some.map((n) => `('%.17g'):format(${spellNumber(n)})`)
      return { name: String(i), code: `print(table.concat({${texts.join(',')}}, '\\n'))` }
    })
    const lines = (await runLua('luau', programs)).flatMap(({ output }) => output.split('\n'))
    expect(lines.filter((line) => line !== 'returned').map(Number)).toEqual(doubles)
  })

  test('a printed infinity is infinite on every host', () => {
    for (const host of ['lua5.1', 'luajit', 'lua5.4']) {
      expect(run(host, `print(${spellNumber(Number.POSITIVE_INFINITY)} == math.huge)`)).toBe('true\n')
    }
  })

  test.each([
    ['0x10', 16],
    ['0XfF', 255],
    ['3.', 3],
    ['.5e1', 5],
    ['0x.8', 0.5],
    ['0x1.8p3', 12],
    ['0x1p-1074', 5e-324],
    ['0x1.00000000000008p0', 1],
    ['0x1.000000000000081p0', 1.0000000000000002],
    ['0x1p1024', Number.POSITIVE_INFINITY],
    ['0x.00000000000008p-1022', 5e-324 * 0],
    ['0b101', 5],
    ['1_000.5_', 1000.5],
    ['0xFFFFFFFFFFFFFFFF', 2 ** 64],
    ['9007199254740993', 9007199254740992],
  ])('%s is read as %d', (text, value) => {
    expect(readNumber(text)).toMatchObject({ type: 'double', value })
  })

  test.each(['3x', '0x', '0b', '0b2', '1e', '1..2', '0x1p', '1.5LL', '0xg', '1LLL', '.', '0x.p1'])(
    '%s is rejected as a number',
    (text) => {
      expect(readNumber(text)).toBeNull()
    },
  )

  test('hexadecimal fractions have the same value as in LuaJIT', () => {
    const texts = ['0x1.8p3', '0x.8', '0x1p-1074', '0x1.921fb54442d18p1', '0xA.', '0x1.000000000000081p0']
    const read = run('luajit', texts.map((text) => `print(('%.17g'):format(${text}))`).join('\n'))
    expect(read.trim().split('\n').map(Number)).toEqual(
      texts.map((text) => (readNumber(text) as { value: number }).value),
    )
  })

  test('LuaJIT reads printed 64-bit integers back', () => {
    const values = [0n, 1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n]
    for (const isUnsigned of [true, false]) {
      const texts = values.map((value) => spellInt64({ kind: 'Int64Literal', at: 0, value, isUnsigned }))
      const expected = values.map((value) => (isUnsigned ? `${value}ULL` : `${BigInt.asIntN(64, value)}LL`))
      expect(
        run('luajit', texts.map((text) => `print(${text})`).join('\n'))
          .trim()
          .split('\n'),
      ).toEqual(expected)
      expect(texts.map((text) => readNumber(text))).toEqual(
        values.map((value) => ({ type: 'int64', value, isUnsigned })),
      )
    }
  })
})

describe('strings', () => {
  const program = `for _, s in ipairs{${strings.map(spellString).join(',')}} do
    print((s:gsub('.', function(c) return ('%02x'):format(c:byte()) end)))
  end`

  test.each(['lua5.1', 'luajit', 'lua5.4'])('%s reads a printed string back byte by byte', (host) => {
    // Lua 5.1 patterns stop at a zero byte, so the bytes are read one by one.
    const plain = program.replace("(s:gsub('.', function(c) return ('%02x'):format(c:byte()) end))", 'hex(s)')
    const hex =
      "local function hex(s) local t = {} for i = 1, #s do t[i] = ('%02x'):format(s:byte(i)) end return table.concat(t) end "
    expect(run(host, hex + plain)).toBe(`${strings.map(hexOf).join('\n')}\n`)
  })

  test('printed strings are ASCII, and readEscapes restores their value', () => {
    for (const value of strings) {
      const text = spellString(value)
      expect(text).toMatch(/^[\x20-\x7e]*$/)
      expect(readEscapes(text.slice(1, -1)).value).toBe(value)
    }
  })

  test.each([
    ['a\\x41\\u{20AC}\\z \n b', 'aA\xe2\x82\xacb'],
    ['\\065\\10\\0', 'A\n\0'],
    ['\\a\\b\\f\\n\\r\\t\\v\\\\\\\'\\"\\q', '\x07\b\f\n\r\t\v\\\'"q'],
    ['\\\r\n\\\n\\\r', '\n\n\n'],
    ['\\u{10FFFF}\\u{7f}\\u{7ff}', '\xf4\x8f\xbf\xbf\x7f\xdf\xbf'],
  ])('the escapes of %j are resolved', (text, value) => {
    expect(readEscapes(text)).toMatchObject({ value, errors: [] })
  })

  test('a long string loses only its first line break', () => {
    expect(readLongString('[=[\n\n]]a\r\nb]=]')).toBe('\n]]a\nb')
  })
})
