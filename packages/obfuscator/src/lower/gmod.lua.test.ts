/**
 * Tests Garry's Mod as the source dialect: the semantics of its operators and comments in LuaJIT, with every
 * preset.
 */

import { expect, test } from 'vitest'
import { runLua } from '../../test/run-lua.ts'
import { seeds, targets } from '../../test/seeds.ts'
import { obfuscate, readOptions } from '../index.ts'
import { presets } from '../options.ts'

const GMOD = `// a comment of C
local a, b = 1, 2 /* another
 over lines */ local c = 3
if a != b && !(a == 3) || false then print("ok", a, b, c) end
for i = 1, 4 do if i == 2 then continue end print(i) end
print(!a, !!a, "http://x" .. 'y//z', [[/* text */]], 7 / 2) // end
local t = {1, 2, /* a hole */ 3} print(#t, !t.x && 5 || 6, 2 ^ 3 != 8 || a, !a == b)
while true do if !t then continue end break end
--[[ Lua ]] -- Lua // too
goto done
print('skipped')
::done::
return a != b`

/** The same program in plain LuaJIT. */
const LUAJIT = `
local a, b = 1, 2 local c = 3
if a ~= b and not (a == 3) or false then print("ok", a, b, c) end
for i = 1, 4 do if i ~= 2 then print(i) end end
print(not a, not not a, "http://x" .. 'y//z', [[/* text */]], 7 / 2)
local t = {1, 2, 3} print(#t, not t.x and 5 or 6, 2 ^ 3 ~= 8 or a, not a == b)
return a ~= b`

test("operators, continue and comments of Garry's Mod keep their meaning", async () => {
  const [wanted] = await runLua('luajit', [{ name: 'original', code: LUAJIT }])
  expect(wanted?.error).toBeNull()
  const programs = presets.flatMap(({ id }) =>
    seeds.flatMap((seed) =>
      targets('luajit').map((target) => {
        const source = target === 'any' ? GMOD.replace(/goto done|::done::|print\('skipped'\)/g, '') : GMOD
        const built = obfuscate(source, { preset: id, seed, target, dialect: 'gmod' })
        if ('errors' in built) throw new Error(built.errors.map(({ message }) => message).join('; '))
        return { name: `${id} ${target} ${seed}`, code: built.code }
      }),
    ),
  )
  for (const outcome of await runLua('luajit', programs)) {
    expect(outcome).toEqual({ ...outcome, error: null, output: wanted?.output })
  }
})

const DERIVED = `baseclass = { Get = function(name) return { Init = function(self) self.base = name end, Name = name } end }
ENT = { Base = 'base_thing' }
DEFINE_BASECLASS("base_thing")
function ENT:Init() BaseClass.Init(self) return self.base end
print(ENT:Init(), "DEFINE_BASECLASS", [[DEFINE_BASECLASS]]) // DEFINE_BASECLASS
do
  DEFINE_BASECLASS "inner" /* DEFINE_BASECLASS */ print(BaseClass.Name)
  DEFINE_BASECLASS
    [[long]]
  print(BaseClass.Name)
end
DEFINE_BASECLASS(ENT.Base .. '_2') or nil;
print(BaseClass.Name, DEFINE_BASECLASS_2)
DEFINE_BASECLASS;
print(BaseClass == baseclass.Get)`

test('DEFINE_BASECLASS declares the base class, as the text replacement of the game does', async () => {
  // Expands the macro outside of strings and comments, as the game would.
  const plain = DERIVED.replace(/^( *)DEFINE_BASECLASS(?!_)/gm, '$1local BaseClass = baseclass.Get').replace(
    /\/\/.*|\/\*.*\*\//g,
    '',
  )
  const [wanted] = await runLua('luajit', [{ name: 'plain', code: plain }])
  expect(wanted?.error).toBeNull()
  expect(wanted?.output).toContain(
    'base_thing\tDEFINE_BASECLASS\tDEFINE_BASECLASS\ninner\nlong\nbase_thing_2\tnil\ntrue',
  )
  const programs = presets.map(({ id }) => {
    const built = obfuscate(DERIVED, { preset: id, seed: seeds[0] ?? 0, dialect: 'gmod' })
    if ('errors' in built) throw new Error(built.errors.map(({ message }) => message).join('; '))
    expect(Math.max(...built.lines.lines)).toBe(DERIVED.split('\n').length)
    return { name: id, code: built.code }
  })
  for (const outcome of await runLua('luajit', programs)) {
    expect(outcome).toEqual({ ...outcome, error: null, output: wanted?.output })
  }
})

const BASE_CLASS_PLACE =
  "Garry's Mod replaces 'DEFINE_BASECLASS' with 'local BaseClass = baseclass.Get': use it only as a separate statement, DEFINE_BASECLASS('name')"

test.each([
  ['local a = DEFINE_BASECLASS("x")', `line 1, column 11: ${BASE_CLASS_PLACE}`],
  ['local function DEFINE_BASECLASS() end', `line 1, column 16: ${BASE_CLASS_PLACE}`],
  ['print(a.DEFINE_BASECLASS)', `line 1, column 9: ${BASE_CLASS_PLACE}`],
  ['x = 1 /* open', "line 1, column 7: this comment is not closed: add '*/'"],
  ['x += 1', "line 1, column 3: compound assignment: not supported in Garry's Mod Lua"],
  ['x = a !', "line 1, column 7: expected a statement, found '!'"],
  ['const x = 1', "line 1, column 1: 'const': not supported in Garry's Mod Lua"],
  ['break', "line 1, column 1: 'break' must be inside a loop: use 'return' to leave a function"],
])('the dialect gmod rejects %j with its position and a fix', (source, message) => {
  const built = obfuscate(source, { dialect: 'gmod' })
  expect('errors' in built ? built.errors.map((each) => each.message) : []).toEqual([message])
})

test('in other dialects, DEFINE_BASECLASS is an ordinary name', () => {
  expect(obfuscate('local DEFINE_BASECLASS = print DEFINE_BASECLASS("x")')).toHaveProperty('code')
})

test('other dialects still reject C operators and read // as division', () => {
  const built = obfuscate('return a != b')
  expect('errors' in built && built.errors[0]?.message).toBe(
    "line 1, column 10: '!=' is not a Lua operator: write '~='",
  )
  expect(obfuscate('return 7 // 2', { target: 'luau' })).toHaveProperty('code')
})

test('the dialect is validated like any other option', () => {
  expect(readOptions({ dialect: 'gmod' })).toEqual({ options: { dialect: 'gmod' } })
  expect(readOptions({ dialect: 'klingon' })).toEqual({
    errors: [{ param: 'dialect', message: "dialect must be one of 'any', 'gmod', 'fivem'" }],
  })
  expect(obfuscate('x = 1', { dialect: 'klingon' })).toEqual({
    errors: [
      { param: 'dialect', message: "there is no dialect 'klingon': choose one of 'any', 'gmod', 'fivem'" },
    ],
  })
})
