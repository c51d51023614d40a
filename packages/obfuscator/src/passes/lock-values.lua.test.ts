/**
 * Tests that code behind a comparison with a string runs only for that string and reveals nothing without the
 * string. Other tests cover the behavior of entire programs at this preset.
 */

import { describe, expect, test } from 'vitest'
import { once } from '../../test/once.ts'
import { HOSTS, runLua } from '../../test/run-lua.ts'
import { seeds } from '../../test/seeds.ts'
import { obfuscate } from '../index.ts'
import type { ObfuscateOptions } from '../options.ts'

function protect(source: string, options: ObfuscateOptions = {}) {
  const result = obfuscate(source, { preset: 'max', ...options })
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return result
}

const PROGRAM = `
local function open(key)
  if key ~= 'open sesame' then return 'closed', 404 end
  local function inner(a) if a == 'second\\0\\255' then return 'treasure', 1234567 elseif a == "" then return 'empty' end return a end
  local list = { gold = 'gold \\1\\200', 77, 'x' }
  for i = 1, 2 do list[#list + 1] = 'round ' .. i * 100 end
  return table.concat(list, ','), list.gold, inner('second\\0\\255'), inner(''), inner(nil)
end
local function kind(value)
  if type(value) == 'string' and value == 'never' then return 'no' end
  if value == 'first' then return 'is first', 10 elseif value == 'other' then return 'is other', 20
  elseif tostring(value) == 'true' then return 'is true' else return 'unknown' end
end
local calls = 0
local function count() calls = calls + 1 return 'counted' end
if count() == 'counted' then print('once', calls) end
if 'counted' ~= count() then print('never') else print('twice', calls) end
local mutable = 'before'
local function change() mutable = 'after!' return true end
if mutable == 'before' and change() then print(mutable == 'after!', mutable) end
while true do if count() ~= 'counted' then break end if calls > 5 then print('left', calls) break end end
print(open('open sesame')) print(open('open sesamE')) print(open(nil)) print(open({}))
for _, value in ipairs({ 'first', 'other', 5, true, 'first', ('x'):rep(5000) }) do print(kind(value)) end
print(kind(nil), kind(0 / 0), ('abc'):upper() == 'ABC', 5 == '555', nil == 'nil', not ('abc' == 'abc'))`

describe('programs with locked code', () => {
  const builds = once(() =>
    seeds.map((seed) => ({ name: String(seed), code: protect(PROGRAM, { seed }).code })),
  )

  test.each(HOSTS)('behave the same, on %s', async (host) => {
    const [original, ...outcomes] = await runLua(host, [{ name: 'original', code: PROGRAM }, ...builds()])
    expect(original?.error).toBeNull()
    for (const { error, output } of outcomes) expect([error, output]).toEqual([null, original?.output])
  })

  test('contain neither the strings they compare with nor the constants behind them', () => {
    expect(protect(PROGRAM).code).not.toMatch(/sesame|treasure|gold|1234567|counted/)
  })

  test('leave code unlocked if the target has no variables left for locks, and the report says so', () => {
    const names = Array.from({ length: 55 }, (_, i) => `u${i}`)
    const full = `local ${names.join(', ')} = ${names.map((_, i) => i).join(', ')}
      return function(x) if x == 'secret' then return ${names.join(' + ')} end end`
    expect(protect(full).report.warnings.join()).toContain('compared values are not locked')
  })

  test('are rejected if a WARD_ENCFUNC function has no variables left for its lock', () => {
    const names = Array.from({ length: 190 }, (_, i) => `local u${i} = ${i}`).join('\n')
    const full = `local f = WARD_ENCFUNC(function(x)\n${names}\nreturn 'secret' .. u1 end)\nprint(f(1))`
    expect(obfuscate(full, { preset: 'light' })).toEqual({
      errors: [
        {
          param: 'script',
          message:
            "line 1, column 24: this can't be locked, because the function has too many local variables: put some of them into a table",
        },
      ],
    })
  })
})

/** Patches one hash comparison to be true for every string. */
function forced(source: string, isLocked: boolean): string {
  const passes = {
    virtualize: false,
    'encode-numbers': false,
    'encrypt-strings': false,
    'lock-values': isLocked,
  }
  const { code } = protect(source, { passes })
  const comparison = isLocked ? /(\w+\(\w+,\d+\))==\d{6,}/ : /(\w+)=="right"/
  expect(code).toMatch(comparison)
  return code.replace(comparison, '$1==$1 ')
}

test('a branch that an attacker forces reveals none of its strings and numbers if it is locked, and all of them otherwise', async () => {
  const source = `local function f(x) if x == 'right' then return 'treasure', 31337 end end return f('wrong')`
  const run = async (isLocked: boolean) => {
    const [outcome] = await runLua('lua5.1', [{ name: 'forced', code: forced(source, isLocked) }])
    return outcome?.output
  }
  expect(await run(false)).toBe('returned\ttreasure\t31337')
  const output = await run(true)
  expect(output).toMatch(/^returned\t/)
  expect(output).not.toMatch(/treasure|31337/)
})

test('a WARD_ENCFUNC function is locked at every preset', async () => {
  const source = `return WARD_ENCFUNC(function() return 'treasure', 31337 end)()`
  for (const preset of ['light', 'balanced', 'strong', 'max']) {
    const passes = { 'encode-numbers': false, 'encrypt-strings': false, virtualize: false }
    const { code, report } = protect(source, { preset, passes })
    expect(code).not.toMatch(/treasure|31337/)
    expect(report.warnings.join()).toContain('line 1: the key of this WARD_ENCFUNC is in the output')
    const [outcome] = await runLua('lua5.1', [{ name: preset, code }])
    expect(outcome?.output).toBe('returned\ttreasure\t31337')
  }
})

describe('guessing a compared string', () => {
  const passes = { virtualize: false, 'encode-numbers': false, 'encrypt-strings': false, integrity: false }
  const arms = (...words: readonly string[]) =>
    words.map((word) => `if x == '${word}' then print('behind', 31337) end`).join(' ')

  test('a string that is compared twice has two hashes', () => {
    const { code } = protect(`local x = ... ${arms('a long secret', 'a long secret')}`, { passes })
    const hashes = [...code.matchAll(/==(\d{9,})/g)].map((each) => each[1])
    expect(hashes).toHaveLength(2)
    expect(new Set(hashes).size).toBe(2)
  })

  /**
   * Returns two counts for each comparison with a 13-byte string: thousands of instructions, and byte reads.
   */
  async function costs(around: (code: string) => string): Promise<string[]> {
    const source = `local function f(x) ${around(arms('a long secret'))} end return f`
    const counted = `local real, reads = string.byte, 0
      string.byte = function(...) reads = reads + 1 return real(...) end
      local f = (function() ${protect(source, { passes }).code} end)()
      for _, value in ipairs({ 'short', 'another value', 'another value', 5 }) do
        local steps = 0
        reads = 0
        debug.sethook(function() steps = steps + 1 end, '', 1000)
        f(value)
        debug.sethook()
        print(steps, reads)
      end`
    const [found] = await runLua('lua5.1', [{ name: 'costs', code: counted }])
    expect(found?.error).toBeNull()
    return (found?.output ?? '').split('\n').slice(0, 4)
  }

  test('outside of loops, only a value of the right length costs thousands of instructions, and only once', async () => {
    const [short, first, again, number] = await costs((code) => code)
    expect([short, again, number]).toEqual(['0\t0', '0\t0', '0\t0'])
    const [steps, reads] = (first ?? '').split('\t').map(Number)
    expect(steps).toBeGreaterThan(20)
    expect(reads).toBeGreaterThan(0)
  })

  test('in loops, a value costs few instructions', async () => {
    const [, first] = await costs((code) => `for _ = 1, 1 do ${code} end`)
    expect(Number(first?.split('\t')[0])).toBeLessThan(5)
  })

  test('the report lists the compared strings that are easy to guess, and no others', () => {
    const source = `local x = ...
      ${arms('owner:9999')}
      ${arms('short')}
      ${arms('password')}
      ${arms('Xq7-plinth-29')}
      print('owner:9999', x)`
    expect(protect(source).report.warnings.filter((each) => each.includes('easy to guess'))).toEqual([
      expect.stringMatching(/^line 2: .* it occurs elsewhere in the script:/),
      expect.stringMatching(/^line 3: .* it has fewer than 8 bytes:/),
      expect.stringMatching(/^line 4: .* it is a common word:/),
    ])
    const keyed = protect(`local t = ... return WARD_ENCSTR('gift', 'sesame', t)`, { preset: 'light' })
    expect(keyed.report.warnings.join()).toContain('fewer than 8 bytes')
  })
})
