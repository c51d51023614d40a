/**
 * Tests that the body of a locked function is bytecode in its lock. With the key, the function behaves as
 * before. Without the key, the output reveals nothing about the function.
 */

import { describe, expect, test } from 'vitest'
import { effort } from '../../../client/test/effort.ts'
import { generateProgram } from '../../test/generate-program.ts'
import { lockFunctions } from '../../test/lock-functions.ts'
import { type Host, type Outcome, runLua } from '../../test/run-lua.ts'
import { serve, withChannel } from '../../test/served.ts'
import { lengthOfLock } from '../lock-keystream.ts'
import type { ObfuscateOptions } from '../options.ts'
import { presets } from '../options.ts'
import { createRandom } from '../random.ts'

const TARGETS: readonly (readonly [Host, string])[] = [
  ['lua5.1', 'lua51'],
  ['lua5.1', 'any'],
  ['luajit', 'luajit'],
  ['luajit', 'any'],
  ['lua5.4', 'lua54'],
  ['luau', 'luau'],
  ['luau', 'any'],
]

const locked = (source: string, options: ObfuscateOptions = {}) =>
  withChannel(serve(source, { seed: 1, ...options }))
const unmarked = (source: string) => source.replaceAll('WARD_ENCFUNC', '')

/**
 * Returns the output without spaces, because they depend on line lengths, and without the ciphertext and size
 * of each lock.
 */
function around(source: string, options: ObfuscateOptions = {}): string {
  const { code, locks, warnings } = serve(source, { seed: 1, ...options })
  expect(warnings).toBe('')
  const texts = [...locks].sort((one, other) => other.at - one.at)
  const left = texts.reduce(
    (all, lock) => all.slice(0, lock.at) + all.slice(lock.at + lengthOfLock(lock)),
    code,
  )
  return texts
    .reduce((all, { size }) => all.replace(new RegExp(`\\{${size},`), '{'), left)
    .replaceAll(/\s+/g, '')
}

const COUNT = effort({ day: 8, night: 150 })

describe('random programs behave the same with a lock for each function', () => {
  const dialects = [
    ['lua', TARGETS],
    ['luau', TARGETS.slice(-2)],
    ['lua54', [['lua5.4', 'lua54']]],
  ] as const

  test.each(
    dialects.flatMap(([dialect, places]) =>
      places
        .filter(([host]) => dialect !== 'lua' || host !== 'lua5.4')
        .map(([host, target]) => [dialect, host, target] as const),
    ),
  )('%s on %s for target %s', async (dialect, host, target) => {
    const sources = Array.from({ length: COUNT }, (_, i) =>
      generateProgram(createRandom(i, 'locks'), dialect),
    )
    const numbered = (codes: readonly string[]) => codes.map((code, i) => ({ name: `${i}`, code }))
    const built = sources.map((source, i) => {
      const marked = lockFunctions(source, dialect === 'lua54' ? 'lua54' : 'any')
      return locked(marked, { target, seed: i, preset: presets[i % presets.length]?.id ?? '' })
    })
    const shown = (outcomes: readonly Outcome[]) =>
      outcomes.map(({ name, output, error }) => [
        name,
        error?.replace(/^script:\d+/, 'script'),
        output.replaceAll(/(table|function): \w+/g, '$1').replace(/\nreturned(\ttable)?$/, ''),
      ])
    expect(shown(await runLua(host, numbered(built)))).toEqual(shown(await runLua(host, numbered(sources))))
  })
})

const PROGRAM = `
local log = {}
local function say(x) log[#log + 1] = tostring(x) return x end
local object = setmetatable({}, { __index = function(_, k) say('look ' .. k) return function(self, ...) return select('#', ...), ... end end })
local store = setmetatable({}, { __newindex = function(_, k, v) say(k .. '=' .. tostring(v)) end })
local count = 0
local f = WARD_ENCFUNC(function(a, b, ...)
  print(object:first(say(1), ...), object:second(), (object:third(...)))
  store.x, store.y, a = a, b, say('value')
  print(a, b, ..., select('#', ...))
  local one, two, three, nine = { k = 1 }, { k = 1, [2] = 'b', 'a' }, { 1, nil, 3, x = 1, y = 2, z = 3 }, { a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, ... }
  print(one.k, two.k, two[1], two[2], #three, three[3], three.z, nine.a, nine.i, nine[1], #{ ... }, #{ a, ... }, #{ ..., a })
  for i = 10, 1, -3 do say(i) end
  for i = 0.5, 2, 0.5 do say(i) end
  for i = 5, 1 do say('never') end
  for i = '1' + 0, 3 do local j = i i = i * 2 if j == 2 then break end say(i) end
  print(pcall(function() for i = {}, 1 do end end) == false, pcall(function() return nil + 1 end) == false)
  local closures = {}
  for i = 1, 3 do local n = i closures[i] = function(by) n = n + by return n, i end end
  closures[1](10) print(closures[1](1), closures[2](5), closures[3](0))
  local function sum(n) if n == 0 then return 0 end return n + sum(n - 1) end
  local function deep(n) if n == 0 then return 'bottom' end return deep(n - 1) end
  print(sum(50), deep(100000))
  local co = coroutine.wrap(function(x, ...) for i = 1, 2 do x = coroutine.yield(x, i, ...) end return 'end' end)
  print(co('a', nil, 'c')) print(co('b')) print(co())
  count = count + 1
  local x = 1
  local function change() x = x + 1 return x end
  print(x + change(), change() + x, x .. change() .. x, x == change(), count)
  repeat local last = say('once') until last
  local i = 0
  while true do i = i + 1 if i % 2 == 0 and i < 6 or i == 3 then say(i) elseif not (i < 8) then break end end
  print(a and b or 'none', nil and a, not a == false, a == nil or b, (i > 3) == true, 2 ^ 3 ^ 2, -i % 5, 1 .. 2, 7 / 2)
  missing, other = other, 'global' print(missing, other)
  print(pcall(error, { 'table' }) == false, select(2, pcall(error, 'text', 0)), (pcall(string.rep)))
  return table.unpack and a or a, ...
end)
table.unpack = nil
print(f('p', 'q', nil, 'r', nil)) print((f())) print(count, missing, other, table.concat(log, ' '))
local g = WARD_ENCFUNC(function(...) return ... end)
print(g(), select('#', g(nil, nil)), g(1, 2, 3))`

test.each(TARGETS)(
  'functions of every kind behave the same in a lock, on %s for target %s',
  async (host, target) => {
    // Luau has no tail calls, and its libraries are read-only.
    const source =
      host === 'luau' ? PROGRAM.replace('table.unpack = nil', '').replace('100000', '100') : PROGRAM
    const [plain, ...outcomes] = await runLua(host, [
      { name: 'source', code: unmarked(source) },
      ...presets.map(({ id }) => ({ name: id, code: locked(source, { target, preset: id }) })),
    ])
    expect(plain?.error).toBeNull()
    for (const { name, error, output } of outcomes)
      expect([name, error, output]).toEqual([name, null, plain?.output])
  },
)

test.each<Host>(['lua5.1', 'luajit', 'lua5.4', 'luau'])(
  'error levels count the same calls, on %s',
  async (host) => {
    const source = `local kinds = { function() error('wrong', 2) end, WARD_ENCFUNC(function() error('wrong', 2) end) }
      local function g(kind) local x = kinds[kind]() return x end
      print(select(2, pcall(g, 1)) == select(2, pcall(g, 2)), select(2, pcall(g, 2)))`
    const target = host === 'lua5.4' ? 'lua54' : 'any'
    const code = locked(source, { passes: { virtualize: false }, target, preset: 'light' })
    const [found] = await runLua(host, [{ name: 'locked', code }])
    expect(found?.output).toMatch(/^true\t.*:\d+: wrong/)
  },
)

describe('without the key', () => {
  const bodies = [
    `return p`,
    `local list = {} for i = 1, 77123 do list[i] = p.someField + i * 3 ^ 2 end return #list, -p, not p`,
    `if p < 'seven herons' then return p:method('text', 4711) .. 'end' end while p > 1 do p = p - 1 end return function(...) return ..., p end`,
    `local a, b = p(), { x = p, [p] = 1 } repeat if a ~= b then break end until p a.b, b.c = p, p return a(b)`,
  ]

  // The sources have the same length, because other passes vary more of the code in larger sources.
  const LENGTH = Math.max(...bodies.map(({ length }) => length))

  test.each(['any', 'lua51', 'luajit', 'luau', 'lua54'])(
    'the output is the same whatever the function does, for target %s',
    (target) => {
      for (const preset of presets) {
        const [first, ...others] = bodies.map((body) =>
          around(`return WARD_ENCFUNC(function(p) ${body.padEnd(LENGTH)} end)`, {
            target,
            preset: preset.id,
            // The integrity checks depend on the ciphertext, so the output would differ.
            passes: { integrity: false },
          }),
        )
        for (const other of others) expect(other).toBe(first)
      }
    },
  )

  test('the output does not contain the operators, fields and numbers of a function, even without the other passes', () => {
    const source = `local function f(p, q) ${bodies[1]} end local function g(p) ${bodies[3]} end return f, g`
    const passes = { virtualize: false, 'encode-numbers': false, 'encrypt-strings': false }
    const marked = source.replaceAll(
      /local function (\w) ?(.*? end) (?=local|return f)/g,
      'local $1 = WARD_ENCFUNC(function$2) ',
    )
    const found = /someField|77123|\w+\+\w+\*3\^2|\w\.b,\w\.c=/
    expect(serve(source, { passes, seed: 1 }).code).toMatch(found)
    expect(around(marked, { passes })).not.toMatch(found)
  })

  test('two builds give the instructions different numbers', () => {
    const [one, other] = [1, 2].map((seed) =>
      around('return WARD_ENCFUNC(function(p) return p end)', { seed, preset: 'light' }).replaceAll(
        /\b[a-zA-Z]\w?\b/g,
        'x',
      ),
    )
    expect(one).not.toBe(other)
  })
})

test('a build without such functions contains no machine', () => {
  const source = `local function g(x) if x then print('a cold text') return 'text' end return 'other text' end return g`
  const { code } = serve(source, { seed: 1 })
  const machine = serve(`${source}, WARD_ENCFUNC(function() return g end)`, { seed: 1 }).code
  expect(machine.length - code.length).toBeGreaterThan(4000)
})

describe('a function that the machine cannot run', () => {
  test.each([
    [
      "'goto'",
      'luajit',
      'luajit',
      `for i = 1, 3 do if p == i then goto done end end ::done:: ::other:: do return 'texts', 31337 end`,
    ],
    [
      "'<close>'",
      'lua5.4',
      'lua54',
      `local x <close> = setmetatable({}, { __close = function() print('closed') end }) return 'texts', 31337`,
    ],
    [
      "a 'for' loop that may close a value",
      'lua5.4',
      'lua54',
      `for k in next, { p, p }, nil, nil do print(k) end return 'texts', 31337`,
    ],
    ['function environments', 'lua5.1', 'lua51', `getfenv() return 'texts', 31337`],
    ["'arg'", 'lua5.1', 'lua51', `print(type(arg)) return 'texts', 31337`],
  ] as const)(
    'keeps its statements in the output, and the report says so: %s',
    async (why, host, target, body) => {
      const source = `local f = WARD_ENCFUNC(function(p)\n${body} end) print(f(2))`
      const served = serve(source, { target, seed: 1 })
      expect(served.warnings).toContain(
        `line 1: this WARD_ENCFUNC hides its strings and numbers, but not its statements, because of ${why}`,
      )
      expect(served.code).not.toMatch(/texts|31337/)
      const [plain, found] = await runLua(host, [
        { name: 'source', code: unmarked(source) },
        { name: 'locked', code: withChannel(served) },
      ])
      expect([found?.error, found?.output]).toEqual([null, plain?.output])
    },
  )
})
