/** Tests which sources the parser accepts and rejects, and the positions that its errors report. */

import { describe, expect, test } from 'vitest'
import { refusedBy, refusedByLuau } from '../../test/parser-oracles.ts'
import { Diagnostics, describeDiagnostic, MAX_DIAGNOSTICS } from '../diagnostics.ts'
import type { Dialect } from './dialect.ts'
import { parse } from './parser.ts'
import { print } from './print/print.ts'

function diagnosticsOf(source: string, dialect: Dialect = 'any'): string[] {
  const diagnostics = new Diagnostics(source)
  parse(source, diagnostics, dialect)
  return diagnostics.list().map(describeDiagnostic)
}

/** Prints a source with its symbols named by number. */
function reprint(source: string): string {
  expect(diagnosticsOf(source)).toEqual([])
  return print(parse(source, new Diagnostics(source)), (symbol) => `v${symbol}`)
}

const everyLua = [
  ' ',
  'local continue = 1 while a do continue = 2 continue() end',
  'return',
  'return;',
  'do return end',
  'local a, b = 1, 2; a, b = b, a',
  'local function f(a, b, ...) return ... end',
  'function a.b.c:m(x) return self, x end',
  'if a then elseif b then else end',
  'while a do break; end',
  'repeat local x = 1 until x',
  'for i = 1, 2, 3 do end for i = 1, 2 do end',
  'for k, v in pairs(t) do break end',
  'f() f"x" f{} f[[x]] a:b() a:b"x" a:b{}',
  "(f or g)(1).x['y'] = {1, 2; 3, x = 4, [5] = 6, f(), ...}",
  "x = -2 ^ -3 .. 'a' .. not b == #c",
  'x = 0x10 + 1e3 + .5 + 3. + 0xA + 1E-2',
  "x = '\\n\\065\\\\\\'\\\n' .. \"\\0\"",
  'x = [==[\n]]]==] --[[ c ]] --[=[ ]] ]=] -- end',
  'type = 1 export = 2 continue = 3 const = 4 goto = 5 type() continue() const{} goto"x"',
  '(a).b = 1',
]

const onlyLuaJit = [
  'goto a ::a:: local x = y ::b::',
  'local a = b\n::continue::',
  'x = 1LL + 0xffULL + 18446744073709551615ull + 2i + 0x1.8p3 + 0x1p-4',
]

const onlyLuau = [
  'a += 1 a.b[c] -= 1 a *= 1 a /= 1 a //= 1 a %= 1 a ^= 1 a ..= 1',
  'while a do continue end repeat continue until a',
  'x = if a then b elseif c then d else e',
  'x = `a{1}b{`{2}`}\\{c\\u{41}` x = `` x = `{ {1} }`',
  'x = 1 // 2 + 0b1_0 + 1_000 + 0x_1 + 1__0.5_',
  'const a, b: number = 1, 2 const c, d = f() const function f() end',
  '@native function f() end @native @checked local function g() end x = @native function() end',
  "@[native, deprecated {use = 'x'}] function f() end @native const function g() end",
  "@[deprecated({use = 'x', reason = 'y'})] local function f() end",
  'local a: number, b: string? = c :: any, (d :: T)',
  'for i: number = 1, 2 do end for k: string, v in t do end',
  'local function f<T, U...>(a: T, ...: U...): (T, U...) end',
  'local function f(...: number): ...string end function a.b<T>(self: T) end',
  'local x: (a: number, string, ...b) -> (c, d...)',
  'local x: <T, U...>(T, U...) -> ()',
  "local x: {[string]: number, read a: b, write c: d, ['x y']: e; f: g?}",
  'local x: {read number} local y: {read: number} local z: {} local w: {T}',
  "local x: 'a' | true | nil | A.B<C, ...D, (E, F), G...> local y: T<>",
  'local x: | a | b local y: & a & b local z: (a?) & b local w: a?|b??',
  'local x: typeof(f(1)), y = 1 local z: B<C<D>> = 5',
  'type A<T = number, U... = (number, string)> = T export type B = typeof(x)',
  'type A<T... = ...number> = (T...) -> ((a) -> b) | c type C<D... = ()> = () -> D...',
  'type function f(a) return a end export type function g() end',
  'f<<number>>() a:b<<T, U...>>"x" local g = f<<T>>',
  'local x = a :: number | string .. "x" local y = -a :: number local z = b < c :: T',
]

describe('accepted sources', () => {
  test.each([...everyLua, ...onlyLuaJit, ...onlyLuau])('the parser accepts %j', (source) => {
    expect(diagnosticsOf(source)).toEqual([])
  })

  test('real compilers accept the same sources as the parser', async () => {
    expect(refusedBy('lua5.1', everyLua)).toEqual([])
    expect(refusedBy('luajit', [...everyLua, ...onlyLuaJit])).toEqual([])
    expect(await refusedByLuau([...everyLua, ...onlyLuau])).toEqual([])
    expect(refusedBy('lua5.1', [...onlyLuaJit, ...onlyLuau])).toHaveLength(
      onlyLuaJit.length + onlyLuau.length,
    )
    expect(refusedBy('luajit', onlyLuau)).toHaveLength(onlyLuau.length)
    expect(await refusedByLuau(onlyLuaJit)).toHaveLength(onlyLuaJit.length)
  })

  test.each(onlyLuau)('the dialect lua51 rejects Luau syntax: %j', (source) => {
    expect(diagnosticsOf(source, 'lua51').length).toBeGreaterThan(0)
    expect(diagnosticsOf(source, 'luau')).toEqual([])
  })

  test.each(onlyLuaJit)('the dialect luau rejects LuaJIT syntax: %j', (source) => {
    expect(diagnosticsOf(source, 'luau').length).toBeGreaterThan(0)
    expect(diagnosticsOf(source, 'luajit')).toEqual([])
  })
})

const refusals: readonly (readonly [string, string])[] = [
  ['if a print(b) end', "line 1, column 6: expected 'then' after the condition, found 'print'"],
  ['if a = b then end', "line 1, column 6: '=' is an assignment and not allowed here: use '==' to compare"],
  ['while a\nf()\nend', "line 2, column 1: expected 'do' after the condition, found 'f'"],
  [
    'function f()\n  if a then\nend',
    "line 3, column 4: expected 'end' to close 'function' at line 1, found the end of the file",
  ],
  ['f(\n1', "line 2, column 2: expected ')' to close '(' at line 1, found the end of the file"],
  ['x = {1, 2', "line 1, column 10: expected '}' to close '{' at line 1, found the end of the file"],
  ['end', "line 1, column 1: unexpected 'end': remove it, or open the block that it should close"],
  ['x = ', 'line 1, column 5: expected an expression, found the end of the file'],
  ['x = a.end', "line 1, column 7: expected a name after '.', found 'end'"],
  ['x', 'line 1, column 1: an expression is not a statement: call it or assign it to a variable'],
  [
    'f() = 1',
    'line 1, column 1: cannot assign to this expression: only variables and fields can be assigned',
  ],
  [
    '(a) = 1',
    'line 1, column 1: cannot assign to this expression: only variables and fields can be assigned',
  ],
  [
    'a, b += 1',
    'line 1, column 6: a compound assignment takes one variable and one value: use a separate statement for each',
  ],
  [
    'local a = f\n(g or h)()',
    "line 2, column 1: this '(' could be a call on the previous line: put ';' before it, or move it up to that line",
  ],
  [
    'a:b\n()',
    "line 2, column 1: this '(' could be a call on the previous line: put ';' before it, or move it up to that line",
  ],
  ['break', "line 1, column 1: 'break' must be inside a loop: use 'return' to leave a function"],
  [
    'while a do f(function() break end) end',
    "line 1, column 25: 'break' must be inside a loop: use 'return' to leave a function",
  ],
  ['continue', "line 1, column 1: 'continue' must be inside a loop"],
  [
    'function f() return ... end',
    "line 1, column 21: '...' must be inside a function that declares it: add '...' to the parameters",
  ],
  [
    'return 1 f()',
    "line 1, column 1: 'return' must be the last statement of its block: write 'do return end'",
  ],
  [';', "line 1, column 1: ';' must follow a statement: remove it"],
  ['const x', "line 1, column 8: a 'const' needs a value for every name: add '= value'"],
  ['const x = 1, 2', "line 1, column 1: a 'const' needs a value for every name: add '= value'"],
  ['const x, y = 1', "line 1, column 1: a 'const' needs a value for every name: add '= value'"],
  [
    'local x <const> = 1',
    "line 1, column 9: '<const>' and '<close>' require Lua 5.4: choose the target 'lua54', remove the attribute, or write 'const' before the name",
  ],
  ['x = a != b', "line 1, column 7: '!=' is not a Lua operator: write '~='"],
  ['x = a && b', "line 1, column 7: '&&' is not a Lua operator: write 'and'"],
  [
    'x = 3x',
    "line 1, column 5: '3x' is not a valid number: correct it, or separate it from the characters that follow",
  ],
  [
    'x = 1..2',
    "line 1, column 5: '1..2' is not a valid number: correct it, or separate it from the characters that follow",
  ],
  ["x = 'abc", "line 1, column 5: this string is not closed: add the closing '"],
  ['x = `abc', 'line 1, column 5: this string is not closed: add the closing `'],
  ['x = [==[ ]]', "line 1, column 5: this long string is not closed: add ']==]'"],
  ['--[[ x', "line 1, column 3: this comment is not closed: add ']]'"],
  ["x = '\\300'", "line 1, column 6: '\\300' is out of range: a decimal escape must be at most 255"],
  ["x = '\\xG0'", "line 1, column 6: '\\x' needs two hexadecimal digits, as in '\\x0A'"],
  [
    "x = '\\u{110000}'",
    "line 1, column 6: '\\u' needs a code point up to 10FFFF in braces, as in '\\u{20AC}'",
  ],
  ['x = `{}`', "line 1, column 7: '{}' needs an expression: add one, or '\\{' for a brace"],
  ['x = `{{1}}`', "line 1, column 6: '{{' is not allowed in an interpolated string: write '\\{' for a brace"],
  ['f`x`', 'line 1, column 2: an interpolated string needs parentheses as an argument: write f(`text`)'],
  ['local x: a|b&c', "line 1, column 13: '|' and '&' cannot be mixed: group one of them with parentheses"],
  ['local x: = 1', "line 1, column 10: expected a type, found '='"],
  [
    'local x: (a, b)',
    "line 1, column 16: expected '->' after the function type's parameters, found the end of the file",
  ],
  ['@native @native function f() end', "line 1, column 10: duplicate attribute '@native': remove one"],
  [
    '@native local x = 1',
    "line 1, column 9: expected 'function', 'local function', 'const function' or 'export function' after the attribute, found 'local'",
  ],
  ['for i = 1 do end', "line 1, column 11: expected ',' and a limit after the start value, found 'do'"],
  ['for i, j = 1, 2 do end', "line 1, column 10: expected 'in' after the variables of 'for', found '='"],
  ['local function f(a, ..., b) end', "line 1, column 24: '...' must be the last parameter"],
  ['x = $', "line 1, column 5: unexpected character '$': remove it"],
  [
    'local s = "é" x = 3x',
    "line 1, column 19: '3x' is not a valid number: correct it, or separate it from the characters that follow",
  ],
]

describe('rejected sources', () => {
  test.each(refusals)('the parser rejects %j with one diagnostic', (source, diagnostic) => {
    const bytes = Buffer.from(source, 'utf8').toString('latin1')
    expect(diagnosticsOf(bytes)).toEqual([diagnostic])
  })

  test('no real compiler accepts a source that the parser rejects', async () => {
    // Lua 5.1 has no `\x` and `\u`, but accepts both, because it reads an unknown escape as its letter.
    const sources = refusals.map(([source]) => source).filter((source) => !/\\[xu]/.test(source))
    const lua51 = new Set(refusedBy('lua5.1', sources).map((line) => line.split('\t')[0]))
    const luau = new Set((await refusedByLuau(sources)).map((line) => line.split('\t')[0]))
    const taken = sources.filter((_, i) => !lua51.has(String(i + 1)) || !luau.has(String(i + 1)))
    expect(taken).toEqual([])
  })
})

describe('error recovery', () => {
  test('every broken statement is reported, and nothing else', () => {
    const source = [
      'local a = = 1',
      'print("fine")',
      'if a print(b) end',
      'local function f()',
      '  x = 3x',
      '  for = 1, 2 do g() end',
      '  while do h() break end',
      '  return f(1,',
      'end',
      'foo.bar',
      'y = ) + 1',
      'z = 1',
    ].join('\n')
    const lines = diagnosticsOf(source).map((diagnostic) => Number(/line (\d+)/.exec(diagnostic)?.[1]))
    expect(lines).toEqual([1, 3, 5, 6, 7, 9, 10, 11])
  })

  test('the end of a block with a broken head does not close the enclosing block', () => {
    const source = 'function f()\n  if x == then\n    g()\n  else\n    h()\n  end\n  return 1\nend\nreturn f'
    expect(diagnosticsOf(source)).toEqual(["line 2, column 11: expected an expression, found 'then'"])
  })

  test('the body of a broken function expression is skipped separately', () => {
    const source = 'x = = function(a)\n  return ...\nend\ny = 1\nz = = 2'
    expect(diagnosticsOf(source).map((diagnostic) => diagnostic.split(',')[0])).toEqual(['line 1', 'line 5'])
  })

  test('at most 20 diagnostics are reported', () => {
    expect(diagnosticsOf('x = )\n'.repeat(500))).toHaveLength(MAX_DIAGNOSTICS)
    expect(diagnosticsOf("x = '\n".repeat(500))).toHaveLength(MAX_DIAGNOSTICS)
  })

  test('lines are counted for every kind of line break', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      expect(diagnosticsOf(`a = 1${end}--[[${end}]]${end}b = )`)[0]).toMatch(/^line 4, column 5:/)
    }
  })
})

describe('nesting', () => {
  const shapes: Readonly<Record<string, (n: number) => string>> = {
    parentheses: (n) => `x=${'('.repeat(n)}1${')'.repeat(n)}`,
    blocks: (n) => 'do '.repeat(n) + 'end '.repeat(n),
    'else if': (n) => 'if a then else '.repeat(n) + 'end '.repeat(n),
    tables: (n) => `x=${'{'.repeat(n)}${'}'.repeat(n)}`,
    functions: (n) => 'local function f() '.repeat(n) + 'end '.repeat(n),
    calls: (n) => `x=${'f('.repeat(n)}1${')'.repeat(n)}`,
    concatenations: (n) => `x=1${' ..1'.repeat(n - 1)}`,
    sums: (n) => `x=1${'+1'.repeat(n - 1)}`,
    unaries: (n) => `x=${'- '.repeat(n - 1)}1`,
    fields: (n) => `x=a${'.b'.repeat(n - 1)}`,
    'method chains': (n) => `a${':b()'.repeat(n - 1)}`,
    types: (n) => `local x:${'{'.repeat(n)}${'}'.repeat(n)}`,
    interpolations: (n) => `x=${'`{'.repeat(n)}1${'}`'.repeat(n)}`,
  }

  test.each(Object.entries(shapes))('1,000 levels of %s are accepted, 1,100 are reported', (_, shape) => {
    expect(diagnosticsOf(shape(1000))).toEqual([])
    expect(diagnosticsOf(shape(1100))).toEqual([expect.stringContaining('nested too deeply')])
  })

  test.each(Object.entries(shapes))('20,000 levels of %s are reported without a crash', (_, shape) => {
    expect(diagnosticsOf(shape(20_000))).toEqual([expect.stringContaining('nested too deeply')])
  })

  test('chains inside parentheses add up, so that no traversal of the tree can overflow', () => {
    const source = `x=${'('.repeat(300)}1${`${'+1'.repeat(300)})`.repeat(300)}`
    expect(diagnosticsOf(source)).toEqual([expect.stringContaining('nested too deeply')])
  })

  test('the deepest accepted tree can be printed', () => {
    for (const shape of Object.values(shapes)) expect(reprint(shape(1000))).not.toBe('x')
  })

  test('long lists do not count as nesting', () => {
    expect(diagnosticsOf(`if a then ${'elseif a then '.repeat(5000)} end`)).toEqual([])
    expect(diagnosticsOf(`x = {${'1,'.repeat(20_000)}}`)).toEqual([])
    expect(diagnosticsOf('f() '.repeat(20_000))).toEqual([])
  })

  test('any number of unclosed heads is reported', () => {
    for (const piece of [
      'while do ',
      'x = = function() ',
      'if while for function(',
      'f({[(',
      'repeat ',
      'end ',
    ]) {
      expect(diagnosticsOf(piece.repeat(10_000)).length).toBeGreaterThan(0)
    }
  })
})

describe('printing', () => {
  test.each([
    ['x = (f()), (...), (a)', 'x=(f()),(...),a'],
    ['x = f() :: any', 'x=(f())'],
    ['local t: T = a.b["c"]["d e"]', 'local v0=a.b.c["d e"]'],
    ['type A = b; f()', 'f()'],
    ['x = a - -b - - -c', 'x=a- -b- - -c'],
    ['x = 1 ..2 .. ...', 'x=1 ..2 .. ...'],
    ['x = (a .. b) .. c, a .. (b .. c)', 'x=(a..b)..c,a..b..c'],
    ['x = (a ^ b) ^ c, a ^ b ^ c, -a ^ b, (-a) ^ b', 'x=(a^b)^c,a^b^c,-a^b,(-a)^b'],
    ['x = (a or b) and c, not (a == b)', 'x=(a or b)and c,not(a==b)'],
    ['x = (if a then b else c) + 1', 'x=(if a then b else c)+1'],
    ['local a = f; (g or h)()', 'local v0=f;(g or h)()'],
    ['do (f or g)() end', 'do(f or g)()end'],
    ['function a.b:c(x) return self end', 'function a.b.c(v0,v1)return self end'],
    ['x = ("s"):rep(2), ({})[1], (function() end)()', 'x=("s"):rep(2),({})[1],(function()end)()'],
    ['x = `a{1}` x = `b`', 'x=`a{1}`x="b"'],
    ['x = `{ {} }`', 'x=`{({})}`'],
    ['--!native\n--!optimize 2\n-- c\nx = 1 --!late', '--!native\n--!optimize 2\nx=1'],
    ['#!/usr/bin/lua\nx = 1', 'x=1'],
    ['\xef\xbb\xbfx = 1', 'x=1'],
    ['x = {[a] = 1, ["b"] = 2, ["end"] = 3, ["goto"] = 4}', 'x={[a]=1,b=2,["end"]=3,["goto"]=4}'],
    ['const a = 1; @native local function f() end', 'const v0=1@native local function v1()end'],
    ['goto a; x = b ::a::', 'goto a x=b::a::'],
  ])('%j is printed in its shortest form', (source, text) => {
    expect(reprint(source)).toBe(text)
  })

  test('strings keep their bytes in any source encoding', () => {
    const bytes = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('')
    const source = `x = [=[\n${bytes.replace('\r', '')}]=]`
    const written = reprint(source)
    expect(written).toMatch(/^[\x20-\x7e]*$/)
    expect(reprint(written)).toBe(written)
    const [statement] = parse(written, new Diagnostics(written)).body.statements
    expect(statement).toMatchObject({ values: [{ kind: 'StringLiteral', value: bytes.replace('\r', '') }] })
  })

  test('line breaks inside strings become one newline', () => {
    const [statement] = parse("x = [[\r\na\r\nb]] .. 'a\\\r\nb\\z  \n  c'", new Diagnostics('')).body
      .statements
    expect(statement).toMatchObject({ values: [{ left: { value: 'a\nb' }, right: { value: 'a\nbc' } }] })
  })
})
