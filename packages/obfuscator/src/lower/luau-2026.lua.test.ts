/**
 * Tests the syntax added to Luau in 2026, which few hosts support yet: exported values, classes, integers and
 * unknown attributes. The expected outputs come from the Luau sources of August 2026 with all feature flags
 * enabled.
 */

import { describe, expect, test } from 'vitest'
import { HOSTS, runLua } from '../../test/run-lua.ts'
import { SEED, seeds, targets } from '../../test/seeds.ts'
import { Diagnostics, describeDiagnostic } from '../diagnostics.ts'
import { obfuscate } from '../index.ts'
import { presets } from '../options.ts'
import { parse } from '../syntax/parser.ts'
import { print } from '../syntax/print/print.ts'

const EXPORTS = `
local function foo() return 1 end
export function foo() return 2 end
print(foo())
local fruit = 'apple'
export local fruit
print(fruit)
export local animal = 'dog'
local animal = 'cat'
animal = 'bird'
print(animal)
export local a, b, c = (function() return 1, 2, 3, 4 end)()
export const TAU = 6.25
export local side: string = 'heads'
if a == 1 then side = 'tails' end
export local f, g
function f() return 'f' .. g() end
function g() return 'g' end
a += 10
@native export function total(...) return a + b + c + TAU + select('#', ...) end
export class Kept public v end
local export = 5 export = export + 1
print(export, f(), total(1, 2), Kept.new({ v = 7 }).v)`

const EXPORTED = `
local keys = {}
for key, value in pairs(module) do keys[#keys + 1] = key .. '=' .. (type(value) == 'function' and 'function' or type(value)) end
table.sort(keys)
print(table.concat(keys, ' '))
print(module.foo(), module.side, module.animal, module.fruit, module.f(), module.total(), module.Kept.new({ v = 8 }).v)
if table.freeze then print(pcall(function() module.a = 1 end) == false) else print(true) end`

const CLASSES = `
local function early() return Point.new({ x = 1, y = 2 }) end
print(Point, typeof(Point))
local made = 0
open class Point
  public x: number
  public y

  function __add(self, other: Point): Point
    return Point.new({ x = self.x + other.x, y = self.y + other.y })
  end
  public function sum(self) return self.x + self.y end
  function __eq(self, other) return self.x == other.x end
  function __tostring(self) return '<' .. self.x .. '>' end
  function __len(self) return 42 end
  function __iter(self) return next, { self.x, self.y } end
  function __call(self, more) return self.x + more end
  function __lt(self, other) return self.x < other.x end
  function __concat(self, other) return 'joined' end
  function count() made += 1 return made end
end
class Point3 extends Point
  public z
  function sum(self) return self.x + self.y + self.z end
end
open class Base
  public n
  function __init(self, n, ...) self.n = n + select('#', ...) end
end
class Child extends Base
  function __init(self) Base.__init(self, 10, nil, nil) end
end
class Bare extends Base end
class Plain public item end
local p, q = early(), Point.new({ x = 1 })
print(p.x, p.y, q.y, p:sum(), tostring(p), #p, p(5), p == q, p ~= q, p .. 1, type(p), typeof(Point), type({}), type(nil))
q.y = 4
print((p + q).y, p < Point.new({ x = 2 }), Point.count(), Point.count(), Point.sum(q))
for _, v in p do print('iter', v) end
local r = Point3.new({ x = 1, y = 2, z = 3 })
print(r:sum(), tostring(r), r < Point3.new({ x = 5 }), r == p, class.isinstance(r, Point), class.isinstance(p, Point3))
print(class.classof(r) == Point3, class.classof(5), class.isinstance({}, Point), Point == Point, Child.new().n, #{ 1, 2 })
print(Plain.new({}) == Plain.new({}), Plain.new({}).item, rawequal(Plain, Plain), (tostring(Plain):gsub(' .*', '')))
local function fails(f, ...) local ok, message = pcall(f, ...) print(ok, (tostring(message):gsub('^.-:%d+: ', ''))) end
fails(function() return p.huh end)
fails(function() p.huh = 1 end)
fails(function() p.sum = 1 end)
fails(function() return p[{}] end)
fails(function() p[1] = 1 end)
fails(function() return Point.huh end)
fails(function() return Point[1] end)
fails(function() Point.sum = nil end)
fails(function() return p:nothing() end)
fails(function() Plain({}) end)
fails(function() return Plain < Plain end)
fails(function() return Plain.new({}) <= Plain.new({}) end)
fails(function() for _ in Plain.new({}) do end end)
fails(Plain.new)
fails(Plain.new, {}, 2)
fails(Plain.__init, 1, {})
fails(Plain.__init, p, {})
fails(Bare.new, 1)
fails(class.isinstance, p, 'no')
fails(class.isinstance, p)`

const CLASSES_PRINT = `nil nil
1 2 nil 3 <1> 42 6 true false joined object class table nil
6 true 1 2 5
iter 1
iter 2
6 <1> true false true false
true nil false true 12 2
false nil true class:
false this object does not have a key named 'huh'
false this object does not have a key named 'huh'
false attempt to index object with 'sum'
false cannot index object with a table
false cannot index object with a number
false this class does not have a key named 'huh'
false cannot index class with a number
false attempt to index class with 'sum'
false this object does not have a key named 'nothing'
false attempt to call a class value
false attempt to compare class < class
false attempt to compare object <= object
false attempt to iterate over a object value
false The constructor of Plain must be called with 2 arguments.  Got 1
false The constructor of Plain must be called with 2 arguments.  Got 3
false Plain.__init must be called with an instance of the class as its first argument
false Cannot call Plain.__init on an instance of class Point
false Class Bare must define a constructor because it is derived from a class that defines one
false invalid argument #2 to 'isinstance' (class expected, got string)
false missing argument #2 to 'isinstance' (class expected)`

const INHERITING_ERRORS = `
open class A public x function f() end end
print(pcall(function() A.q = 2 end) == false)
local five = 5
class B extends five end`

const EXPORTS_PRINT = `2
nil
bird
6 fg 24.25 7
Kept=${'%KEPT%'} TAU=number a=number animal=string b=number c=number f=function foo=function g=function side=string total=function
2 tails dog nil fg 22.25 8
true`

const OWN = { 'lua5.1': 'lua51', luajit: 'luajit', luau: 'luau' } as const

function protect(source: string, preset: string, target: string, seed: number | string): string {
  const built = obfuscate(source, { preset, target, seed })
  if ('errors' in built) throw new Error(built.errors.map(({ message }) => message).join('; '))
  return built.code
}

async function outputsOf(
  host: (typeof HOSTS)[number],
  source: string,
  wrap: (code: string) => string = (code) => code,
  from: readonly (number | string)[] = seeds,
) {
  const programs = presets.flatMap(({ id }) =>
    from.flatMap((seed) =>
      targets(OWN[host as keyof typeof OWN]).map((target) => ({
        name: `${id} ${target} ${seed}`,
        code: wrap(protect(source, id, target, seed)),
      })),
    ),
  )
  const outcomes = await runLua(host, programs)
  return outcomes.map(({ name, output, error }) => ({
    name,
    error,
    output: output.replace(/\n?returned.*$/, '').replaceAll('\t', ' '),
  }))
}

test('a file of a source tree exports values and classes to other files', async () => {
  const files = {
    'main.luau':
      "local shapes = require('./shapes') class Round extends shapes.Shape end print(Round.new({ name = 'r' }):say(), shapes.count)",
    'shapes.luau':
      'export local count = 1 export open class Shape public name function say(self) return self.name .. count end end count += 1',
  }
  const programs = presets.map(({ id }) => {
    const built = obfuscate({ main: 'main.luau', files }, { preset: id })
    if ('errors' in built) throw new Error(built.errors.map(({ message }) => message).join('; '))
    return { name: id, code: built.code }
  })
  for (const host of HOSTS) {
    for (const { name, error, output } of await runLua(host, programs)) {
      expect([host, name, error, output.split('\n')[0]]).toEqual([host, name, null, 'r2\t2'])
    }
  }
})

describe.each(HOSTS)('on %s', (host) => {
  test('exported values are fields of the table that the script returns, frozen where the host supports it', async () => {
    const wrap = (code: string) => `local module = (function(...) ${code}\nend)()\n${EXPORTED}`
    for (const { name, error, output } of await outputsOf(host, EXPORTS, wrap)) {
      expect([name, error, output]).toEqual([name, null, EXPORTS_PRINT.replace('%KEPT%', 'table')])
    }
  })

  test('classes behave like Luau classes, including their errors', async () => {
    for (const { name, error, output } of await outputsOf(host, CLASSES)) {
      expect([name, error, output]).toEqual([name, null, CLASSES_PRINT])
    }
  })

  test('extending a closed class or a value that is not a class raises the same error as in Luau', async () => {
    for (const { name, error } of await outputsOf(host, INHERITING_ERRORS, undefined, [SEED])) {
      expect([name, error?.replace(/^.*?:\d+: /, '')]).toEqual([name, 'attempt to extend a number value'])
    }
    const closed = 'class A end class B extends A end'
    for (const { name, error } of await outputsOf(host, closed, undefined, [SEED])) {
      expect([name, error?.replace(/^.*?:\d+: /, '')]).toEqual([
        name,
        "Non-open class 'A' cannot be extended",
      ])
    }
  })
})

test('integers stay integers for Luau, and become imaginary numbers for LuaJIT', () => {
  const source = 'return 123i, 0xFFi, 1_000i, 0b11i, 0xFFFFFFFFFFFFFFFFi, 9223372036854775807i'
  const luau = obfuscate(source, { preset: 'light', target: 'luau' })
  const written = 'code' in luau ? luau.code : ''
  for (const each of ['123i', '255i', '1000i', '3i', '0xffffffffffffffffi', '9223372036854775807i'])
    expect(written).toContain(each)
  const luajit = obfuscate('print(123i, 2.5i)', { preset: 'light', target: 'luajit' })
  expect('code' in luajit && luajit.code).toMatch(/123i/)
})

test('integers are rejected for every target that lacks them', () => {
  const found = (source: string, target: string) => {
    const built = obfuscate(source, { target })
    return 'errors' in built ? built.errors.map(({ message }) => message) : []
  }
  expect(found('return 1i', 'lua51')[0]).toMatch(
    /^line 1, column 8: integers with 'i' cannot run on Lua 5\.1/,
  )
  expect(found('return 1i', 'any')[0]).toMatch(/^line 1, column 8: integers with 'i' cannot run on every/)
  expect(found('return 2.5i', 'luau')[0]).toMatch(/^line 1, column 8: imaginary literals cannot run on Luau/)
  expect(found('return 9223372036854775808i', 'luau')[0]).toMatch(/^line 1, column 8: imaginary literals/)
})

test('an unknown attribute is dropped with a warning, and those of other obfuscators take effect', () => {
  const source = `
@future function f() print('text of f') end
@[VM(NONE)] local function g() return 5 end
@LPH_NO_VIRTUALIZE local function h() return 6 end
@[deprecated {use = 'x'}] @native function i() return 7 end
f() print(g(), h(), i())`
  for (const target of ['luau', 'any']) {
    const built = obfuscate(source, { target })
    if ('errors' in built) throw new Error(built.errors[0]?.message)
    expect(built.report.warnings).toContain("line 2: the unknown attribute '@future' is ignored")
    expect(built.report.warnings.filter((each) => each.includes('attribute'))).toHaveLength(1)
    expect(built.code).not.toContain('@future')
    const plain = obfuscate(source.replace(/@\[VM\(NONE\)\]|@LPH\w+/g, ''), { target })
    expect('report' in plain && plain.report.virtualized).toBe(built.report.virtualized + 2)
  }
})

test('a module path is treated like any other string', () => {
  const built = obfuscate('local m = require("@self/x") return m', { target: 'luau' })
  expect('errors' in built).toBe(false)
})

const SHORTEST: readonly (readonly [string, string])[] = [
  ['export local a, b = 1, 2', 'export local v0,v1=1,2'],
  ['export const a: number = 1', 'export const v0=1'],
  ['@native export function a() end', '@native export function v0()end'],
  ['export type A = number export class B end', 'export class v0 end'],
  [
    'export open class A public b: T public function c(self) end end',
    'export open class v0 public b function c(v1)end end',
  ],
  ['class A extends B.c[1] public d end', 'class v0 extends B.c[1]public d end'],
  ['@[VM(NONE), fast] function a() end', '@[VM(NONE)]@fast function a()end'],
]

test.each(SHORTEST)('%j is printed in its shortest form and parses again', (source, printed) => {
  for (const text of [source, printed]) {
    const diagnostics = new Diagnostics(text)
    const chunk = parse(text, diagnostics)
    expect(diagnostics.list().map(describeDiagnostic)).toEqual([])
    expect(print(chunk, (symbol) => `v${symbol}`)).toBe(printed)
  }
})

const REFUSED: readonly (readonly [string, string])[] = [
  [
    'if a then export local b = 1 end',
    "line 1, column 11: 'export' must be at the top level: move it out of the block or function",
  ],
  [
    'export local function f() end',
    "line 1, column 8: an exported function is constant: write 'export function'",
  ],
  [
    'export const function f() end',
    "line 1, column 8: an exported function is constant: write 'export function'",
  ],
  [
    'export local a\nexport local a',
    "line 2, column 14: 'a' is exported twice: rename one, or assign to the first",
  ],
  [
    'export local a = 1\nreturn a',
    "line 2, column 1: a script with exports cannot return other values: remove the 'return', or return everything in one table",
  ],
  [
    'if a then return end\nexport local b = 1',
    "line 1, column 11: a script with exports cannot return other values: remove the 'return', or return everything in one table",
  ],
  [
    'export function f() end\nf = 1',
    "line 2, column 1: 'f' is a 'const' and cannot be assigned: declare it with 'local'",
  ],
  [
    'export x = 1',
    "line 1, column 8: expected 'local', 'const', 'function', 'class' or 'type' after 'export', found 'x'",
  ],
  [
    'do class A end end',
    'line 1, column 4: a class must be at the top level: move it out of the block or function',
  ],
  ['class A x end', "line 1, column 9: expected 'public', 'function' or 'end' in the class, found 'x'"],
  ['class A end\nclass A end', "line 2, column 7: duplicate class 'A': rename one"],
  ['class A public b\npublic b end', "line 2, column 8: duplicate class member 'b': rename one"],
  [
    'class A public new end',
    "line 1, column 16: 'new' is reserved for creating instances: rename this, or use '__init' for a constructor",
  ],
  [
    'class A public __b end',
    "line 1, column 16: '__b' cannot be a field: names that start with '__' are reserved",
  ],
  [
    'class A function __index() end end',
    "line 1, column 18: '__index' cannot be a method: among names that start with '__', only '__init' and operator methods are allowed",
  ],
  [
    'class A function __init(x) end end',
    "line 1, column 18: '__init' of 'A' must take 'self': write 'function __init(self, ...)'",
  ],
  [
    'class A public b',
    "line 1, column 17: expected 'end' to close 'class' at line 1, found the end of the file",
  ],
  [
    'class A end\nA = 1',
    "line 2, column 1: 'A' is a 'const' and cannot be assigned: declare it with 'local'",
  ],
]

test.each(REFUSED)('%j is rejected with its position and a fix', (source, message) => {
  const built = obfuscate(source)
  expect('errors' in built ? built.errors.map((each) => each.message) : []).toEqual([message])
})
