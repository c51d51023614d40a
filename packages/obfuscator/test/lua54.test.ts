/**
 * Tests Lua 5.4 as the target: which sources are rejected, and how its syntax is printed. The programs in
 * `conformance/` test its behavior.
 */

import { expect, test } from 'vitest'
import { Diagnostics, describeDiagnostic } from '../src/diagnostics.ts'
import { obfuscate } from '../src/index.ts'
import { parse } from '../src/syntax/parser.ts'
import { print } from '../src/syntax/print/print.ts'

test.each([
  [
    "x = '\\u{80000000}'",
    "line 1, column 6: '\\u' needs a code point up to 7FFFFFFF in braces, as in '\\u{20AC}'",
  ],
  ['local a <fixed> = 1', "line 1, column 10: unknown attribute '<fixed>': write '<const>' or '<close>'"],
  [
    'local a <close>, b <close> = 1, 2',
    "line 1, column 1: a 'local' can have only one '<close>' variable: declare each one separately",
  ],
  [
    'local a <const> = 1\na = 2',
    "line 2, column 1: 'a' is a 'const' and cannot be assigned: declare it with 'local'",
  ],
  ['a += 1', 'line 1, column 3: compound assignment: not supported in Lua 5.4'],
  [
    'x = 1_000',
    "line 1, column 5: '1_000' is not a valid number: correct it, or separate it from the characters that follow",
  ],
])('the target lua54 rejects %j with its position and a fix', (source, message) => {
  const built = obfuscate(source, { target: 'lua54' })
  expect('errors' in built ? built.errors.map((each) => each.message) : []).toEqual([message])
})

test.each([
  ['x = a & b', 'line 1, column 7: bitwise operators: not supported in Lua 5.1, LuaJIT or Luau'],
  ['x = ~a', 'line 1, column 5: bitwise operators: not supported in Lua 5.1, LuaJIT or Luau'],
  [
    'local a <const> = 1',
    "line 1, column 9: '<const>' and '<close>' require Lua 5.4: choose the target 'lua54', remove the attribute, or write 'const' before the name",
  ],
])('other targets reject %j with its position and a fix', (source, message) => {
  const built = obfuscate(source)
  expect('errors' in built ? built.errors.map((each) => each.message) : []).toEqual([message])
})

test.each([
  ['local a <const>, b <close> = 1, 2.0', 'local v0<const> ,v1<close> =1,2.0'],
  ['x = a | b ~ c & d << 1 .. e', 'x=a|b~c&d<<1 ..e'],
  ['x = (a | b) & ~c >> (d << 1)', 'x=(a|b)&~c>>(d<<1)'],
  [
    'x = 9007199254740993, 0xffffffffffffffff, 1e3, 0x10, 9223372036854775808',
    'x=9007199254740993,0xffffffffffffffff,1000.0,16,9223372036854776e3',
  ],
  ['while a do break; f() end ;;', 'while a do do break end f()end'],
])('Lua 5.4: %j is printed in its shortest form and parses again', (source, printed) => {
  for (const text of [source, printed]) {
    const diagnostics = new Diagnostics(text)
    const chunk = parse(text, diagnostics, 'lua54')
    expect(diagnostics.list().map(describeDiagnostic)).toEqual([])
    expect(print(chunk, (symbol) => `v${symbol}`)).toBe(printed)
  }
})

test("Garry's Mod cannot be protected for Lua 5.4", () => {
  expect(obfuscate('x = 1', { dialect: 'gmod', target: 'lua54' })).toEqual({
    errors: [
      { param: 'dialect', message: "the dialect 'gmod' cannot run on 'lua54': choose another target" },
    ],
  })
})
