/** Tests macros with a key, and settings for single functions: presets and attributes. */

import { describe, expect, test } from 'vitest'
import { once } from '../../test/once.ts'
import { HOSTS, runLua } from '../../test/run-lua.ts'
import { serve, withChannel, withoutGrant } from '../../test/served.ts'
import { obfuscate } from '../index.ts'
import { type ObfuscateOptions, presets } from '../options.ts'

function protect(source: string, options: ObfuscateOptions = {}) {
  const result = obfuscate(source, { preset: 'light', ...options })
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return result
}

function diagnosticsOf(source: string): string[] {
  const result = obfuscate(source)
  return 'errors' in result ? result.errors.map(({ message }) => message) : []
}

/** Strips the return values, which every host except Luau prints too. */
const printed = (output = '') => output.replace(/\n?returned$/, '').trimEnd()

const KEYED = `
local word = 'open sesame'
local found = 'nothing'
local function get() return found end
local treasure = LPH_ENCFUNC(function(x, ...)
  for i = 1, 2 do if i == 2 then x = x .. ' of gold' end end
  return 'the treasure ' .. x, 40961, ...
end, 'open sesame', get())
local text = function() return LPH_ENCSTR('a keyed text', 'open sesame', found) end
local count = function() return WARD_ENCNUM(-61.25, 'open sesame', found) + WYNF_ENC_NUM(7, 'open sesame', get()) end
for _, each in ipairs({ treasure, text, count }) do print(pcall(each, 'a')) end
found = 5
for _, each in ipairs({ treasure, text, count }) do print(pcall(each, 'a')) end
found = string.sub('open sesames', 1, 11)
for _, each in ipairs({ treasure, text, count }) do print(each('chest', 1, nil, 2)) end
found = 'open Sesame'
print(pcall(treasure, 'b'))`

const CLOSED = 'false\tscriptward: this code runs only with its key\n'
const PRINTED = `${CLOSED.repeat(6)}the treasure chest of gold\t40961\t1\tnil\t2\na keyed text\n-54.25\n${CLOSED.trimEnd()}`

describe('a keyed macro', () => {
  const builds = once(() => [
    ...presets.map(({ id }) => ({ name: id, code: protect(KEYED, { preset: id }).code })),
    { name: 'off', code: protect(KEYED, { passes: { 'lock-values': false } }).code },
  ])

  test.each(HOSTS)('opens only if its expression equals the key, on %s', async (host) => {
    for (const { name, error, output } of await runLua(host, builds())) {
      expect([name, error, printed(output)]).toEqual([name, null, PRINTED])
    }
  })

  test('leaves neither the key nor the protected values in the output', () => {
    const source = `return LPH_ENCFUNC(function() return 'the treasure', 40961 end, 'open sesame', ...)`
    const passes = { 'encrypt-strings': false, 'encode-numbers': false }
    const refused = obfuscate(source, { preset: 'light', passes })
    expect('errors' in refused).toBe(true)
    const { code, report } = protect(source.replace('...', 'x'), { passes })
    expect(code).not.toMatch(/sesame|treasure|40961/)
    expect(report.warnings.filter((each) => each.includes('ENCFUNC'))).toEqual([])
  })

  test('also needs the server key in a server build', async () => {
    const source = `local f = WARD_ENCFUNC(function() return 'the treasure' end, 'open sesame', word)
      print(pcall(f)) word = 'open sesame' print(pcall(f))`
    const build = serve(source)
    const [granted, without] = await runLua('lua5.1', [
      { name: 'granted', code: withChannel(build) },
      { name: 'without', code: withoutGrant(build) },
    ])
    expect(printed(granted?.output)).toBe(`${CLOSED}true\tthe treasure`)
    expect(without?.output).not.toContain('treasure')
  })

  test.each([
    [
      'f = LPH_ENCFUNC(function() end, key, x)',
      "line 1, column 33: the key of 'LPH_ENCFUNC' must be a string literal of 3 to 64 bytes",
    ],
    ["f = LPH_ENCFUNC(function() end, 'ab', x)", "line 1, column 33: the key of 'LPH_ENCFUNC'"],
    ["s = LPH_ENCSTR('text', 12345, x)", "line 1, column 24: the key of 'LPH_ENCSTR'"],
    [
      "s = LPH_ENCSTR('text', 'a key', ...)",
      "line 1, column 33: '...' has a different meaning inside 'LPH_ENCSTR'",
    ],
    ["n = LPH_ENCNUM('5', 'a key', x)", "line 1, column 5: 'LPH_ENCNUM' takes exactly one argument"],
    ["n = LPH_ENCNUM(5, 'a key')", "line 1, column 5: 'LPH_ENCNUM' takes exactly one argument"],
    ["f = WARD_ENCFUNC(g, 'a key', x)", "line 1, column 5: 'WARD_ENCFUNC' takes exactly one argument"],
    ["f = WARD_JIT(function() end, 'a key', x)", "line 1, column 5: 'WARD_JIT' takes exactly one argument"],
  ])('%s is rejected with its position', (source, words) => {
    const [first = '', ...rest] = diagnosticsOf(source)
    expect(first.slice(0, words.length)).toBe(words)
    expect(rest).toEqual([])
  })
})

describe('per-function settings', () => {
  const loop = 'for i = 1, 9 do for j = 1, 9 do print(i * j) end end'
  const loops = (code: string) => code.match(/\bfor \w+=1,9 do/g)?.length ?? 0
  const asking = (how: string) => `local f = ${how} f()`
  const withAttributes = (list: string) => asking(`function() LPH_ATTRIBUTES(${list}) ${loop} end`)
  const build = (source: string, preset = 'strong') => protect(source, { preset })

  test('a preset applies to one function: its loops stay native at light, and none do at strong', () => {
    const preset = (name: string) => asking(`WARD_PRESET('${name}', function() ${loop} end)`)
    expect(loops(build(preset('light')).code)).toBe(2)
    expect(loops(build(preset('balanced')).code)).toBeLessThan(2)
    expect(build(preset('balanced')).code).toMatch(/\bfor \w+=\w+,\w+ do/)
    expect(loops(build(preset('strong')).code)).toBe(0)
    const tiny = asking("WARD_PRESET('strong', function(a) return a + 1 end)")
    expect(build(tiny, 'balanced').report.virtualized).toBeGreaterThan(
      build(asking('function(a) return a + 1 end'), 'balanced').report.virtualized,
    )
  })

  test('attributes have the same effect, and an inner function overrides the outer one', () => {
    expect(loops(build(withAttributes('VM(NONE)')).code)).toBe(2)
    expect(loops(build(withAttributes('PRESET(FAST), INLINE')).code)).toBe(2)
    expect(loops(build(withAttributes('VM(ONYX), PRESET(SECURE)')).code)).toBe(0)
    const inner = `function() LPH_ATTRIBUTES(VM(NONE)) return function() LPH_ATTRIBUTES(PRESET(SECURE)) ${loop} end end`
    expect(loops(build(asking(inner)).code)).toBe(0)
    expect(loops(build(`LPH_ATTRIBUTES(VM(NONE)) ${asking(`function() ${loop} end`)}`).code)).toBe(2)
  })

  test('each ignored attribute is reported once', () => {
    const list = 'VM(OPAL), INLINE, UNROLL(4), OPTIMIZE(1), ERROR_HANDLING(NONE)'
    const { warnings } = build(`${withAttributes(list)} ${withAttributes(list)}`).report
    expect(warnings.filter((each) => each.includes('LPH_ATTRIBUTES'))).toEqual(
      ['VM', 'INLINE', 'UNROLL', 'OPTIMIZE', 'ERROR_HANDLING'].map(
        (name) => `line 1 and 1 more: ${name} of LPH_ATTRIBUTES is ignored`,
      ),
    )
  })

  test.each(HOSTS)('functions with settings behave the same, on %s', async (host) => {
    const source = `local function f(x) LPH_ATTRIBUTES(VM(NONE)) return function() return x + 1 end end
      local g = WARD_PRESET('strong', function(...) LPH_ATTRIBUTES(PRESET(BALANCED)) return select('#', ...), ... end)
      print(f(2)(), g(nil, 3))`
    const programs = presets.map(({ id }) => ({ name: id, code: build(source, id).code }))
    for (const { name, error, output } of await runLua(host, programs)) {
      expect([name, error, printed(output)]).toEqual([name, null, '3\t2\tnil\t3'])
    }
  })

  test.each([
    [
      "f = WARD_PRESET('heroic', function() end)",
      "line 1, column 5: 'WARD_PRESET' takes 'light', 'balanced' or 'strong'",
    ],
    ["f = WARD_PRESET('light', g)", "line 1, column 5: 'WARD_PRESET' takes"],
    ['f = WARD_PRESET(function() end)', "line 1, column 5: 'WARD_PRESET' takes"],
    ["WARD_PRESET('light', function() end)", "line 1, column 1: the result of 'WARD_PRESET' is unused"],
    ['function f() LPH_ATTRIBUTES() end', 'line 1, column 14: unknown attribute in'],
    ['function f() LPH_ATTRIBUTES(VM(WOOD)) end', 'line 1, column 29: unknown attribute in'],
    ['function f() LPH_ATTRIBUTES("VM") end', 'line 1, column 29: unknown attribute in'],
    [
      'function f() do LPH_ATTRIBUTES(VM(NONE)) end end',
      "line 1, column 17: 'LPH_ATTRIBUTES' must be a statement directly",
    ],
    ['x = LPH_ATTRIBUTES(VM(NONE))', "line 1, column 5: 'LPH_ATTRIBUTES' must be a statement directly"],
    ['x = LPH_ATTRIBUTES', "line 1, column 5: 'LPH_ATTRIBUTES' must be called directly"],
  ])('%s is rejected with its position', (source, words) => {
    const [first = '', ...rest] = diagnosticsOf(source)
    expect(first.slice(0, words.length)).toBe(words)
    expect(rest).toEqual([])
  })
})

describe('a preset that the build cannot apply to a function', () => {
  const source = `f = WARD_PRESET('strong', function() end)
f = WARD_PRESET('light', function() end)
g = function() LPH_ATTRIBUTES(PRESET(BALANCED)) return 1 end`
  const warningsAt = (preset: string) => {
    const built = obfuscate(source, { preset })
    return 'errors' in built ? built.errors : built.report.warnings
  }

  test('is reported with its line at light, but not in builds that virtualize functions', () => {
    expect(warningsAt('light')).toEqual([
      expect.stringMatching(/^line 3: PRESET\(BALANCED\) of LPH_ATTRIBUTES has no effect/),
      expect.stringMatching(
        /^line 1: WARD_PRESET\('strong'\) has no effect because .* choose the preset 'balanced' or a stronger one$/,
      ),
    ])
    expect(warningsAt('balanced')).toEqual([])
  })
})
