/** Tests loops with both `continue` and `goto`: every output must load and behave like its source. */

import { expect, test } from 'vitest'
import { type Host, runLua } from '../../test/run-lua.ts'
import { seeds } from '../../test/seeds.ts'
import { obfuscate } from '../index.ts'
import { presets } from '../options.ts'

type Sample = readonly [source: string, printed: string]

const LUAJIT: readonly Sample[] = [
  [
    'for i = 1, 4 do if i == 3 then continue end if i == 2 then goto skip end local x = i * 2 print(x) ::skip:: end',
    '2 8',
  ],
  [
    'for i = 1, 4 do if i == 3 then continue end for j = 1, 2 do if j == i then goto skip end end local x = i * 2 print(x) ::skip:: end',
    '8',
  ],
  [
    'for i = 1, 6 do if i == 3 then continue end if i == 2 then goto skip end local x = i print(x) if i == 5 then break end ::skip:: end',
    '1 4 5',
  ],
  [
    'local i = 0 while i < 9 do i = i + 1 if i % 3 == 0 then continue end if i > 6 then goto out end local x = i print(x) end ::out:: print(i)',
    '1 2 4 5 7',
  ],
  [
    'local i = 0 while i < 6 do i = i + 1 ::again:: local x = i if x % 3 == 0 then continue end if x % 3 == 1 then i = i + 1 goto again end print(x) end',
    '2 5',
  ],
  [
    'local n = 0 repeat n = n + 1 local z = n if n == 2 then continue end if n == 3 then goto skip end print(n) ::skip:: until z > 5',
    '1 4 5 6',
  ],
  [
    'local n = 0 repeat n = n + 1 local z = n if n == 2 then continue end do if n == 3 then goto skip end local y = n print(y) ::skip:: end until z > 5',
    '1 4 5 6',
  ],
  [
    'for _, v in ipairs({ 4, 5, 6 }) do for j = 1, 3 do if j == 2 then continue end if v == 5 then goto next end local x = v print(j + x) end local y = v print(y) ::next:: end',
    '5 7 4 7 9 6',
  ],
]

const LUA54: readonly Sample[] = [
  [
    'for i = 1, 4 do if i == 3 then goto a end local y = i for j = 1, 2 do if j == i then goto b end end local x = y print(x) ::b:: ::a:: end',
    '4',
  ],
  [
    "local n = 0 repeat n = n + 1 local x <close> = setmetatable({ v = n }, { __close = function(s) print('c' .. s.v) end }) if n == 2 then goto cont end print(n) ::cont:: until x.v > 3",
    '1 c1 c2 3 c3 4 c4',
  ],
  [
    'local n = 0 repeat n = n + 1 local x <const> = n if n == 2 then goto cont end print(n) ::cont:: until x > 3',
    '1 3 4',
  ],
]

async function expectOutputs(host: Host, target: string, samples: readonly Sample[]): Promise<void> {
  const builds = presets.flatMap(({ id: preset }) => seeds.map((seed) => ({ preset, seed, target })))
  for (const options of builds) {
    const programs = samples.map(([source]) => {
      const built = obfuscate(source, options)
      if ('errors' in built) throw new Error(JSON.stringify(built.errors))
      return { name: source, code: built.code }
    })
    const found = await runLua(host, programs)
    const lines = found.map(({ name, output, error }) => [name, error ?? printedBy(output)])
    expect({ ...options, lines }).toEqual({ ...options, lines: samples })
  }
}

const printedBy = (output: string) => output.replace(/\n?returned$/, '').replaceAll('\n', ' ')

test("'continue' and 'goto' can be used in the same loop on LuaJIT", async () => {
  await expectOutputs('luajit', 'luajit', LUAJIT)
})

test("labels at the end of a loop keep their meaning on Lua 5.4, with '<close>' too", async () => {
  const plain = await runLua(
    'lua5.4',
    LUA54.map(([code]) => ({ name: code, code })),
  )
  expect(plain.map(({ name, output, error }) => [name, error ?? printedBy(output)])).toEqual(LUA54)
  await expectOutputs('lua5.4', 'lua54', LUA54)
})

test("a 'continue' that skips a local of the condition is an error for Luau, which rejects it", () => {
  const source = 'local n = 0\nrepeat n = n + 1 if n == 2 then continue end local z = n until z > 3'
  const built = obfuscate(source, { target: 'luau' })
  expect('errors' in built ? built.errors.map((each) => each.message) : []).toEqual([
    "line 2, column 33: 'continue' skips the local 'z', which the condition of 'until' uses: declare it before the 'continue'",
  ])
})

test('a label with the name of a visible label is an error for Lua 5.4, which rejects it', () => {
  const source = '::a:: do\n::a:: end'
  const built = obfuscate(source, { target: 'lua54' })
  expect('errors' in built ? built.errors.map((each) => each.message) : []).toEqual([
    "line 2, column 1: the label 'a' is already declared in an enclosing block, which Lua 5.4 does not allow: rename one",
  ])
  expect(obfuscate(source, { target: 'luajit' })).toHaveProperty('code')
})
