/**
 * Tests that multi-file scripts behave on real hosts as they do with the host's own `require`, and that their
 * diagnostics refer to the author's files.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HOSTS, type Host, runLua } from '../../test/run-lua.ts'
import { seeds } from '../../test/seeds.ts'
import { type Built, choices, mapTraceback, obfuscate, type SourceTree } from '../index.ts'

type Files = Readonly<Record<string, string>>

const PRESETS = choices.presets.map(({ id }) => id)
const folder = mkdtempSync(path.join(tmpdir(), 'modules-'))
afterAll(() => rmSync(folder, { recursive: true }))

function build(files: Files, options: Parameters<typeof obfuscate>[1] = {}, main = 'main.lua') {
  const built = obfuscate({ main, files }, options)
  if ('errors' in built) throw new Error(JSON.stringify(built.errors))
  return built
}

function complaints(files: SourceTree['files'], main = 'main.lua'): string[] {
  const built = obfuscate({ main, files })
  return 'errors' in built ? built.errors.map(({ param, message }) => `${param}: ${message}`) : []
}

/** Returns the printed output of each program, by program name. All programs run in one process. */
async function printedBy(host: Host, codes: Files): Promise<Files> {
  const programs = Object.entries(codes).map(([name, code]) => ({ name, code }))
  const outcomes = await runLua(host, programs)
  for (const { name, error } of outcomes) if (error !== null) throw new Error(`${host}, ${name}: ${error}`)
  return Object.fromEntries(outcomes.map(({ name, output }) => [name, output.replace(/\nreturned.*$/s, '')]))
}

async function printed(host: Host, code: string): Promise<string> {
  return (await printedBy(host, { tree: code })).tree ?? ''
}

/** Builds the files with every preset. Returns the output by preset. */
const atEveryPreset = (files: Files, options: Parameters<typeof obfuscate>[1] = {}): Files =>
  Object.fromEntries(PRESETS.map((preset) => [preset, build(files, { ...options, preset }).code]))

/** Returns the expected output of each program, which is the same for all of them. */
const everywhere = (codes: Files, wanted: string): Files =>
  Object.fromEntries(Object.keys(codes).map((name) => [name, wanted]))

/** A program that prints evaluation order, results, errors, scopes, and the arguments that files receive. */
const PROGRAM: Files = {
  'main.lua': `print('main', select('#', ...))
local shapes = require "lib.shapes"
print(shapes.area(3), require("lib.shapes") == shapes)
shared = 'global of main'
print(require('lib.reads'), hidden, seen)
print(require('empty'), require('empty'), require('no') == false)
print(type(require 'folder'), require('folder').name)
local ok, problem = pcall(require, 'broken')
print(ok, (tostring(problem):gsub('^.-:%d+: ', '')))
local ok, problem = pcall(function() return require('broken') end)
print(ok, (tostring(problem):gsub('^.-:%d+: ', '')))
print(require('late').ask())
print((pcall(require, 'absent.module')))
local require = function(name) return 'own ' .. name end
print(require('empty'))
do local value = 1 for i = 1, 3 do value = value * i end print(value) end`,
  'lib/shapes.lua': `print('shapes', ...)
local hidden = 2
local M = {}
function M.area(n) return n * hidden * require('lib.units').one end
return M`,
  'lib/units.lua': `print('units', select('#', ...), (...)) return { one = 1 }, 'dropped'`,
  'lib/reads.lua': `seen = (seen or 0) + 1 return shared .. '!'`,
  'empty.lua': `print('empty ran')`,
  'no.lua': `return false`,
  'folder/init.lua': `return { name = ... }`,
  'broken.lua': `print('broken ran') local t = nil error('it broke')`,
  'late.lua': `local M = {} local other = require('later') function M.ask() return other.answer() end function M.value() return 42 end return M`,
  'later.lua': `return { answer = function() return require('late').value() end }`,
}

function onDisk(files: Files, name: string): string {
  const root = path.join(folder, name)
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    writeFileSync(path.join(root, file), text)
  }
  return `package.path = '${root}/?.lua;${root}/?/init.lua'
    for name in pairs(package.loaded) do if name:find('^lib') then package.loaded[name] = nil end end
    return assert(loadfile('${root}/main.lua'))(...)`
}

describe('a source tree', () => {
  test.each(['lua5.1', 'luajit'] as const)(
    "behaves bundled as it does with the host's require, on %s",
    async (host) => {
      const wanted = await printed(host, onDisk(PROGRAM, host))
      expect(wanted.split('\n').length).toBe(15)
      for (const seed of seeds) {
        const builds = atEveryPreset(PROGRAM, { seed })
        expect(await printedBy(host, builds), `seed ${seed}`).toEqual(everywhere(builds, wanted))
      }
    },
  )

  test('prints the same on Luau as on Lua, within the limits of Luau', async () => {
    const files = { ...PROGRAM, 'main.lua': (PROGRAM['main.lua'] ?? '').replace(/^.*absent.*$/m, '') }
    const wanted = (await printed('lua5.1', onDisk(files, 'luau'))).replace(/^main\t\d/, 'main')
    for (const found of Object.values(await printedBy('luau', atEveryPreset(files, { target: 'luau' })))) {
      expect(found.replace(/^main\t\d/, 'main')).toBe(wanted)
    }
  })

  test('passes the parameters of the script to each file', async () => {
    const files = { 'main.lua': `print(require('who'))`, 'who.lua': 'return ward.note' }
    const { code } = build(files, { parameters: ['ward'] })
    expect(await printed('lua5.1', `return (function(...) ${code} end)()({ note = 'Ada' })`)).toBe('Ada')
  })

  test('can have 2,000 files, each required by the previous one', async () => {
    const files: Record<string, string> = { 'main.lua': `print(require('m.f1'))` }
    for (let i = 1; i < 2000; i++) {
      files[`m/f${i}.lua`] = i < 1999 ? `return require('m.f${i + 1}') + 1` : 'return 1'
    }
    const { code } = build(files, { preset: 'light' })
    for (const host of HOSTS) expect(await printed(host, code), host).toBe('1999')
    expect(complaints({ ...files, 'm/more.lua': '' })).toEqual([
      'files: there are 2001 files: send at most 2000, only those that the script requires',
    ])
  })

  test('can have 190 locals in each of its files', async () => {
    const locals = Array.from({ length: 190 }, (_, i) => `local v${i} = ${i}`).join('\n')
    const files = {
      'main.lua': `${locals}\nprint(v1 + require('a') + require('b'))`,
      'a.lua': `${locals}\nreturn v189`,
      'b.lua': `${locals}\nreturn (function() return v7 end)()`,
    }
    const builds = atEveryPreset(files)
    expect(await printedBy('lua5.1', builds)).toEqual(everywhere(builds, '197'))
  })
})

describe('a file is found', () => {
  const given: Files = {
    'src/main.luau': '',
    'src/a.luau': `return 'a'`,
    'src/pkg/init.luau': `return 'pkg ' .. require('@self/inner') .. ' ' .. require('./a') .. ' ' .. require('@sib')`,
    'src/pkg/inner.luau': `return 'inner'`,
    'src/solo.luau': `return require('@self/deep')`,
    'src/solo/deep.luau': `return 'deep ' .. require('../a')`,
    'src/tree.luau': `local here = script.Parent
local Folder = here:WaitForChild('pkg', 5)
return require(Folder.inner) .. require(script.leaf) .. require(here['a'])`,
    'src/tree/leaf.luau': `return ' leaf ' .. require(script.Parent.Parent.a) .. ' '`,
    'lib/top.lua': `return 'top'`,
    '.luaurc': `{ // aliases
  "languageMode": "strict",
  "aliases": { "Lib": "./lib", "sib": "@LIB/top", },
}`,
  }
  const WAYS = [
    ['a', './a'],
    ['a', '../src/a'],
    ['a', 'a'],
    ['pkg inner a top', './pkg'],
    ['deep a', './solo'],
    ['inner leaf a a', './tree'],
    ['top', '@lib/top'],
    ['top', 'lib.top'],
    ['top', '@sib'],
  ] as const
  let found: Files = {}
  beforeAll(async () => {
    const codes = WAYS.map(([, name]) => {
      const files = { ...given, 'src/main.luau': `print(require('${name}'))` }
      return [name, build(files, {}, 'src/main.luau').code]
    })
    found = await printedBy('luau', Object.fromEntries(codes))
  })
  test.each(WAYS)('%s as %s', (wanted, name) => {
    expect(found[name]).toBe(wanted)
  })

  test('once, however its path is spelled', async () => {
    const names = ['./a', 'a', '../src/a', '@up/a']
    const files = {
      'src/main.luau': names
        .map((name) => `print(require('${name}') == require(script.Parent.a))`)
        .join('\n'),
      'src/a.luau': `print('once') return {}`,
      'src/.luaurc': '{"aliases": {"up": "."}}',
    }
    const wanted = ['once', ...names.map(() => 'true')].join('\n')
    expect(await printed('luau', build(files, {}, 'src/main.luau').code)).toBe(wanted)
  })

  test('by the host if the request does not refer to the source tree', async () => {
    const main = `print(require('socket'), require('@lune/fs'), require(game.Modules.a), require(script.Parent.Far))`
    const code = `game = { Modules = { a = 'instance a' } }
      local parent = { Far = 'far' } script = { Parent = parent }
      function require(name) return 'host ' .. name end ${build({ 'main.lua': main, 'x.lua': '' }).code}`
    expect(await printed('luau', code)).toBe('host socket\thost @lune/fs\thost instance a\thost far')
  })
})

describe('a diagnostic contains file, line and fix', () => {
  const at = (files: Files) => complaints({ 'main.lua': `require('lib.a')`, ...files })
  test.each<[string, Files, string]>([
    [
      'broken syntax',
      { 'lib/a.lua': 'local x = 1\nlocal y = = 2' },
      'files["lib/a.lua"]: line 2, column 11: expected an expression',
    ],
    [
      'a const',
      { 'lib/a.lua': 'const x = 1\nx = 2' },
      `files["lib/a.lua"]: line 2, column 1: 'x' is a 'const'`,
    ],
    ['a macro', { 'lib/a.lua': '\nWARD_JIT()' }, `files["lib/a.lua"]: line 2, column 1: `],
    [
      'a missing sibling',
      { 'lib/a.lua': `\n local b = require('./b')` },
      `files["lib/a.lua"]: line 2, column 20: there is no file 'lib/b.lua'`,
    ],
    [
      'a missing file in a folder',
      { 'main.lua': `require('lib.b')`, 'lib/a.lua': '' },
      `script: line 1, column 9: there is no file 'lib/b.lua'`,
    ],
    ['@self for a sibling', { 'lib/a.lua': `require('@self/b')`, 'lib/b.lua': '' }, `write './b'`],
    [
      'a path outside the source folder',
      { 'lib/a.lua': `require('../../b')` },
      'this path is outside the source folder',
    ],
    [
      'an ambiguous name',
      { 'lib/a.lua': `require('./b')`, 'lib/b.lua': '', 'lib/b/init.luau': '' },
      `this path matches several files, 'lib/b.lua' or 'lib/b/init.luau'`,
    ],
    ['the main file', { 'lib/a.lua': `return function() require('main') end` }, 'this is the main file'],
    ['require assigned', { 'lib/a.lua': `require = print` }, `'require' is assigned here`],
    [
      'a broken .luaurc',
      { 'lib/a.lua': `require('@x/y')`, '.luaurc': '{\n "aliases": { x } }' },
      'files[".luaurc"]: line 2, column 15: invalid JSON in .luaurc',
    ],
    [
      'an alias that is not a path',
      { 'lib/a.lua': `require('@x/y')`, '.luaurc': '{ "aliases": { "x": 3 } }' },
      `files[".luaurc"]: line 1, column 16: the alias 'x' must be a path`,
    ],
    ['a file that requires itself', { 'lib/a.lua': `local me = require('lib.a')` }, 'lib/a.lua → lib/a.lua'],
    [
      'a cycle',
      { 'lib/a.lua': `require('./b')`, 'lib/b.lua': `require('./c')`, 'lib/c.lua': `\nrequire('lib.b')` },
      'files["lib/c.lua"]: line 2, column 9: these files require each other while they are loading, lib/b.lua → lib/c.lua → lib/b.lua',
    ],
  ])('%s', (_, files, wanted) => {
    expect(at(files).join('\n')).toContain(wanted)
  })

  test.each([
    ['../x.lua', "has '..'"],
    ['a/../x.lua', "has '..'"],
    ['/etc/x.lua', 'absolute path'],
    ['C:/x.lua', 'absolute path'],
    ['a\\b.lua', "has a '\\'"],
    ['a//b.lua', 'empty or'],
    ['./b.lua', 'empty or'],
    ['a\u0000.lua', 'control character'],
    [`${'a'.repeat(200)}.lua`, 'more than 200 characters'],
    [`${'a/'.repeat(20)}b.lua`, 'more than 19 folders'],
  ])('path %j', (file, wanted) => {
    expect(complaints({ 'main.lua': '', [file]: '' }).join()).toContain(wanted)
  })

  test('a missing main file is reported', () => {
    expect(complaints({ 'a.lua': '' })).toEqual(['files: the main file "main.lua" is not among the files'])
  })

  test('a warning about a virtualized loop contains its file', () => {
    const loop = 'for i = 1, 9 do for j = 1, 9 do for k = 1, 9 do print(i, j, k) end end end'
    const { report } = build({ 'main.lua': `require('a')`, 'a.lua': `\n${loop}` }, { preset: 'strong' })
    expect(report.warnings.join('\n')).toMatch(/at line 2 of a\.lua runs virtualized/)
  })
})

describe('a runtime error', () => {
  const files = {
    'main.lua': `local shop = require('lib.shop')\nlocal ok, text = pcall(shop.buy)\nprint(text)`,
    'lib/shop.lua': `local M = {}\n\nfunction M.buy()\n  local item = nil\n  return item.price.gold\nend\nreturn M`,
  }
  const builds = Object.fromEntries(PRESETS.map((preset) => [preset, build(files, { preset })]))
  const codes = Object.fromEntries(PRESETS.map((preset) => [preset, builds[preset]?.code ?? '']))
  const texts = new Map<Host, Files>()
  beforeAll(async () => {
    for (const host of HOSTS) texts.set(host, await printedBy(host, codes))
  })
  test.each(PRESETS)('maps to file, line and function, at %s', (preset) => {
    for (const host of HOSTS) {
      const { lines } = builds[preset] as Built
      const { text, places } = mapTraceback(texts.get(host)?.[preset] ?? '', lines)
      expect(places[0], host).toMatchObject({ file: 'lib/shop.lua', line: 5, function: 'M.buy' })
      expect(text).toContain(':lib/shop.lua:5:')
    }
  })
})
