/**
 * Tests FiveM as the source dialect. Every construct is compared with plain Lua 5.4 on the real interpreter,
 * with every preset. The plain programs follow the parser of CfxLua (github.com/citizenfx/lua, Lua 5.4.8).
 */

import { beforeAll, describe, expect, test } from 'vitest'
import { type Outcome, runLua } from '../../test/run-lua.ts'
import { seeds } from '../../test/seeds.ts'
import { Diagnostics } from '../diagnostics.ts'
import { expand, obfuscate, readOptions } from '../index.ts'
import { presets } from '../options.ts'
import { parse } from '../syntax/parser.ts'
import { print } from '../syntax/print/print.ts'

/** Functions that record calls and reads in order, for both versions of a program. */
const HEAD = `
local log = {}
local function note(name, ...) log[#log + 1] = name return ... end
local function watched(name, t)
  return setmetatable({}, {
    __index = function(_, k) note(name .. '.' .. tostring(k)) return t[k] end,
    __newindex = function(_, k, v) note(name .. '.' .. tostring(k) .. '=') t[k] = v end,
  })
end
local function logged() local text = table.concat(log, ' ') log = {} return text end
`

/** Programs in FiveM's Lua, and their equivalents in plain Lua 5.4. */
const PROGRAMS: Readonly<Record<string, readonly [fivem: string, plain: string]>> = {
  'compound assignment': [
    `local n, s = 7, 6.5
    n += 2 print(n) n -= 4 print(n) n *= 3 print(n) n /= 2 print(n) s -= 1 print(s)
    local b = 0xF0 b &= 0x3C print(b) b |= 1 print(b) b ^= 0xFF print(b) b <<= 2 print(b) b >>= 3 print(b)
    count = 1 count += 1 + 2 * 3 print(count)
    local t = { x = 1, 10 } t.x += 1 t[1] -= t.x print(t.x, t[1])`,
    `local n, s = 7, 6.5
    n = n + 2 print(n) n = n - 4 print(n) n = n * 3 print(n) n = n / 2 print(n) s = s - 1 print(s)
    local b = 0xF0 b = b & 0x3C print(b) b = b | 1 print(b) b = b ~ 0xFF print(b) b = b << 2 print(b) b = b >> 3 print(b)
    count = 1 count = count + (1 + 2 * 3) print(count)
    local t = { x = 1, 10 } t.x = t.x + 1 t[1] = t[1] - t.x print(t.x, t[1])`,
  ],
  'the order of a compound assignment': [
    `local w = watched('w', { k = 1 })
    note('table', w)[note('key', 'k')] += note('value', 5, 'dropped') print(w.k, logged())
    local a = 1 local function set() a = 10 return 1 end
    a += set() print(a)
    if a == 11 then a += 1 end for i = 1, 3 do a -= i end print(a)`,
    `local w = watched('w', { k = 1 })
    do local t, k = note('table', w), note('key', 'k') t[k] = t[k] + note('value', 5) end print(w.k, logged())
    local a = 1 local function set() a = 10 return 1 end
    a = a + set() print(a)
    if a == 11 then a = a + 1 end for i = 1, 3 do a = a - i end print(a)`,
  ],
  'hashes in backticks': [
    'print(`adder`, `ADDER`, `Hello, World!`, ``, math.type(`CPed`), `a\\x62c`)\n' +
      'local t = { [`CPed`] = 1 } print(t[-1803413927], `CPed` & 0xFFFFFFFF, -`CPed`, `CPed` ^ 2, 2 - `CPed`)\n' +
      'print`CPed` local o = { m = function(_, h) return h end } print(o:m`adder`, `\\65`, `{x}`)',
    `print(-1216765807, -1216765807, 1395890823, 0, 'integer', ${joaat('abc')})
    local t = { [-1803413927] = 1 } print(t[-1803413927], -1803413927 & 0xFFFFFFFF, 1803413927, (-1803413927) ^ 2, 2 - -1803413927)
    print(-1803413927) print(-1216765807, ${joaat('a')}, ${joaat('{x}')})`,
  ],
  'safe navigation': [
    `local none, no = nil, false
    local t = { a = { b = { c = 3 }, f = function(x) return x, 2 end }, m = function(self, v, ...) return self.a.b.c + v, ... end }
    config = t
    print(t?.a?.b?.c, t?.x?.b, none?.a, no?.a, config?.a.b.c, gone?.a.b.c(1):d { 2 }[3])
    print(t?.a['b']?['c'], none?[error()], t?:m(1, 2, 3), none?:m(error()), t.m?(t, 4, 5), t.x?(error()))
    print(none?'text', none?{ error() }, t.a.f?'text', select('#', t?:m(1, 2, 3), t?:m(1)))
    print(t.a?.b.c + 1, -t.a?.b.c, #t?.a, not none?.a, none?.a == nil, (none?.a or t)?.a.b.c)
    print(pcall(function() return t?.x.y end) == false, pcall(function() return (none?.a).b end) == false)
    for k in pairs(t.a?.b) do print(k) end
    local function two() return t?:m(1, 2) end print(two())
    if t?.a?.b then print 'yes' end while none?.x do end`,
    `local none, no = nil, false
    local t = { a = { b = { c = 3 }, f = function(x) return x, 2 end } }
    print(3, nil, nil, false, 3, nil)
    print(3, nil, 4, nil, 7, nil)
    print(nil, nil, 'text', 2)
    print(4, -3, 0, true, true, 3)
    print(true, true)
    print('c') print(4) print 'yes'`,
  ],
  'the order of safe navigation': [
    `local w = watched('w', { a = watched('a', { b = { f = function(_, ...) return ... end } }) })
    print(note('head', w)?.a?.b?:f(note('arg', 1), note('other', 2)), logged())
    print(note('head')?.a?.b?:f(note('arg', 1)), logged())
    print(note('head', w)?[note('key', 'x')]?.y[note('never')], logged())
    local function all(...) return w?.a.b?:f(...), note('head', w)?.a.b:f(...) end print(all(7, 8)) print(logged())
    print(coroutine.wrap(function() return note('head', w)?.a.b:f(coroutine.yield(1)) end)(), logged())`,
    `local w = watched('w', { a = watched('a', { b = { f = function(_, ...) return ... end } }) })
    local function first(x) return x end
    print(first(note('head', w).a.b:f(note('arg', 1), note('other', 2))), logged())
    note('head') print(nil, logged())
    note('head') note('key') local _ = w.x print(nil, logged())
    local function all(...) return first(w.a.b:f(...)), first(note('head', w).a.b:f(...)) end print(all(7, 8)) print(logged())
    print(coroutine.wrap(function() return first(note('head', w).a.b:f(coroutine.yield(1))) end)(), logged())`,
  ],
  'statements with safe navigation': [
    `local w, none = watched('w', { n = 1, f = function() note('called') end })
    w?.n = note('value', 2) none?.n = note('value', 2) print(w.n, logged())
    w?.n += 5 none?.n += note('value', 2) w?.o = 1, note('extra') print(w.n, w.o, logged())
    w?.f() w?:f() none?.f(note('arg')) none?:f() none?() w.x?.y?.z(note('arg')) print(logged())
    local other w?.p, other = 1, 2 none?.p, other = 3, 4 print(w.p, other)
    w?.n in ({ n = 9 }) none?.n in note('never') print(w.n, logged())`,
    `local w, none = watched('w', { n = 1, f = function() note('called') end })
    w.n = note('value', 2) print(w.n, logged())
    w.n = w.n + 5 w.o = 1, note('extra') print(w.n, w.o, logged())
    w.f() w:f() local _ = w.x print(logged())
    local other w.p, other = 1, 2 print(w.p, other)
    w.n = 9 print(w.n, logged())`,
  ],
  unpacking: [
    `local t = { x = 1, y = { z = 2 }, n = 3, [5] = 'five' }
    local x, y in t print(x, y.z)
    local z in t.y print(z)
    local n <const>, gone in t print(n, gone)
    local t in t print(t)
    local w = watched('w', { a = 1, b = 2, c = 3 })
    local a, b in note('table', w) print(a, b, logged())
    local function f() local a, c in w return a, c end print(f(), logged())
    a, c in w print(a, c, logged())
    local o = watched('o', { }) note('o', o).b, o.a, a in note('table', w) print(o.a, o.b, a, logged())
    local list = { } list[5] in ({ [5] = 'five' })
    print(list[5]) do local x <close> in ({ x = 1 }) print(x) end
    a in (w or t) print(a) for a, b in pairs { a = 1 } do print(a, b) end`,
    `local t = { x = 1, y = { z = 2 }, n = 3, [5] = 'five' }
    print(1, 2) print(2) print(3, nil) print(nil)
    local w = watched('w', { a = 1, b = 2, c = 3 })
    local a, b do local t = note('table', w) a, b = t.a, t.b end print(a, b, logged())
    local function f() local a, c = w.a, w.c return a, c end print(f(), logged())
    a, c = w.a, w.c print(a, c, logged())
    local o = watched('o', { })
    do local p = note('o', o) local t = note('table', w) p.b, o.a, a = t.b, t.a, t.a end print(o.a, o.b, a, logged())
    print('five') print(1) a = w.a print(a) for a, b in pairs { a = 1 } do print(a, b) end`,
  ],
  'set constructors': [
    `local t = { .a, .b, 10, [7], ['k' .. 1], c = 3, .d = 4; .e, 20 }
    local keys = { } for k, v in pairs(t) do keys[#keys + 1] = tostring(k) .. '=' .. tostring(v) end
    table.sort(keys) print(table.concat(keys, ' '), ({ .x }).x, #{ .x, .5 })`,
    `local t = { a = true, b = true, 10, [7] = true, k1 = true, c = 3, d = 4, e = true, 20 }
    local keys = { } for k, v in pairs(t) do keys[#keys + 1] = tostring(k) .. '=' .. tostring(v) end
    table.sort(keys) print(table.concat(keys, ' '), true, 1)`,
  ],
  comments: [
    `/* a
    b */ print(1 /* two */ + 2, 7 // 2, "/* text */", '*' .. '/') /**/ /***/ print(9 / 3) --[[ c ]] -- /* d
    /*/ e */ print(3)`,
    `print(3, 7 // 2, '/* text */', '*/') print(9 / 3) print(3)`,
  ],
  // FiveM treats `defer` and `each` as ordinary functions, so they are not lowered.
  'defer and each': [
    `local function defer(f) return setmetatable({ }, { __close = f }) end
    local function each(t) local iterate = (getmetatable(t) or { }).__iter if iterate then return iterate(t) end return pairs(t) end
    do local _ <close> = defer(function() print('closed') end) print('open') end
    local t = setmetatable({ 1, 2 }, { __iter = function(t) return next, t, nil, defer(function() print('end') end) end })
    for k, v in each(t) do print(k, v) if k == 1 then break end end
    for k, v in each { 5 } do print(k, v) end`,
    `print('open') print('closed') print(1, 1) print('end') print(1, 5)`,
  ],
}

/** Computes the hash as in the published description of the algorithm. */
function joaat(text: string): number {
  let hash = 0n
  const wrap = (value: bigint) => BigInt.asUintN(32, value)
  for (const each of text.toLowerCase()) {
    hash = wrap(hash + BigInt(each.charCodeAt(0)))
    hash = wrap(hash + (hash << 10n))
    hash ^= hash >> 6n
  }
  hash = wrap(hash + (hash << 3n))
  hash ^= hash >> 11n
  return Number(BigInt.asIntN(32, hash + (hash << 15n)))
}

function build(source: string, preset: string, seed: number | string): string {
  const built = obfuscate(source, { preset, seed, dialect: 'fivem' })
  if ('errors' in built) throw new Error(built.errors.map(({ message }) => message).join('; '))
  expect(built.report.target).toBe('lua54')
  return built.code
}

describe.each(Object.entries(PROGRAMS))('%s', (_, [fivem, plain]) => {
  let wanted: Outcome | undefined
  beforeAll(async () => {
    ;[wanted] = await runLua('lua5.4', [{ name: 'plain', code: HEAD + plain }])
  })

  test.each(presets.map(({ id }) => id))('behaves as in Lua 5.4 at %s', async (preset) => {
    expect(wanted).toMatchObject({ error: null, output: expect.stringContaining('\n') })
    const programs = seeds.map((seed) => ({ name: `${seed}`, code: build(HEAD + fivem, preset, seed) }))
    for (const outcome of await runLua('lua5.4', programs)) {
      expect(outcome).toEqual({ name: outcome.name, error: null, output: wanted?.output })
    }
  })
})

test.each([
  ['x = `open', 'line 1, column 5: this string is not closed: add the closing `'],
  [
    'x = `é`',
    "line 1, column 5: a hash of characters beyond ASCII depends on the computer: write joaat('...'), which is computed where the script runs",
  ],
  ['x = 1 /* open', "line 1, column 7: this comment is not closed: add '*/'"],
  ['x ..= 1', "line 1, column 3: FiveM has no '..=': write the operation out, as in x = x .. 1"],
  ['x %= 1', "line 1, column 3: FiveM has no '%=': write the operation out, as in x = x % 1"],
  ['x //= 1', "line 1, column 3: FiveM has no '//=': write the operation out, as in x = x // 1"],
  [
    'a, b += 1',
    'line 1, column 6: a compound assignment takes one variable and one value: use a separate statement for each',
  ],
  ['x & = 1', 'line 1, column 1: an expression is not a statement: call it or assign it to a variable'],
  [
    'local n <const> = 1\nn += 1',
    "line 2, column 1: 'n' is a 'const' and cannot be assigned: declare it with 'local'",
  ],
  [
    'f() += 1',
    'line 1, column 1: cannot assign to this expression: only variables and fields can be assigned',
  ],
  ['x = a != b', "line 1, column 7: '!=' is not a Lua operator: write '~='"],
  [
    'x = a?',
    "line 1, column 7: '?' must be followed by a field, a method or a call, as in a?.b, a?[1], a?:b() or a?()",
  ],
  [
    'x = a ? b : c',
    "line 1, column 9: '?' must be followed by a field, a method or a call, as in a?.b, a?[1], a?:b() or a?()",
  ],
  ['a?.b', 'line 1, column 1: an expression is not a statement: call it or assign it to a variable'],
  [
    '(a?.b) = 1',
    'line 1, column 1: cannot assign to this expression: only variables and fields can be assigned',
  ],
  [
    'a, b?.c = 1, 2',
    "line 1, column 4: '?' can only be in the first variable of an assignment: assign this one in an 'if' statement",
  ],
  [
    'a?.b() = 1',
    'line 1, column 1: cannot assign to this expression: only variables and fields can be assigned',
  ],
  [
    'local x in { x = 1 }',
    "line 1, column 12: 'in' needs a name, a field or a call here: put any other expression in parentheses",
  ],
  [
    'local x in t or u',
    "line 1, column 14: 'in' needs a name, a field or a call here: put any other expression in parentheses",
  ],
  [
    't[k] in u',
    "line 1, column 2: 'in' assigns the field that is named like the variable, and this one has no name: use '=' instead",
  ],
  ['t = { . }', "line 1, column 9: expected a name after '.', found '}'"],
  ['t = { .a b }', "line 1, column 10: expected '}' to close '{' at line 1, found 'b'"],
  [
    'do\n  defer\n    n = n - 1\n  end\nend',
    "line 2, column 3: FiveM has no 'defer' statement: write 'local _ <close> = defer(function() ... end)'",
  ],
  ['continue', "line 1, column 1: 'continue': not supported in FiveM's Lua"],
])('the dialect fivem rejects %j with its position and a fix', (source, message) => {
  const built = obfuscate(source, { dialect: 'fivem' })
  expect('errors' in built ? built.errors.map((each) => each.message) : []).toEqual([message])
})

test.each([
  'x=v0?.a.b?[1]?:m(2)?(3)',
  'x=(v0?.a).b',
  'local a,b in(v0?.c)',
  'a,b.c in(v0 or d)',
  'a^=1 a&=2 a|=3 a<<=4 a>>=5 a+=6',
])('%j is printed as it was written', (source) => {
  const code = `local v0=1 ${source}`
  const diagnostics = new Diagnostics(code)
  const chunk = parse(code, diagnostics, 'fivem')
  expect(diagnostics.list()).toEqual([])
  expect(print(chunk, (symbol) => ['v0', 'a', 'b'][symbol] ?? '')).toBe(code)
})

test.each([
  ['x = a?.b', "line 1, column 6: '?' after an expression: not supported in Lua 5.1, LuaJIT or Luau"],
  ['local x in t', "line 1, column 9: 'in' as an assignment: not supported in Lua 5.1, LuaJIT or Luau"],
  ['t = { .a }', 'line 1, column 7: fields without a value: not supported in Lua 5.1, LuaJIT or Luau'],
])('other dialects reject %j', (source, message) => {
  const built = obfuscate(source)
  expect('errors' in built ? built.errors.map((each) => each.message) : []).toEqual([message])
})

test('the dialect implies its target, and other targets are rejected with a fix', () => {
  for (const target of [undefined, 'any', 'lua54']) {
    const built = obfuscate('n += 1', { dialect: 'fivem', ...(target && { target }) })
    expect(built).toMatchObject({ report: { target: 'lua54' } })
  }
  for (const target of ['lua51', 'luajit', 'luau']) {
    const message = `the dialect 'fivem' cannot run on '${target}': choose 'lua54', or leave the target out`
    expect(obfuscate('n += 1', { dialect: 'fivem', target })).toEqual({
      errors: [{ param: 'target', message }],
    })
  }
  expect(readOptions({ dialect: 'fivem' })).toEqual({ options: { dialect: 'fivem' } })
})

test('code that moves to the server is printed in Luau, without the operators that Luau lacks', async () => {
  const moved = (body: string) => {
    const source = `return WARD_SERVER(function(t, ...) ${body} end)`
    return obfuscate(source, { dialect: 'fivem', parameters: ['ward'] })
  }
  const built = moved(
    'local a, b in t?.x local n in t n += 2 return a, b, n, t?.y?.z(...), ({ .k }).k, `CPed`',
  )
  const code =
    'serverCode' in built && built.serverCode[0]?.kind === 'function' ? built.serverCode[0].source : ''
  const call = `local f = (function(...) ${code} end)() print(f({ x = { a = 1, b = 2 }, n = 3 }))`
  const [outcome] = await runLua('luau', [{ name: 'moved', code: call }])
  expect(outcome).toMatchObject({ error: null, output: '1\t2\t5\tnil\ttrue\t-1803413927' })
  const refused = moved('local n = t.n n ^= 1')
  expect('errors' in refused ? refused.errors.map((each) => each.message) : []).toEqual([
    "line 1, column 51: the server runs Luau, which has no operator '~': compute this in the script and pass the result as a parameter",
  ])
})

test('an expanded script is plain Lua 5.4', async () => {
  const expanded = expand('local a, b in cfg\nprint(a, b, none?.x, `adder`) a += 1 print(a)', {
    dialect: 'fivem',
  })
  const code = `cfg = { a = 1, b = 2 } ${'code' in expanded ? expanded.code : ''}`
  const [outcome] = await runLua('lua5.4', [{ name: 'expanded', code }])
  expect(outcome).toMatchObject({ error: null, output: '1\t2\tnil\t-1216765807\n2\nreturned' })
})
