/**
 * Tests that protected code reads the correct values of `...` on every host, even on LuaJIT versions that
 * read wrong values when they compile a loop inside a vararg function. The unprotected programs also fail on
 * those versions, so this file lists the expected values.
 */

import { describe, expect, test } from 'vitest'
import { onceEach } from '../../test/once.ts'
import { HOSTS, type Host, runLua } from '../../test/run-lua.ts'
import { targets } from '../../test/seeds.ts'
import { obfuscate } from '../index.ts'
import { presets } from '../options.ts'

const ROUNDS = 'for i = 1, 200 do'

/** Programs that end with `return`, and the values that they return. */
const programs: readonly (readonly [source: string, answer: string])[] = [
  [`local function f(...) local a ${ROUNDS} a = (...) end return a end return f(5, 6, 7), f(8)`, '5\t8'],
  [`local function f(...) local a, b ${ROUNDS} a, b = ... end return a, b end return f(5, 6, 7)`, '5\t6'],
  [`local function f(...) local a, b ${ROUNDS} a, b = ... end return a, b end return f(5)`, '5\tnil'],
  [
    `local function f(p, ...) local a, b, c ${ROUNDS} a, b, c = i, ... end return p, a, b, c end return f(1, 2, 3, 4)`,
    '1\t200\t2\t3',
  ],
  [
    `local function f(...) local t ${ROUNDS} t = { (...), k = ..., ... } end return t.k, #t, t[1], t[4] end return f(5, 6, 7)`,
    '5\t4\t5\t7',
  ],
  [`local function f(...) local s = '' ${ROUNDS} s = ... .. i end return s end return f('x', 'y')`, 'x200'],
  [
    `local function f(...) local n = 0 ${ROUNDS} for k, v in ... do n = n + v end end return n end return f(pairs({ a = 1, b = 2 }))`,
    '600',
  ],
  [
    `local function f(...) local n = 0 while n < (...) do n = n + 1 end return n, select('#', ...) end return f(300, nil)`,
    '300\t2',
  ],
  [
    `local function f(...) return function(...) local a ${ROUNDS} a = (...) end return a end, (...) end local g, a = f(1, 2) return a, g(3, 4)`,
    '1\t3',
  ],
  ['local first = ... local n = 0 for i = 1, 200 do n = #((...)) end return first, n', 'first\t5'],
  [
    `local function down(n) if n <= 0 then return 1 end return n * down(n - 1) end
    local function f(...) local r = down(20) local _, second = ... return second == 2 end
    local wrong = 0 for i = 1, 3000 do if not f(1, 2, 3) then wrong = wrong + 1 end end return wrong`,
    '0',
  ],
  [
    `local out = {} local function emit(...) out[#out + 1] = tostring((...)) return ... end
    for i = 1, 300 do emit(emit(i), 'x') end for i = 1, 300 do emit('y', emit(i)) end
    local wrong = 0 for i = 1, 300 do
      if out[2 * i - 1] ~= tostring(i) or out[2 * i] ~= out[2 * i - 1] or out[600 + 2 * i] ~= 'y' then wrong = wrong + 1 end
    end return #out, wrong`,
    '1200\t0',
  ],
]

/** `name` consists of a preset and a target, separated by a space. */
const built = onceEach((name) => {
  const [preset, target] = name.split(' ')
  return programs.map(([source], i) => {
    const result = obfuscate(source, { preset: preset ?? '', target: target ?? '', seed: i })
    if ('errors' in result) throw new Error(JSON.stringify(result.errors))
    return result.code
  })
})

async function answers(host: Host, preset: string, target: string): Promise<(string | null)[]> {
  const codes = built(`${preset} ${target}`).map((code) => (host === 'luau' ? printed(code) : code))
  const found = await runLua(
    host,
    codes.map((code, i) => ({ name: String(i), code })),
  )
  return found.map(({ output, error }) => error ?? output.replace(/^returned\t/, ''))
}

/** Makes the program print its results, because the Luau runner does not output return values. */
const printed = (code: string) => `print((function(...) ${code}\nend)(...))`

const compiling: readonly Host[] = [...HOSTS, 'luajit -Ohotloop=1', 'luajit -Ohotloop=2 -Ohotexit=1']

describe.each(presets.map(({ id }) => id))('at %s', (preset) => {
  test.each(compiling)("a function reads the correct values of '...' on %s", async (host) => {
    const expected = programs.map(([, answer]) => answer)
    const own = host === 'luau' ? ['luau'] : host === 'lua5.1' ? ['lua51'] : ['luajit', 'lua51']
    for (const target of targets(...own))
      expect([target, ...(await answers(host, preset, target))]).toEqual([target, ...expected])
  })
})

test("a function without room for more locals reads the correct values of '...'", async () => {
  const locals = Array.from({ length: 196 }, (_, i) => `local v${i} = ${i}`).join(' ')
  const source = `local function f(...) ${locals} local a, b, c a, b, c = ... return a, b, c, v195 end print(f(1, 2, 3))`
  const programs = ['light', 'strong'].map((preset) => {
    const result = obfuscate(source, { preset })
    if ('errors' in result) throw new Error(JSON.stringify(result.errors))
    return { name: preset, code: result.code }
  })
  for (const host of HOSTS) {
    for (const { name, error, output } of await runLua(host, programs)) {
      expect([host, name, error, output.split('\n')[0]]).toEqual([host, name, null, '1\t2\t3\t195'])
    }
  }
})
