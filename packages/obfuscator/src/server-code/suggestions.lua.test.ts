/**
 * Tests the functions that a build suggests moving to the server, and the option that moves functions by
 * name.
 */

import { describe, expect, test } from 'vitest'
import { type Host, runLua } from '../../test/run-lua.ts'
import { expand, obfuscate } from '../index.ts'
import { readOptions } from '../option-values.ts'
import { type ObfuscateOptions, presets } from '../options.ts'
import type { Suggestion } from './suggestions.ts'

const SERVED: ObfuscateOptions = { preset: 'light', parameters: ['ward'] }

const SHOP = `local RATES = { gold = 1.25, iron = 0.4 }
local TAX = 1.19
local function round(x)
  return math.floor(x * 100 + 0.5) / 100
end
local function price(item, amount)
  return round(RATES[item] * amount * TAX)
end
local Shop = {}
function Shop.label(item)
  return item:upper() .. ' costs ' .. TAX
end
print(price('gold', 3), Shop.label('iron'))`

function build(source: string, options: ObfuscateOptions = SERVED) {
  const result = obfuscate(source, options)
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return result
}

function suggestionsIn(source: string, options: ObfuscateOptions = SERVED): readonly Suggestion[] {
  return build(source, options).report.suggestions
}

async function outputOf(host: Host, code: string): Promise<string | undefined> {
  const [outcome] = await runLua(host, [{ name: 'script', code }])
  return outcome?.error ?? outcome?.output
}

function complaintsOf(source: string, server: readonly string[]): string[] {
  const result = obfuscate(source, { ...SERVED, server })
  return 'errors' in result ? result.errors.map(({ message }) => message) : []
}

/**
 * Returns the obstacle to moving a function with these types. The types that the function refers to are
 * declared after it.
 */
function typedSuggestion(parameters: string, results: string): string | null | undefined {
  const source = `local function f<T>(first: T, ${parameters})${results} return 'one' .. 'two' end
type Price = { read gold: number, iron: number }
type Chain = { next: Chain? }
type Item = Chain & { part: Instance }
type Each<V> = (V) -> ()
f(1)`
  return suggestionsIn(source)[0]?.obstacle
}

describe('a build suggests', () => {
  test('functions that have constants and need nothing else, with the amount of code that would leave the script', () => {
    const none = { testCalls: null, obstacle: null }
    expect(suggestionsIn(SHOP)).toEqual([
      // `RATES` and `round` move with `price`. `TAX` stays, because other code uses it too.
      { name: 'price', place: 'line 6', lines: 3, constants: 5, callSites: 1, ...none },
      { name: 'round', place: 'line 3', lines: 1, constants: 3, callSites: 1, ...none },
    ])
  })

  test.each([
    ['calls the host', "local function f(x) game.Players:Kick(x, 'bye', 12) end f(2)"],
    ['keeps state', 'local n = 5 local function f() n = n + 17 return n * 23 end f() f()'],
    ['changes its argument', "local function f(t) t.a, t.b = 'one', 'two' end f({})"],
    ['has almost no constants', 'local function f(x) return x * 2 end f(3)'],
    ['is a method', "local S = {} function S:f() return self.x .. 'one' .. 'two' end S:f()"],
    [
      'shares its name with another one',
      "do local function f(x) return x .. 'one' .. 'two' end f(1) end do local function f() end f() end",
    ],
    ['is never called', "local function f(x) return x .. 'one' .. 'two' end"],
    ['is on the server already', "local f = WARD_SERVER(function(x) return x .. 'one' .. 'two' end) f('a')"],
  ])('no function that %s', (_, source) => {
    expect(suggestionsIn(source)).toEqual([])
  })

  test.each([
    [
      'for i = 1, 3 do\n print(f(i))\nend',
      'it is called in a loop at line 3, and each call would be a round trip',
    ],
    ['f(1)\nprint(pcall(f, 1))', 'it is passed on at line 3, so it could be called often'],
  ])('a function with the reason against moving it: %s', (calls, obstacle) => {
    const source = `local function f(x) return x .. 'one' .. 'two' end\n${calls}`
    expect(suggestionsIn(source)).toMatchObject([{ name: 'f', obstacle }])
  })

  test('functions whose parameter is a function or an object only with a note', () => {
    const source =
      "local function f(each, part) part:Destroy() return each('one', 'two', 'three') end f(print, workspace)"
    expect(suggestionsIn(source)).toMatchObject([
      {
        obstacle:
          "the parameter 'part' seems to be a function or an object, which cannot be sent to the server",
      },
    ])
  })

  test.each([
    ['each: (string) -> ()', '', "the parameter 'each' includes a function"],
    ['each: ((string) -> string)?', '', "the parameter 'each' includes a function"],
    ['part: Instance', '', "the parameter 'part' includes 'Instance'"],
    ['n: number, parts: { [string]: BasePart }', '', "the parameter 'parts' includes 'BasePart'"],
    ['at: CFrame | Vector3', '', "the parameter 'at' includes 'CFrame'"],
    ['what: Enum.Material', '', "the parameter 'what' includes 'Enum.Material'"],
    ['co: thread', '', "the parameter 'co' includes 'thread'"],
    ['...: Player', '', "the parameter '...' includes 'Player'"],
    ['item: Item', '', "the parameter 'item' includes 'Instance'"],
    ['each: Each<Item>', '', "the parameter 'each' includes a function"],
    ['x: number', ': Vector3', "its results includes 'Vector3'"],
    ['x: number', ': (number, ...buffer)', "its results includes 'buffer'"],
  ])('functions whose types cannot be sent only with a note: (%s)%s', (parameters, results, part) => {
    expect(typedSuggestion(parameters, results)).toBe(
      `the type of ${part}, which cannot be sent to the server`,
    )
  })

  test.each([
    ['n: number, name: string?, all: { [string]: boolean }', ': (string, number)'],
    ['x: any', ': unknown'],
    ['price: Price, chain: Chain', ': Shop.Label'],
    ["x: 'one' | 'two'", ': typeof((function(each: (Instance) -> ()) return 1 end)(nil :: any))'],
    ['x: keyof<Price>', ': Price'],
  ])('functions whose types can be sent without a note: (%s)%s', (parameters, results) => {
    expect(typedSuggestion(parameters, results)).toBeNull()
  })

  test('functions of several files with the types that their own file declares', () => {
    const module = (type: string) =>
      `local M = {} type Item = ${type} function M.f(x: Item) return x .. 'one' .. 'two' end return M`
    const files = {
      'main.lua': "print(require('a').f(1), require('b').f(2))",
      'a.lua': module('Instance'),
      'b.lua': module('string'),
    }
    const result = obfuscate({ main: 'main.lua', files }, SERVED)
    const suggested = 'errors' in result ? [] : result.report.suggestions
    expect(suggested).toMatchObject([
      { name: 'b.lua:M.f', obstacle: null },
      { name: 'a.lua:M.f', obstacle: expect.stringContaining("includes 'Instance'") },
    ])
  })

  test('nothing for a build without a server', () => {
    expect(suggestionsIn(SHOP, { preset: 'light' })).toEqual([])
  })

  test('functions from several files, with the file if the name is ambiguous', () => {
    const module = 'local M = {}\nfunction M.price(n)\n return n * 17 + 23\nend\nreturn M'
    const main = "print(require('shop').price(2) + require('lib/market').price(3))"
    const files = { 'main.lua': main, 'shop.lua': module, 'lib/market.lua': module.replace('23', '29') }
    const source = { main: 'main.lua', files }
    const result = obfuscate(source, SERVED)
    const suggested = 'errors' in result ? result : result.report.suggestions
    expect(suggested).toMatchObject([
      { name: 'shop.lua:M.price', place: 'line 2 of shop.lua', constants: 2 },
      { name: 'lib/market.lua:M.price', place: 'line 2 of lib/market.lua' },
    ])
    const moved = obfuscate(source, { ...SERVED, server: ['lib/market.lua:M.price'] })
    expect('errors' in moved ? moved : moved.serverCode).toMatchObject([
      { place: 'line 2 of lib/market.lua' },
    ])
  })

  test('at most 20 functions, even among 10,000 that use each other', () => {
    const functions = Array.from(
      { length: 10_000 },
      (_, i) => `function F${i}(x) return F${i ? i - 1 : 0}(x .. 'one' .. 'two${i}') end`,
    )
    const deep = Array.from(
      { length: 150 },
      (_, i) => `local function f${i}(x) return x .. 'one' .. ${i ? `f${i - 1}(x)` : "'x'"} .. 'two' end`,
    )
    expect(suggestionsIn(functions.join('\n')).length).toBeLessThanOrEqual(20)
    expect(suggestionsIn(`${deep.join('\n')} f149('a')`).length).toBe(20)
  })
})

describe('the option server', () => {
  test.each(presets.map(({ id }) => id))(
    'moves a named function to the server as WARD_SERVER does, at %s',
    (preset) => {
      const marked = SHOP.replace(
        'local function price(item, amount)',
        'local price = WARD_SERVER(function(item, amount)',
      ).replace('* TAX)\nend', '* TAX)\nend)')
      const named = build(SHOP, { ...SERVED, preset, server: ['price'] })
      const written = build(marked, { ...SERVED, preset })
      const sources = (all: typeof named) =>
        all.serverCode.map((one) => one.kind === 'function' && one.source)
      expect(sources(named)).toEqual(sources(written))
      expect(named.serverCode).toMatchObject([{ kind: 'function', name: 'price', place: 'line 6' }])
      expect(named.code).not.toContain('1.25')
    },
  )

  test('moves fields of tables, and functions that call themselves', async () => {
    const source = `local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local Shop = {} function Shop.tax(x) return x * 19 / 100 end print(fib(10), Shop.tax(50))`
    const { code, serverCode } = build(source, { ...SERVED, server: ['fib', 'Shop.tax'] })
    const moved = serverCode.map((one) =>
      one.kind === 'function' ? `function(...) ${one.source} end` : 'nil',
    )
    const run = `local moved = { ${moved.join(', ')} }
local ward = { server = function(n) local f = moved[n]({}) return f end }
local main = (function(...) ${code} end)() main(ward)`
    for (const host of ['lua5.1', 'luau'] as const) expect(await outputOf(host, run)).toMatch(/^55\t9\.5/)
  })

  test('accepts a function that is marked in the source too', () => {
    const source = "local f = WARD_SERVER(function(x) return x .. 'one' end) f('a')"
    expect(build(source, { ...SERVED, server: ['f'] }).serverCode).toHaveLength(1)
  })

  test('rejects names that belong to no function or to several', () => {
    expect(complaintsOf(SHOP, ['cost'])).toEqual([
      "line 1, column 1: the option 'server' names 'cost', but no function has this name: choose from 'round', 'price', 'Shop.label', or remove the name from the option",
    ])
    expect(complaintsOf('local function f() end\nlocal function f() end', ['f'])).toEqual([
      "line 2, column 7: the option 'server' names 'f', but the function at line 1 has this name too: prefix it with the path of its file, as in 'lib/a.lua:f', rename one of them, or mark the right one with WARD_SERVER",
    ])
  })

  test('reports why a function cannot move to the server', () => {
    expect(complaintsOf('local function f() print(1) end f()', ['f'])[0]).toContain(
      "'print' does not exist on the server",
    )
  })

  test('accepts a list of names separated by commas', () => {
    expect(readOptions({ server: ' price, Shop.label,,price' })).toEqual({
      options: { server: ['price', 'Shop.label'] },
    })
    expect(readOptions({ server: 7 })).toMatchObject({ errors: [{ param: 'server' }] })
  })

  test('keeps the functions in the unprotected script, and counts their calls in a watched one', async () => {
    const options = { ...SERVED, server: ['price'] }
    const texts = [expand(SHOP, options), expand(SHOP, options, true)].map((one) =>
      'code' in one ? one.code : '',
    )
    const run = (text: string) =>
      outputOf(
        'luau',
        `local calls = ''
local ward = { watch = function(name, f) return function(...) calls = calls .. name return f(...) end end }
local main = (function(...) ${text} end)() main(ward) print(calls)`,
      )
    expect(await Promise.all(texts.map(run))).toEqual([
      '4.46\tIRON costs 1.19\n',
      '4.46\tIRON costs 1.19\nprice',
    ])
  })
})
