/**
 * Tests that code that moves to the server behaves as it did in the script, and that none of it stays in the
 * build.
 */

import { describe, expect, test } from 'vitest'
import { type Host, runLua } from '../../test/run-lua.ts'
import { obfuscate } from '../index.ts'
import { type ObfuscateOptions, presets } from '../options.ts'
import { BODIES, SHARED } from './moved-functions.ts'
import {
  MAX_ALL_FUNCTIONS_BYTES,
  MAX_FUNCTION_BYTES,
  MAX_SERVER_CODE,
  MAX_TABLE_BYTES,
  type ServerCode,
} from './server-code.ts'

const SERVED: ObfuscateOptions = { preset: 'light', parameters: ['ward'] }

function protect(source: string, options: ObfuscateOptions = SERVED) {
  const result = obfuscate(source, options)
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return result
}

function complaintsOf(source: string, options: ObfuscateOptions = SERVED): string[] {
  const result = obfuscate(source, options)
  return 'errors' in result ? result.errors.map(({ message }) => message) : []
}

function sourceOf(code: ServerCode | undefined): string {
  if (code?.kind !== 'function') throw new Error('no function moved')
  return code.source
}

const ROUNDS = process.env.SCRIPTWARD_NIGHTLY ? 1000 : 100
/** Calls `f` with random arguments and prints all results. */
const EXERCISE = `
local seed = 7
local function chance(n) seed = seed * 16807 % 2147483647 return seed % n end
local function text(v, depth)
  if v == 0 then return '0' end -- hosts disagree about the sign of -7 % 7
  if type(v) == 'number' then return string.format('%.14g', v) end
  if type(v) ~= 'table' then return type(v) .. tostring(v) end
  local parts = {}
  for k, m in pairs(v) do parts[#parts + 1] = text(k) .. '=' .. text(m) end
  table.sort(parts)
  return '{' .. table.concat(parts, ';') .. '}'
end
local function packed(...) return { n = select('#', ...), ... } end
local lines = {}
for _ = 1, ${ROUNDS} do
  local letters, list = {}, {}
  for i = 1, 1 + chance(6) do letters[i] = string.char(97 + chance(26)) end
  for i = 1, 1 + chance(5) do list[i] = chance(20) end
  local results = packed(f((chance(4000) - 2000) / 8, chance(9), table.concat(letters), list))
  local line = results.n .. '|'
  for i = 1, results.n do line = line .. text(results[i]) .. '|' end
  lines[#lines + 1] = line
end
print(table.concat(lines, '\\n'))`

const scriptOf = (body: string) =>
  `${SHARED}\nlocal f = WARD_SERVER(function(a, b, s, t) ${body} end)\nreturn f`

const TARGETS: readonly (readonly [NonNullable<ObfuscateOptions['target']>, Host])[] = [
  ['lua51', 'lua5.1'],
  ['luajit', 'luajit'],
  ['lua54', 'lua5.4'],
  ['luau', 'luau'],
]

describe('a function on the server', () => {
  test.each(TARGETS)('returns the same as in a script for %s', async (target, host) => {
    const original = BODIES.map((body, i) => ({
      name: `${i}`,
      code: `local WARD_SERVER = function(f) return f end\nlocal f = (function() ${scriptOf(body)} end)()\n${EXERCISE}`,
    }))
    const moved = BODIES.map((body, i) => {
      const { serverCode } = protect(scriptOf(body), { ...SERVED, target })
      return { name: `${i}`, code: `local f = (function() ${sourceOf(serverCode[0])} end)()\n${EXERCISE}` }
    })
    const [inScript, onServer] = [await runLua(host, original), await runLua('luau', moved)]
    expect(inScript.map(({ error }) => error)).toEqual(BODIES.map(() => null))
    for (const [i, body] of BODIES.entries()) {
      const [before, after] = [inScript[i], onServer[i]].map((one) => ({
        ...one,
        output: one?.output.split('\n'),
      }))
      expect(before?.output?.slice(0, ROUNDS), body).toHaveLength(ROUNDS)
      const differing = before?.output?.slice(0, ROUNDS).findIndex((line, at) => line !== after?.output?.[at])
      expect([differing, after?.error, after?.output?.[differing ?? 0]], body).toEqual([-1, null, undefined])
    }
  })

  test("maps each of its lines to the author's line", () => {
    const { serverCode } = protect(
      'local K = 5\n\n\nlocal f = WARD_SERVER(function(x)\n\n  local y = x + K\n  return y\nend)\nf(1)',
    )
    expect(serverCode).toMatchObject([
      { kind: 'function', name: 'f', place: 'line 4', lines: ['line 1', 'line 4', 'line 6', 'line 7'] },
    ])
    expect(sourceOf(serverCode[0]).split('\n')).toHaveLength(4)
  })

  test('includes other server functions and calls them directly', () => {
    const { serverCode } = protect(
      'local one = WARD_SERVER(function() return 1 end)\nlocal two = WARD_SERVER(function() return one() + 1 end)\nprint(one(), two())',
    )
    expect(sourceOf(serverCode[1])).not.toContain('server')
  })

  test('gets `ward` from the server', () => {
    const { serverCode } = protect('local f = WARD_SERVER(function() return ward.plan end)\nprint(f(), ward)')
    expect(sourceOf(serverCode[0])).toMatch(/^local (\w+)=\.\.\.return function\(\)return \1\.plan end$/)
  })
})

const SECRETS = `
if not WARD_OBFUSCATED then WARD_SERVER = function(f) return f end end
local TABLE = { zebrafish = 'walrus', [731.5] = 'narwhal' }
local function helper(x) return x * 6171 .. 'pangolin' end
local alone = 'capybara'
local f = WARD_SERVER(function(okapi) return TABLE[okapi], helper(okapi), alone, 90210, 'axolotl' end)
local places = WARD_SERVER({ quokka = { x = 44123, y = 'numbat' }, [88001] = 'tapir' })
local config = { price = WARD_SERVER(function() return 'wombat' end, { cache = 'run' }) }
print(f(1), places.known, config.price())`
const WORDS = [
  ...['zebrafish', 'walrus', 'narwhal', 'pangolin', 'capybara', 'axolotl', 'okapi', 'helper', 'TABLE'],
  ...['quokka', 'numbat', 'tapir', 'wombat', '731.5', '6171', '90210', '44123', '88001'],
]

describe.each(presets.map(({ id }) => id))('a build at %s', (preset) => {
  test('contains none of the moved code, neither readable nor encrypted', () => {
    const { code, lines, report } = protect(SECRETS, { ...SERVED, preset })
    const client = JSON.stringify([code, report.warnings])
    expect(WORDS.filter((word) => client.includes(word))).toEqual([])
    const empty = SECRETS.replace(/local TABLE[\s\S]*(?=local f =)/, '')
      .replace(/function\(okapi\).*?end/, 'function() end')
      .replace(/\{ quokka.*?\}\)/, '{})')
      .replace("return 'wombat'", '')
    // The report counts strings, numbers and functions. If none of the moved code stays in the build, the
    // counts equal those of a script in which the moved code is empty.
    const bare = protect(empty, { ...SERVED, preset })
    expect({
      ...report,
      sourceSize: 0,
      outputSize: 0,
      dataSize: 0,
      slots: 0,
      liftedSlots: 0,
      tracing: '',
      seed: 0,
      // These contain line numbers, and the source without the moved code has fewer lines.
      hostUses: [],
    }).toEqual({
      ...bare.report,
      ...{ sourceSize: 0, outputSize: 0, dataSize: 0, slots: 0, liftedSlots: 0, tracing: '', seed: 0 },
      hostUses: [],
    })
    expect(lines.names).not.toContain('okapi')
  })

  test('calls moved code by number, and passes on the cache duration', async () => {
    const { code } = protect(SECRETS, { ...SERVED, preset })
    const ward = `local function stub(kind) return function(number, cache)
      local name = kind .. number .. tostring(cache)
      return kind == 'f' and function(...) return name .. select('#', ...) end or setmetatable({}, { __index = function(_, k) return name .. k end })
    end end
    local ward = { server = stub('f'), server_table = stub('t') }\n`
    const [ran] = await runLua('luau', [
      { name: 'a', code: `${ward}local main = (function(...) ${code} end)() main(ward)` },
    ])
    expect(ran).toEqual({ name: 'a', output: 'f1nil1\tt2nilknown\tf3true0', error: null })
  })
})

test('the report warns of copied values that also stay in the script', () => {
  const source =
    'local T = { 1 }\nlocal floor = math.floor\nlocal f = WARD_SERVER(function(i) return floor(T[i]) end)\nprint(f(1), T[1], floor(2))'
  const { report } = protect(source)
  expect(report.warnings).toEqual([
    "line 1: 'T' is copied to the server, but the script uses it too, so it also stays in the script",
  ])
})

test('a table on the server has keys of every kind, and later entries replace earlier ones', () => {
  const { serverCode } = protect(
    "local t = WARD_SERVER({ 'a', [2] = 'b', x = -1.5, [true] = { y = { 1, nil, 2 }, z = '\\255' }, x = 3, gone = nil })\nprint(t.x)",
  )
  expect(serverCode).toMatchObject([
    {
      kind: 'table',
      entries: [
        [1, 'a'],
        [2, 'b'],
        ['x', 3],
        [
          true,
          {
            members: [
              ['y', { list: [1, null, 2] }],
              ['z', '\xff'],
            ],
          },
        ],
      ],
    },
  ])
})

const inFunction = (body: string, parameters = '') =>
  `local f = WARD_SERVER(function(${parameters}) ${body} end)\nprint(f)`
const ALSO = ', so it cannot move to the server: pass it as a parameter'

describe('a build is rejected with a location and a fix for', () => {
  test.each([
    [
      'an assigned variable',
      `local n = 0\n${inFunction('return n')}\nn = 1`,
      `'n' (line 1) is assigned at line 4${ALSO}`,
    ],
    [
      'state in a variable',
      `local n = 0\n${inFunction('n = n + 1 return n')}`,
      `'n' (line 1) is assigned at line 2${ALSO}`,
    ],
    [
      'a computed value',
      `local n = compute()\n${inFunction('return n')}`,
      `'n' (line 1) is not a constant${ALSO}`,
    ],
    [
      'a parameter from outside',
      `local function g(p) return WARD_SERVER(function() return p end) end\ng()`,
      `'p' (line 1) has another value in each call${ALSO}`,
    ],
    [
      'a changed table',
      `local T = {}\nT.x = 1\n${inFunction('return T.x')}`,
      `'T' (line 1) is changed at line 2${ALSO}`,
    ],
    [
      'a table changed by a library',
      `local T = { 2, 1 }\ntable.sort(T)\n${inFunction('return T[1]')}`,
      `'T' (line 1) is changed at line 2${ALSO}`,
    ],
    [
      'a table that others see',
      `local T = {}\nshare(T)\n${inFunction('return T.x')}`,
      `'T' (line 1) could be changed through its use at line 2${ALSO}`,
    ],
    [
      'a function that is not movable',
      `local function show(x) print(x) end\n${inFunction('show(1)')}`,
      "'print' does not exist on the server: nobody sees what a server function prints: return the text and print it in the script",
    ],
    [
      'a host object',
      inFunction('return workspace.Part'),
      "'workspace' does not exist on the server: pass what the function needs from it as a parameter",
    ],
    [
      'a library function that the script replaces',
      `tostring = function() return 'own' end\n${inFunction('return tostring(1)')}`,
      "'tostring' does not exist on the server: pass what the function needs from it as a parameter",
    ],
    [
      'a coroutine',
      inFunction('return coroutine.yield(1)'),
      "'coroutine' does not exist on the server: a server function cannot wait: wait in the script",
    ],
    [
      'setfenv',
      inFunction('setfenv(1, {})'),
      "'setfenv' does not exist on the server: a server function has no environment to change",
    ],
    [
      'a function that Luau lacks',
      inFunction('return string.dump(1)'),
      "'string.dump' does not exist on the server, which runs Luau: pass its result as a parameter",
    ],
    [
      'a global',
      inFunction('total = 1'),
      "a server function keeps nothing between calls, so 'total' cannot be assigned: return the value instead",
    ],
    [
      'a change to an argument',
      inFunction('t.x = 1', 't'),
      "the script would not see this change, because 't' is a copy on the server: copy it into a local first, and return the result",
    ],
    [
      'a library that changes an argument',
      inFunction('table.insert(t.list, 1)', 't'),
      "the script would not see this change, because 't' is a copy on the server: copy it into a local first, and return the result",
    ],
    [
      'a function as a result',
      inFunction('return function() end'),
      'a function cannot be sent from the server: return the value that it would compute',
    ],
    [
      'all of ward',
      inFunction('return ward'),
      "on the server, 'ward' can only be read field by field: write the field, as in ward.plan",
    ],
    [
      'a field of ward that the service does not vouch for',
      inFunction('return ward.vars'),
      "'ward.vars' does not exist on the server: pass it as a parameter if it need not be trustworthy",
    ],
    [
      'a macro inside',
      inFunction('return WARD_SERVER(function() end)'),
      'this code already runs on the server: remove the inner macro',
    ],
    [
      'an unused result',
      'WARD_SERVER(function() end)',
      "the result of 'WARD_SERVER' is unused: assign it to a variable or call it",
    ],
    [
      'an argument that is not written inline',
      'local f = WARD_SERVER(g)',
      "'WARD_SERVER' takes a function or a table, written inline, and options: write WARD_SERVER(function(...) ... end) or WARD_SERVER(function(...) ... end, { cache = 60 })",
    ],
    [
      'other options',
      'local f = WARD_SERVER(function() end, { cash = 1 })',
      "the only option is 'cache': a number of seconds from 1 to 86400, or 'run' for the entire run",
    ],
    [
      'a time that is too long',
      'local f = WARD_SERVER(function() end, { cache = 86401 })',
      "the only option is 'cache': a number of seconds from 1 to 86400, or 'run' for the entire run",
    ],
    [
      'an iterated table',
      'local t = WARD_SERVER({ 1 })\nfor k in pairs(t) do end',
      "'t' is on the server, so it cannot be iterated: only single fields can be read",
    ],
    [
      'a measured table',
      'local t = WARD_SERVER({ 1 })\nprint(#t)',
      "'t' is on the server, so it cannot be measured with #: only single fields can be read",
    ],
    [
      'a written table',
      'local t = WARD_SERVER({ 1 })\nt.x = 1',
      "'t' is on the server, so it cannot be changed: only single fields can be read",
    ],
    [
      'a computed value in a table',
      'local t = WARD_SERVER({ x = f() })',
      'a table on the server can contain only strings, numbers, booleans and tables of them, written inline',
    ],
    [
      'a computed key in a table',
      'local t = WARD_SERVER({ [f()] = 1 })',
      'a key of a table on the server must be a string, number or boolean, written inline',
    ],
    [
      'a mixed table in a table',
      'local t = WARD_SERVER({ x = { 1, y = 2 } })',
      'a table inside a table on the server must be a list or have named fields, not both',
    ],
  ])('%s', (_, source, complaint) => {
    const messages = complaintsOf(source)
    expect(messages.map((one) => one.replace(/^line \d+, column \d+: /, ''))).toContain(complaint)
    for (const message of messages) expect(message).toMatch(/^line \d+, column \d+: /)
  })

  test('a file without a server', () => {
    expect(complaintsOf(inFunction('return 1'), { preset: 'light' })).toEqual([
      "line 1, column 11: 'WARD_SERVER' requires the server, which runs the code: upload the script, for example with 'scriptward push'",
    ])
  })

  test('operators of Lua 5.4 that Luau lacks', () => {
    expect(complaintsOf(inFunction('return a & 1', 'a'), { ...SERVED, target: 'lua54' })).toEqual([
      "line 1, column 44: the server runs Luau, which has no operator '&': compute this in the script and pass the result as a parameter",
    ])
  })

  test('too much code', () => {
    const long = inFunction(`return '${'x'.repeat(MAX_FUNCTION_BYTES)}'`)
    expect(complaintsOf(long)[0]).toMatch(`the server takes at most ${MAX_FUNCTION_BYTES}: split it`)
    const entries = Array.from({ length: 100_000 }, (_, i) => `k${i} = ${i}`).join(',')
    expect(complaintsOf(`local t = WARD_SERVER({ ${entries} })`)[0]).toMatch(
      `at most ${MAX_TABLE_BYTES}: split it`,
    )
    const shared = Array.from({ length: 20 }, (_, i) => `local f${i} = WARD_SERVER(function() return T end)`)
    const copies = `local T = '${'x'.repeat(60_000)}'\n${shared.join('\n')}`
    expect(complaintsOf(copies)[0]).toMatch(`more than ${MAX_ALL_FUNCTIONS_BYTES} bytes together`)
    const many = Array.from({ length: MAX_SERVER_CODE + 1 }, () => 'WARD_SERVER(function() end)').join(',')
    expect(complaintsOf(`print(${many})`)[0]).toMatch(`at most ${MAX_SERVER_CODE} functions and tables`)
  })
})
