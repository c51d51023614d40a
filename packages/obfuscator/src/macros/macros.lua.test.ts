/**
 * Tests macros: their effect on the output, files that also run unprotected with their own fallbacks, and
 * diagnostics for misuse.
 */

import { describe, expect, test } from 'vitest'
import { once } from '../../test/once.ts'
import { HOSTS, runAlone, runLua } from '../../test/run-lua.ts'
import { seeds } from '../../test/seeds.ts'
import { obfuscate } from '../index.ts'
import type { ObfuscateOptions } from '../options.ts'
import { presets } from '../options.ts'

function protect(source: string, options: ObfuscateOptions = {}) {
  const result = obfuscate(source, { preset: 'strong', ...options })
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return result
}

function diagnosticsOf(source: string): string[] {
  const result = obfuscate(source)
  return 'errors' in result ? result.errors.map(({ message }) => message) : []
}

const FALLBACKS = `
if not WARD_OBFUSCATED then
  WARD_JIT = function(f) return f end
  WARD_ENCSTR, WARD_ENCNUM, WARD_ENCFUNC, WARD_NO_UPVALUES = WARD_JIT, WARD_JIT, WARD_JIT, WARD_JIT
end
LPH_NO_VIRTUALIZE = LPH_NO_VIRTUALIZE or function(f) return f end
local LPH_ENCSTR = LPH_ENCSTR or function(text) return text end
`

const EVERYTHING = `${FALLBACKS}
local calls = 0
local fast = WARD_JIT(function(n) local s = 0 for i = 1, n do for j = 1, i do s = s + j * 3 end end return s end)
local plain = LPH_NO_VIRTUALIZE(function(a, ...) return function() return a end, select('#', ...) end)
local locked = WARD_ENCFUNC(function(x) calls = calls + 1 return 'locked ' .. x .. calls end)
local bare = WARD_NO_UPVALUES(function(a, ...) calls = calls + 1 return a, calls, ... end)
local t = { [LPH_ENCSTR('key')] = WARD_ENCNUM(-0.1) }
for i = 1, 3 do t[i] = LPH_ENCSTR('item') .. WARD_ENCNUM(1) * i end
print(fast(9), plain(4, nil, nil)(), select(2, plain(4, nil, nil)), locked('a'), bare('b', nil, 7, nil))
print(t.key, t[3], WARD_ENCNUM(1e300), WARD_ENCNUM(5e-324), WARD_ENCNUM(0), WARD_ENCNUM(9007199254740993), WARD_ENCNUM(255))
print(select('#', bare(nil, nil)), pcall(WARD_NO_UPVALUES(function() error({}) end)))`

describe('a file with macros', () => {
  const builds = once(() =>
    presets.flatMap(({ id }) =>
      seeds.map((seed) => ({ name: id, code: protect(EVERYTHING, { preset: id, seed }).code })),
    ),
  )

  test.each(HOSTS)('behaves the same protected and unprotected with its fallbacks, on %s', async (host) => {
    const passes = { 'encrypt-strings': false, 'encode-numbers': false, virtualize: false }
    const off = { name: 'passes off', code: protect(EVERYTHING, { passes }).code }
    const [original, ...outcomes] = await runLua(host, [
      { name: 'original', code: EVERYTHING },
      off,
      ...builds(),
    ])
    const shown = (output = '') => output.replace(/table: \w+/, 'table')
    expect(original?.error).toBeNull()
    for (const { name, error, output } of outcomes) {
      expect([name, error, shown(output)]).toEqual([name, null, shown(original?.output)])
    }
  })

  test.each([
    'if WARD_OBFUSCATED then return 1 end return 2',
    'if not LPH_OBFUSCATED then error() elseif ... then return 3 else return 4 end',
    'if WARD_JIT == nil then WARD_JIT = function() end end return WARD_JIT(function() return 5 end)()',
    'return WARD_OBFUSCATED and 6',
  ])('%s detects that it is protected', async (source) => {
    const [outcome] = await runLua('lua5.1', [{ name: source, code: protect(source).code }])
    expect([outcome?.error, outcome?.output]).toEqual([null, expect.stringMatching(/^returned\t[1356]$/)])
  })
})

describe('performance-critical code', () => {
  const loop = 'for i = 1, 9 do for j = 1, 9 do print(i * j) end end'
  const loops = (code: string) => code.match(/\bfor \w+=1,9 do/g)?.length ?? 0

  test('WARD_NO_VIRTUALIZE keeps all loops native and WARD_JIT only the innermost ones, and without a macro none stay native', () => {
    expect(loops(protect(`local f = WARD_NO_VIRTUALIZE(function() ${loop} end) f()`).code)).toBe(2)
    expect(loops(protect(`local f = LPH_JIT_MAX(function() ${loop} end) f()`).code)).toBeLessThan(2)
    expect(protect(`local f = LPH_JIT_MAX(function() ${loop} end) f()`).code).toMatch(/\bfor \w+=\w+,\w+ do/)
    expect(loops(protect(`local f = function() ${loop} end f()`).code)).toBe(0)
  })

  test('--!hot keeps the entire file native, and @native a function, even on hosts without that attribute', () => {
    const { code, report } = protect(`--!hot\n${loop}`)
    expect([loops(code), report.virtualized]).toEqual([2, 0])
    expect(code).not.toContain('--!')
    expect(loops(protect(`@native local function f() ${loop} end f()`).code)).toBe(2)
  })

  test('names and strings stay hidden in hot code', () => {
    const { code } = protect(
      `local f = WARD_NO_VIRTUALIZE(function(secret) return secret .. 'secret text' end) f('a')`,
    )
    expect(code).not.toMatch(/secret/)
  })
})

describe('protection that the author requested', () => {
  const off = { preset: 'light', passes: { 'encrypt-strings': false, 'encode-numbers': false } }

  test('WARD_ENCSTR and WARD_ENCNUM hide only their own literals when the passes are off', () => {
    const { code } = protect(
      `return WARD_ENCSTR('secret text'), WARD_ENCNUM(31337.25), 'plain text', 4711`,
      off,
    )
    expect(code).not.toMatch(/secret|31337/)
    expect(code).toMatch(/plain text.*4711/)
  })

  test('WARD_ENCNUM hides Lua 5.4 integers beyond 2^53, which stay integers', async () => {
    const numbers = ['9007199254740993', '-9007199254740993', '0x7fffffffffffffff', '0xfffffffffffffffe']
    const source = `print(${numbers.map((number) => `WARD_ENCNUM(${number})`)})`
    const expected = '9007199254740993\t-9007199254740993\t9223372036854775807\t-2'
    for (const { id } of presets) {
      const { code } = protect(source, { ...off, preset: id, target: 'lua54' })
      expect(code).not.toMatch(/9007199254740993|9223372036854775807/)
      expect(await runAlone('lua5.4', ['-'], code)).toBe(`${expected}\n`)
    }
    const behindKey = `local word = ... print(WARD_ENCNUM(${numbers[0]}, 'open sesame', 'open ' .. word))`
    const keyed = protect(behindKey, { target: 'lua54' }).code
    expect(await runAlone('lua5.4', ['-', 'sesame'], keyed)).toBe('9007199254740993\n')
  })

  test('WARD_ENCSTR hides a field name in a loop', () => {
    const { code } = protect(`for i = 1, 9 do print(t[WARD_ENCSTR('secretField')], t.plainField) end`, {
      preset: 'light',
    })
    expect(code).not.toMatch(/secretField/)
    expect(code).toMatch(/plainField/)
  })
})

test('WARD_NO_UPVALUES returns a function without visible upvalues', async () => {
  const source = `local secret = 'found' local f = WARD_NO_UPVALUES(function() return secret end)
    return debug.getupvalue(f, 1), f()`
  for (const preset of ['light', 'strong']) {
    const [outcome] = await runLua('lua5.1', [{ name: preset, code: protect(source, { preset }).code }])
    expect([outcome?.error, outcome?.output]).toEqual([null, 'returned\tnil\tfound'])
  }
})

test('WARD_CRASH never returns, and pcall cannot interrupt it', async () => {
  for (const preset of presets.map(({ id }) => id)) {
    const { code } = protect(`print('before') pcall(function() WARD_CRASH() end) print('behind')`, { preset })
    const text = `debug.sethook(function() print('still there') os.exit(0) end, '', 10000000)\n${code}`
    expect(await runAlone('lua5.1', ['-'], text)).toBe('before\nstill there\n')
  }
})

describe('misuse', () => {
  test.each([
    ['local f = WARD_JIT(g)', "line 1, column 11: 'WARD_JIT' takes exactly one argument, written inline"],
    ['local f = WARD_JIT(function() end, 1)', "line 1, column 11: 'WARD_JIT' takes exactly one argument"],
    ['local s = LPH_ENCSTR("a" .. x)', "line 1, column 11: 'LPH_ENCSTR' takes exactly one argument"],
    ['local n = WARD_ENCNUM("5")', "line 1, column 11: 'WARD_ENCNUM' takes exactly one argument"],
    ['local n = WARD_ENCNUM(1e999)', "line 1, column 11: 'WARD_ENCNUM' takes exactly one argument"],
    ['local f = WARD_ENCFUNC()', "line 1, column 11: 'WARD_ENCFUNC' takes exactly one argument"],
    ['x = 1\n  WARD_CRASH(1)', "line 2, column 3: 'WARD_CRASH' takes no argument"],
    ['local f = WARD_JIT', "line 1, column 11: 'WARD_JIT' must be called directly"],
    ['WARD_JIT = 5', "line 1, column 1: 'WARD_JIT' must be called directly"],
    ['WARD_JIT.x = 5', "line 1, column 1: 'WARD_JIT' must be called directly"],
    ['WARD_OBFUSCATED = 5', "line 1, column 1: 'WARD_OBFUSCATED' is true in protected scripts"],
    ['WARD_OBFUSCATED()', "line 1, column 1: 'WARD_OBFUSCATED'"],
    ['WARD_JIT(function() end)', "line 1, column 1: the result of 'WARD_JIT' is unused"],
  ])('a misused macro yields a diagnostic with its position: %s', (source, words) => {
    const [first = ''] = diagnosticsOf(source)
    expect(first.slice(0, words.length)).toBe(words)
  })

  test('a local that is named like a macro but is not a fallback stays a local', async () => {
    const [outcome] = await runLua('lua5.1', [
      { name: 'own', code: protect(`local function f(WARD_JIT) return WARD_JIT end return f(5)`).code },
    ])
    expect(outcome?.output).toBe('returned\t5')
  })
})
