// Compares the Lua code for base64url, JSON and LZ4 with Node's own functions and lz4-napi, on every runtime.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { compressSync } from 'lz4-napi'
import { describe, expect, it } from 'vitest'
import { evaluate, type LuaRuntime, luaString, RUNTIMES, withCore } from './run-lua.ts'

for (const runtime of RUNTIMES) {
  const title = runtime.missing ? `${runtime.name}: ${runtime.missing}` : runtime.name

  describe.skipIf(runtime.missing)(title, { concurrent: true }, () => {
    testBase64(runtime)
    testJsonReading(runtime)
    testJsonWriting(runtime)
    testLz4(runtime)
  })
}

function testBase64(runtime: LuaRuntime): void {
  it('writes base64url as Node does and reads it back', async () => {
    const texts = Array.from({ length: 70 }, (_, length) => noise(`base64 ${length}`, length))
    const encoded = texts.map((text) => text.toString('base64url'))
    const writing = texts.map((text) => `base64.encode(${luaString(text)})`)
    const reading = encoded.map((text) => `hex(base64.decode('${text}'))`)
    const expected = [...encoded, ...texts.map((text) => text.toString('hex'))]
    expect(await evaluate(runtime, [...writing, ...reading])).toEqual(expected)
  })

  it('rejects base64url that a strict encoder would not write', async () => {
    const bad = ['Q', 'QQ==', 'QR', 'QUJ', 'Q+==', '/w', 'Q Q', 'QQ\n', 'QUJDR', 'é', 'QU.B', 'QQ\0\0']
    const cases = bad.map((text) => `tostring(base64.decode(${luaString(text)}))`)
    expect(await evaluate(runtime, cases)).toEqual(bad.map(() => 'nil'))
  })
}

function testJsonReading(runtime: LuaRuntime): void {
  it('round-trips every JSON value', async () => {
    const cases = JSON_VALUES.map(
      (value) => `json.encode((json.decode(${luaString(JSON.stringify(value))})))`,
    )
    expect((await evaluate(runtime, cases)).map((text) => JSON.parse(text))).toEqual(JSON_VALUES)
  })

  it('reads JSON that JSON.stringify would not write', async () => {
    const cases = JSON_TEXTS.map(([text]) => `json.encode((json.decode(${luaString(text)})))`)
    const expected = JSON_TEXTS.map(([, value]) => value)
    expect((await evaluate(runtime, cases)).map((text) => JSON.parse(text))).toEqual(expected)
  })

  it('rejects invalid JSON and reports the byte', async () => {
    const cases = NOT_JSON.map((text) => `tostring(select(2, json.decode(${luaString(text)})))`)
    const answers = await evaluate(runtime, cases)
    for (const [i, answer] of answers.entries())
      expect(answer, NOT_JSON[i]).toMatch(/^JSON: expected .+ at byte \d+$/)
  })

  it('allows 32 levels of nesting but not 33', async () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    const value = (levels: number) =>
      `(function() local t = {} for _ = 2, ${levels} do t = { t } end return t end)()`
    const answers = await evaluate(runtime, [
      `type(json.decode('${nested(32)}'))`,
      `tostring(select(2, json.decode('${nested(33)}')))`,
      `type(json.encode(${value(32)}))`,
      `tostring(select(2, json.encode(${value(33)})))`,
    ])
    expect(answers).toEqual([
      'table',
      'JSON: expected at most 32 levels at byte 33',
      'string',
      'JSON: must not nest deeper than 32 levels',
    ])
  })
}

function testJsonWriting(runtime: LuaRuntime): void {
  it('writes numbers as JSON does and whole numbers beyond 2^53 as strings', async () => {
    const answers = await evaluate(
      runtime,
      NUMBERS.map(([expression]) => `json.encode(${expression})`),
    )
    expect(answers).toEqual(NUMBERS.map(([, expected]) => expected))
  })

  it('reports why a value cannot be written', async () => {
    const cases = UNWRITABLE.map(([expression]) => `tostring(select(2, json.encode(${expression})))`)
    expect(await evaluate(runtime, cases)).toEqual(UNWRITABLE.map(([, problem]) => `JSON: ${problem}`))
  })

  it('drops null from objects and keeps it in lists', async () => {
    const answers = await evaluate(runtime, [
      `tostring(json.decode('{"a":null}').a) .. tostring(next(json.decode('{"a":null}')))`,
      `tostring(json.decode('[null]')[1] == json.null) .. tostring(json.decode('{"a":false}').a)`,
    ])
    expect(answers).toEqual(['nilnil', 'truefalse'])
  })

  it('reads and writes the same numbers where the decimal point is a comma', async () => {
    const text = `print(json.encode(json.decode('[0.5,1e2,-1.25e-3,12]')))`
    expect(await runtime.run(`${COMMA}\n${withCore(text)}`)).toBe('[0.5,100,-0.00125,12]\n')
  })

  it('also sends such numbers to server functions, and receives them', async () => {
    const values = readFileSync(new URL('../lua/values.lua', import.meta.url), 'utf8')
    const text = `local values = (function(...) ${values}\nend)(json, function() return true end)
      local sent = values.encode(-1.25e30)
      print(sent:sub(2) .. ' ' .. tostring(values.decode('\\1n-1.25e+30') == -1.25e30))`
    expect(await runtime.run(`${COMMA}\n${withCore(text)}`)).toBe('n-1.25e+30 true\n')
  })
}

function testLz4(runtime: LuaRuntime): void {
  it('unpacks every LZ4 block that the server packs', async () => {
    const cases = BLOCKS.map(
      ({ block, text }) => `hex(hash.sha256(lz4.decode(${luaString(block)}, ${text.length})))`,
    )
    const expected = BLOCKS.map(({ text }) => createHash('sha256').update(text).digest('hex'))
    expect(await evaluate(runtime, cases)).toEqual(expected)
  })

  it('returns nothing for an LZ4 block of a different size or a truncated one', async () => {
    const cases = BLOCKS.flatMap(({ block, text }) => [
      `tostring(lz4.decode(${luaString(block)}, ${text.length + 1}))`,
      `tostring(lz4.decode(${luaString(block)}, ${text.length - 1}))`,
      `tostring(lz4.decode(${luaString(block.subarray(0, -1))}, ${text.length}))`,
    ])
    expect(await evaluate(runtime, cases)).toEqual(cases.map(() => 'nil'))
  })

  it('returns the exact size or nothing for every corrupted LZ4 block', async () => {
    const text = noise('corrupted', 40).toString('hex').repeat(5)
    const block = pack(Buffer.from(text))
    const damaged = Array.from({ length: block.length * 3 }, (_, i) => damage(block, i))
    const cases = damaged.map((one) => `#(lz4.decode(${luaString(one)}, ${text.length}) or '') .. ''`)
    for (const answer of await evaluate(runtime, cases)) expect([0, text.length]).toContain(Number(answer))
  })

  it('returns nothing for impossible LZ4 blocks', async () => {
    const cases = IMPOSSIBLE.map((block) => `tostring(lz4.decode(unhex('${block}'), 20))`)
    expect(await evaluate(runtime, cases)).toEqual(IMPOSSIBLE.map(() => 'nil'))
  })
}

/** Bytes that look random but are the same in every run. */
function noise(name: string, length: number): Buffer {
  return createHash('shake256', { outputLength: Math.max(length, 1) })
    .update(name)
    .digest()
    .subarray(0, length)
}

/** Returns only the block, without the 4-byte size that lz4-napi adds before it. */
function pack(text: Buffer): Buffer {
  return compressSync(text).subarray(4)
}

function damage(block: Buffer, i: number): Buffer {
  const copy = Buffer.from(block)
  const place = i % block.length
  copy[place] = noise(`damage ${i}`, 1)[0] ?? 0
  return copy
}

const BLOCKS = [
  noise('incompressible', 1000),
  Buffer.alloc(70_000, 'a'),
  Buffer.from('local function f(a, b) return a + b end\n'.repeat(300)),
  Buffer.from('abcdefgh'.repeat(9)),
  Buffer.from('x'),
  Buffer.concat([noise('far', 300), Buffer.alloc(60_000, 'near'), noise('far', 300)]),
].map((text) => ({ text, block: pack(text) }))

/**
 * Simulates the C library's behavior in a locale with a decimal comma, because test machines may not have
 * such a locale installed.
 */
const COMMA = `local string, tonumber = setmetatable({ format = function(...)
  return (string.format(...):gsub('%.', ','))
end }, { __index = string }), function(text, base)
  if base then return tonumber(text, base) end
  return not text:find('.', 1, true) and tonumber((text:gsub(',', '.'))) or nil
end`

/**
 * In order: empty; too few literals; two endless literal lengths; offsets of 0 and before the start; an
 * endless match length; no last literals.
 */
const IMPOSSIBLE = ['', '10', 'f0ff', 'f0ffffff', '1041000000', '10410500', '1f410100ffff', '10410100']

const JSON_VALUES = [
  true,
  'text',
  '',
  'quote " backslash \\ slash / tab \t line \n return \r bell \u0007 delete \u007f',
  'nul \u0000 inside',
  'é ß 漢 😀 \u2028',
  0,
  -1,
  0.1,
  1e-7,
  1.5e300,
  2 ** 53,
  -(2 ** 53),
  123456.789,
  [],
  {},
  [[], {}, [1, [2, [3]]]],
  [1, null, 'x', false],
  { a: { b: { c: [] } }, '': 1, 'with space': [{}] },
] as const

const JSON_TEXTS = [
  [' \t\r\n{ "a" : [ 1 , 2 ] , "b" : { } } \n', { a: [1, 2], b: {} }],
  ['"\\u0041\\u00e9\\u6f22\\ud83d\\ude00\\/\\b\\f"', 'Aé漢😀/\b\f'],
  ['"\\u0000"', '\u0000'],
  ['[1e2,1E+2,1e-2,-0.5,0]', [100, 100, 0.01, -0.5, 0]],
  ['{"a":1,"a":2}', { a: 2 }],
] as const

const NOT_JSON = [
  ...[
    '',
    ' ',
    '{',
    '[',
    '"',
    '[1,]',
    '[1 2]',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{a:1}',
    "{'a':1}",
    '{1:2}',
    '[,1]',
  ],
  ...[
    '01',
    '-',
    '+1',
    '.5',
    '1.',
    '1e',
    '0x10',
    'NaN',
    'nul',
    'True',
    'tru',
    'nullx',
    '1 2',
    '{}{}',
    '[]]',
    '"a" "b"',
  ],
  ...[
    '"\t"',
    '"\n"',
    '"\\x41"',
    '"\\u12"',
    '"\\u12g4"',
    '"\\ud83d"',
    '"\\ud83dx"',
    '"\\ud83d\\u0041"',
    '"\\ude00"',
    '"\\',
  ],
]

const NUMBERS = [
  ['1', '1'],
  ['2 ^ 31', '2147483648'],
  ['-2 ^ 53', '-9007199254740992'],
  ['2 ^ 53 + 2', '"9007199254740994"'],
  ['2 ^ 60', '"1152921504606846976"'],
  ['0.1', '0.1'],
  ['1 / 3', '0.33333333333333331'],
  ['1e15 + 0.5', '1000000000000000.5'],
  ['3.0', '3'],
] as const

const UNWRITABLE = [
  ['0 / 0', 'numbers must be finite'],
  ['1 / 0', 'numbers must be finite'],
  ['{ -1 / 0 }', 'numbers must be finite'],
  ['print', 'a function cannot be sent'],
  ['nil', 'a nil cannot be sent'],
  ['{ f = print }', 'a function cannot be sent'],
  ['{ 1, x = 2 }', 'a table must be either a list or an object'],
  ['{ [2] = 1 }', 'lists must not have gaps'],
  ['{ [true] = 1 }', 'table keys must be strings'],
  ['(function() local t = {} t.t = t return t end)()', 'must not nest deeper than 32 levels'],
] as const
