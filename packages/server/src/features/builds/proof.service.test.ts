/**
 * The smoke test before publishing, with real builds in real Luau: which builds pass, which are rejected, and
 * with which messages.
 */
import { expand, obfuscate, type Source } from '@scriptward/obfuscator'
import { describe, expect, test } from 'vitest'
import { prove } from './proof.ts'

const OPEN = new AbortController().signal

const OPTIONS = { parameters: ['ward'], seed: 'proof' }

function codeOf(made: ReturnType<typeof expand>): string {
  if ('errors' in made) throw new Error(JSON.stringify(made.errors))
  return made.code
}

const build = (source: Source) => codeOf(obfuscate(source, OPTIONS))

function fail(error: Error): never {
  throw error
}

/** Returns the smoke test's messages for the faulty build `built`. */
async function messages(source: Source, script: string, built = build(source)): Promise<string[]> {
  const expanded = codeOf(expand(source, OPTIONS))
  const moved = obfuscate(source, OPTIONS)
  const serverCode = 'errors' in moved ? [] : moved.serverCode
  const proof = { source: expanded, build: built, test: script, pads: [], serverCode, watched: null }
  const proved = await prove(proof, OPEN, fail)
  const complaints = 'errors' in proved ? proved.errors : []
  expect(complaints.every(({ param }) => param === 'test_script')).toBe(true)
  return complaints.map(({ message }) => message)
}

describe('a build that behaves like its source passes', () => {
  test.each([
    [
      'if it prints and returns the same',
      'print("hi", ...) return 5, nil',
      'print(script(1, nil)) print(select("#", script()))',
    ],
    [
      'if the test supplies the ward global',
      'return ward and ward.note',
      'ward = { note = "x" } print(script()) ward = nil print(script())',
    ],
    [
      'even if it calls server functions, which only the test can simulate',
      "return ward.ask('price', 3)",
      `ward = {}
       local value, problem = script()
       assert(value == nil and problem == 'scriptward: ask: this run has no server')
       ward = table.freeze({ ask = function(name, n) return name .. n end })
       assert(script() == 'price3')`,
    ],
    [
      'even if it uses clocks, randomness and addresses',
      'return {}, os.clock(), os.time(), math.random(), os.date()',
      'print(script())',
    ],
    ['even if its errors have other line numbers', 'local t = nil return t.x', 'print(pcall(script))'],
    ['even if the test prints nothing', 'return 1', 'script()'],
    [
      'if it calls code that moved to the server, which then runs in the test',
      `local RATES = { gold = 2 }
       local price = WARD_SERVER(function(item, n) return RATES[item] * n, ward.note end)
       local places = WARD_SERVER({ mill = { x = '\\255' } }, { cache = 'run' })
       return price('gold', 3), select(2, price('gold', 1)), places.mill.x:byte()`,
      'ward = { note = "x" } print(script())',
    ],
    [
      'if it uses variables of other services',
      'return LRM_UserNote .. "!", la_user_note, LRM_ScriptName',
      'ward = { note = "Ada", script_name = "Garden" } print(script())',
    ],
    [
      'if it uses macros, also with a wrong key',
      `local word = ...
       local open = WARD_ENCFUNC(function() return 'open ' .. word end, 'sesame', word)
       return WARD_OBFUSCATED, WARD_LINE, WARD_JIT(function(n) return n + 1 end)(1), pcall(open)`,
      'print(script("sesame")) print(script("other"))',
    ],
    [
      'if it uses classes and exports, which the Luau runtime may lack',
      `class Point
         public x
         function twice(self) return self.x * 2 end
       end
       export const START = Point.new({ x = 21 }):twice()`,
      'print(script().START)',
    ],
  ])('%s', async (_, source, script) => {
    expect(await messages(source, script)).toEqual([])
  })

  test('with its required files', async () => {
    const files = {
      'main.lua': `local shop = require('lib.shop') print('main') return shop.buy(...)`,
      'lib/shop.lua': `print('shop', ward.note) return { buy = function(n) return n * require('./price') end }`,
      'lib/price.lua': 'return 3',
    }
    const script = 'ward = { note = "x" } print(script(2)) print(pcall(script))'
    expect(await messages({ main: 'main.lua', files }, script)).toEqual([])
    const wrong = build({ main: 'main.lua', files: { ...files, 'lib/price.lua': 'return 4' } })
    expect(await messages({ main: 'main.lua', files }, script, wrong)).toEqual([
      'line 3 of the test output differs: the original script prints "6", the protected script prints "8"',
    ])
  })
})

describe('a build that behaves differently is rejected', () => {
  test('with each line that differs and both outputs', async () => {
    const source = 'print("same") print("a \\"word\\"") print("same")'
    const wrong = 'return function(ward) print("same") print("b") print("same") print("more") end'
    expect(await messages(source, 'script()', wrong)).toEqual([
      'line 2 of the test output differs: the original script prints "a \\"word\\"", the protected script prints "b"',
      'line 4 of the test output differs: the original script prints nothing, the protected script prints "more"',
    ])
  })

  test('with at most twenty of the lines that differ', async () => {
    const wrong = 'return function() for i = 1, 100 do print(-i) end end'
    expect(await messages('for i = 1, 100 do print(i) end', 'script()', wrong)).toHaveLength(20)
  })

  test('with an error that only the build raises', async () => {
    const wrong = 'return function() print("a") error("broken") end'
    const [first, ...others] = await messages('print("a") print("b")', 'script()', wrong)
    expect(first).toMatch(/^the test fails with the protected script: .*broken$/)
    expect(others).toEqual([])
  })

  test('with an explanation if it differs in line numbers, which no real build can preserve', async () => {
    const [first] = await messages('\n\nprint(debug.info(1, "l"))', 'script()')
    expect(first).toContain('the original script prints "3"')
  })

  test('if it is not valid Luau', async () => {
    const [first] = await messages('return 1', 'script()', 'return function(')
    expect(first).toContain('fails with the protected script')
  })
})

describe('an inconclusive test is rejected', () => {
  test.each([
    ['because it raises an error', 'error("mine")', /with the original script: .*mine$/],
    [
      'because luau-web fails on it without a message',
      '𝒳'.repeat(600),
      /it terminated the Luau runtime it was running in$/,
    ],
    ['because it is not valid Luau', 'local x = = 1', /with the original script: .*:1: /],
    ['because it never ends', 'while true do end', /it took longer than 5 seconds$/],
    [
      'because it uses too much memory',
      'local t = {} for i = 1, 1e9 do t[i] = ("x"):rep(1e5) .. i end',
      /more than the 16 MiB of memory/,
    ],
    [
      'because it prints too much',
      'while true do print(("x"):rep(9999)) end',
      /it printed more than 1000000 characters$/,
    ],
  ])('%s', async (_, script, words) => {
    const [first, ...others] = await messages('return 1', script)
    expect(first).toMatch(words)
    expect(others).toEqual([])
  })
})

describe('a smoke test counts the calls of functions that could move to the server', () => {
  const SHOP = `local function price(n) return n * 17 + 23 end
  local function label(each) return 'the price is ' .. tostring(each) .. ' coins' end
  local function unused() return 'one', 'two' end
  if ... then unused() end
  return price(1) + price(2), label(ward.value), 'watch' == nil`
  const watch = async (script: string) => {
    const watched = codeOf(expand(SHOP, { ...OPTIONS, server: ['price', 'label', 'unused'] }, true))
    const proof = {
      source: codeOf(expand(SHOP, OPTIONS)),
      build: build(SHOP),
      test: script,
      pads: [],
      serverCode: [],
    }
    return prove({ ...proof, watched }, OPEN, fail)
  }

  test('and names the types that could not be sent', async () => {
    const script = 'ward = { value = {} } script() ward.value = print script()'
    expect(await watch(script)).toEqual({
      seen: expect.arrayContaining([
        { name: 'price', calls: 4, unfit: null },
        { name: 'label', calls: 2, unfit: 'function' },
      ]),
    })
    const tables =
      'ward = { value = setmetatable({}, {}) } script() local t = {} t.t = t ward = { value = t } script()'
    expect(await watch(tables)).toEqual({
      seen: expect.arrayContaining([{ name: 'label', calls: 2, unfit: 'table with a metatable' }]),
    })
  })

  test('but reports nothing if it cannot watch the calls', async () => {
    expect(await watch('ward = table.freeze({}) script()')).toEqual({ seen: [] })
  })
})

test("a smoke test cannot reach the server's internals", async () => {
  const script = `for _, name in { 'io', 'require', 'loadstring', 'load', 'dofile', 'take', 'compile', 'emit', 'finish', 'env', 'process', 'global' } do
    assert(getfenv()[name] == nil, name)
  end
  assert(os.execute == nil and os.getenv == nil and os.exit == nil)
  print(script())`
  expect(await messages('return 1', script)).toEqual([])
})

test('a smoke test ends immediately when the server stops', async () => {
  const stopping = new AbortController()
  const proof = prove(
    {
      ...{ source: 'return 1', build: build('return 1'), test: 'while true do end' },
      ...{ pads: [], serverCode: [], watched: null },
    },
    stopping.signal,
    fail,
  )
  setTimeout(() => stopping.abort(), 50)
  expect(await proof).toMatchObject({
    errors: [{ message: expect.stringContaining('the server is shutting down') }],
  })
})
