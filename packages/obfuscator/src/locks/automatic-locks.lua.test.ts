/**
 * Tests that each function has its own lock for its cold code. The key of one function does not open the lock
 * of another, and a program requests only the keys of functions whose cold code it reaches.
 */

import { describe, expect, test } from 'vitest'
import { HOSTS, runLua } from '../../test/run-lua.ts'
import { type Served, serve, withChannel } from '../../test/served.ts'
import { lengthOfLock, openLock } from '../lock-keystream.ts'
import type { Target } from '../semantics/target.ts'

/** Returns a function with cold code that contains the function's name. */
const cold = (name: string) => `local function ${name}(x) if x then return 'the text of ${name}!' end end`

/** Decrypts all locks with the same key stream. */
function plaintexts({ code, locks }: Served, pad: Uint8Array): string[] {
  return locks.map((lock) => {
    const text = Buffer.from(code.slice(lock.at, lock.at + lengthOfLock(lock)), 'latin1')
    return Buffer.from(openLock(text, pad)).toString('latin1')
  })
}

/** Returns, for each lock, whether it is automatic and which functions are in it. */
function locksOf(source: string, target: Target = 'any') {
  const served = serve(source, { seed: 1, target })
  return served.locks.map(({ isAutomatic }, i) => {
    const own = plaintexts(served, served.pads[i] ?? new Uint8Array())[i] ?? ''
    return { isAutomatic, names: [...own.matchAll(/the text of (\w+)!/g)].map(([, name]) => name) }
  })
}

describe('cold code', () => {
  const PROGRAM = `${cold('first')} ${cold('second')} ${cold('third')}
    local marked = WARD_ENCFUNC(function() return 'the text of marked!' end)
    print(first(1), second(), first(2)) print(marked())
    if third then print('the text of main!') end`

  test('has a lock for each function, and no key opens the lock of another function', () => {
    const served = serve(PROGRAM, { seed: 1 })
    const found = served.pads.map((pad) =>
      plaintexts(served, pad)
        .join()
        .match(/the text of \w+!/g)
        ?.join(),
    )
    const names = ['first', 'second', 'third', 'marked', 'main'].map((name) => `the text of ${name}!`)
    expect(found).toEqual([undefined, ...names])
    expect(served.locks.map(({ isAutomatic }) => isAutomatic)).toEqual([false, true, true, true, false, true])
  })

  test.each(HOSTS)(
    'requests only the keys of functions that it reaches, each when it is reached, on %s',
    async (host) => {
      const served = serve(PROGRAM, { seed: 1 })
      const [outcome] = await runLua(host, [
        { name: 'keys', code: withChannel(served, "print('key', lock) or true") },
      ])
      expect(outcome?.error).toBeNull()
      expect(outcome?.output.split('\n').slice(0, 7)).toEqual([
        ...['key\t1', 'key\t1', 'the text of first!\tnil\tthe text of first!'],
        ...['key\t4', 'the text of marked!', 'key\t5', 'the text of main!'],
      ])
    },
  )

  test('shares the locks evenly if there are more functions than locks', () => {
    const names = Array.from({ length: 150 }, (_, i) => `f${i}`)
    const table = names.map((name) => `function M.${name}(x) if x then return 'the text of ${name}!' end end`)
    const [zero, ...locks] = locksOf(`local M = {} ${table.join('\n')} return M`)
    expect(zero?.names).toEqual([])
    expect(locks).toHaveLength(64)
    expect(Math.max(...locks.map((each) => each.names.length))).toBe(3)
    expect(locks.flatMap((each) => each.names).sort()).toEqual([...names].sort())
  })

  test('does not reveal through a declaration in its function that it has a loop', () => {
    const declaresStream = (statement: string) =>
      /\(\w+\)\s*local \w+(,\w+)?=[^()]*while true do/.test(
        serve(`function f(x) ${statement} end f(...)`, { seed: 1, target: 'luajit' }).code,
      )
    const loop = "while #x < 9 do x = x .. 'the text' end"
    expect(declaresStream(loop)).toBe(true)
    expect(declaresStream(`if not x then ${loop} return 'the end' end return x`)).toBe(false)
  })
})

describe('cold code that may run where a Luau host cannot wait', () => {
  const inTable = (names: string) => `local M = {} ${names} return M`
  const CASES: readonly (readonly [string, string])[] = [
    ['a comparison function', `${cold('inner')} table.sort({}, inner)`],
    [
      'a function that a comparison function calls',
      `${cold('inner')} table.sort({}, function(a) return inner(a) end)`,
    ],
    ['a function given to a copy of table.sort', `${cold('inner')} local sort = table.sort sort({}, inner)`],
    [
      'a function that another one passes on',
      `${cold('inner')} local function by(list, f) table.sort(list, f) end by({}, inner)`,
    ],
    ['a replacement function', `${cold('inner')} print(('x'):gsub('y', inner))`],
    ['a metamethod', `${cold('inner')} return setmetatable({}, { __index = inner })`],
    ['an assigned metamethod', `${cold('inner')} local m = {} m.__newindex = inner return m`],
    [
      'a method that a metamethod calls',
      inTable(
        `function M.inner(x) if x then return 'the text of inner!' end end M.__len = function(x) return x:inner() end`,
      ),
    ],
    ['an iterator', `${cold('inner')} for x in inner do print(x) end`],
    ['a coroutine', `${cold('inner')} local next = coroutine.wrap(function() inner(1) end) print(next())`],
    ['an error handler', `${cold('inner')} xpcall(print, inner)`],
  ]

  test.each(CASES)('keeps the key that comes with the grant: %s', (_, source) => {
    expect(locksOf(source)[0]).toEqual({ isAutomatic: false, names: ['inner'] })
    expect(locksOf(source, 'luau')[0]?.names).toEqual(['inner'])
  })

  test.each(CASES)('has its own lock for a target that always waits: %s', (_, source) => {
    expect(locksOf(source, 'lua51')).toEqual([
      { isAutomatic: false, names: [] },
      { isAutomatic: true, names: ['inner'] },
    ])
  })

  test.each([
    [
      'a function that makes an iterator',
      `local function inner(x) if x then print('the text of inner!') end return function() end end for x in inner(1) do print(x) end`,
    ],
    ['a call metamethod', `${cold('inner')} return setmetatable({}, { __call = inner })`],
    ['a protected function', `${cold('inner')} print(pcall(inner, 1), xpcall(inner, print))`],
    [
      'a function beside a class',
      inTable(`M.__index = M function M.inner(x) if x then return 'the text of inner!' end end`),
    ],
  ])('is not %s, which has its own lock', (_, source) => {
    expect(locksOf(source)).toEqual([
      { isAutomatic: false, names: [] },
      { isAutomatic: true, names: ['inner'] },
    ])
  })
})
