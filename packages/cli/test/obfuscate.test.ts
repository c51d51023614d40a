// Tests `scriptward obfuscate` and `traceback --map` with files and streams. Only tests of process behavior
// start a real process.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Surroundings } from '../src/cli.ts'
import { runCommand } from '../src/command.ts'

const MAIN = path.join(import.meta.dirname, '../src/main.ts')
const home = process.cwd()
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'scriptward-cli-'))
  process.chdir(folder)
})
afterAll(() => {
  process.chdir(home)
  rmSync(folder, { recursive: true })
})

/** Runs the command in this process, because starting a process takes a second. */
async function run(words: readonly string[], input = '') {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  stdin.end(Buffer.from(input, 'latin1'))
  const streams = { stdin, stdout, stderr } as unknown as Pick<Surroundings, 'stdin' | 'stdout' | 'stderr'>
  const said = Promise.all([buffer(stdout), buffer(stderr)])
  const { signal } = new AbortController()
  const status = await runCommand(words, { env: {}, cwd: folder, signal, now: Date.now, ...streams })
  stdout.end()
  stderr.end()
  const [out = '', err = ''] = (await said).map((each) => each.toString('latin1'))
  return { status, stdout: out, stderr: err }
}

function scriptward(words: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...words], {
    cwd: folder,
    input: Buffer.from(input, 'latin1'),
    encoding: 'latin1',
  })
  return { status, stdout, stderr }
}

function source(name: string, text: string): string {
  writeFileSync(path.join(folder, name), text, 'latin1')
  return name
}

test('a protected file prints the same as the original', () => {
  const file = source('in.lua', 'local secret = "hello " .. 1 + 1\nprint(secret, "\\255")\n')
  const words = ['obfuscate', file, '-o', 'out.lua', '--preset', 'light', '--target', 'any', '--seed', '1']
  expect(scriptward(words)).toEqual({ status: 0, stdout: '', stderr: '' })
  const code = readFileSync(path.join(folder, 'out.lua'), 'latin1')
  expect(code).not.toContain('secret')
  expect(code).not.toContain('hello')
  const ran = spawnSync('lua5.1', ['out.lua'], { cwd: folder, encoding: 'latin1' })
  expect(ran.stdout).toBe('hello 2\t\xff\n')
})

test('standard input and output can replace files, and the seed determines the output', () => {
  const words = ['obfuscate', '-', '--seed', '7']
  const first = scriptward(words, 'return "some text", ...')
  expect(first.status).toBe(0)
  expect(scriptward(words, 'return "some text", ...').stdout).toBe(first.stdout)
  expect(scriptward(['obfuscate', '-', '--seed', '8'], 'return "some text", ...').stdout).not.toBe(
    first.stdout,
  )
})

test('only the preset max warns that local builds have no server-held keys', async () => {
  const warningOf = async (preset: string) =>
    (await run(['obfuscate', '-', '--preset', preset], 'return "some text", ...')).stderr
  expect(await warningOf('max')).toContain("local builds can't use keys held by the server")
  for (const preset of ['light', 'balanced', 'strong']) expect(await warningOf(preset)).toBe('')
})

test('an invalid source exits with 2 and one located diagnostic per line', () => {
  const file = source('bad.lua', 'local x = = 1\nlocal y = 5\nfor i = 1 do end\n')
  const { status, stdout, stderr } = scriptward(['obfuscate', file, '-o', 'bad-out.lua'])
  expect([status, stdout]).toEqual([2, ''])
  const lines = stderr.trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(1)
  for (const line of lines) expect(line).toMatch(/^bad\.lua: line \d+, column \d+: ./)
  expect(lines[0]).toMatch(/^bad\.lua: line 1, column 11: /)
})

test.each([
  { words: ['obfuscate'], says: /No source given/ },
  { words: ['obfuscate', 'in.lua', '--preset', 'heroic'], says: /Allowed choices are .*light/ },
  {
    words: ['obfuscate', 'in.lua', '--target', 'js'],
    says: /Allowed choices are any, lua51, luajit, luau, lua54/,
  },
  { words: ['obfuscate', 'missing.lua'], says: /missing\.lua/ },
  { words: ['obfuscate', 'in.lua', '-o', 'no/such/folder/out.lua'], says: /no\/such\/folder/ },
  { words: ['dance'], says: /unknown command 'dance'/ },
])('a usage error exits with 1: $words', async ({ words, says }) => {
  source('in.lua', 'print(1)')
  const { status, stderr } = await run(words)
  expect(status).toBe(1)
  expect(stderr).toMatch(says)
})

test('every obfuscator option can be set by its ID, and an invalid one is rejected with a message', async () => {
  const words = [
    'obfuscate',
    '-',
    '--preset',
    'light',
    '--set',
    'encrypt-strings=false',
    'encode-numbers.share=0',
  ]
  const { status, stdout } = await run(words, 'return "plain text", 12345')
  expect([status, stdout]).toEqual([0, expect.stringContaining('"plain text",12345')])
  const wrong = await run(['obfuscate', '-', '--set', 'encode-numbers.share=7', 'nothing=1'], 'return 1')
  expect(wrong.status).toBe(2)
  expect(wrong.stderr).toContain('encode-numbers.share must be a number from 0 to 1')
  expect(wrong.stderr).toContain("there is no option 'nothing'")
})

test('--macros lists the available macros and variables, and needs no file', async () => {
  const { status, stdout } = await run(['obfuscate', '--macros'])
  expect(status).toBe(0)
  expect(stdout).toMatch(/^LRM_UserNote +variable +ward\.note/m)
  const told = JSON.parse((await run(['obfuscate', '--macros', '--json'])).stdout)
  expect(told).toContainEqual(expect.objectContaining({ name: 'WARD_JIT', kind: 'macro' }))
})

test('an error of a protected script is mapped to the source line', async () => {
  const lines = [
    'local function f(x)',
    '  local y = 1',
    '  if x then',
    '    return y + x.z.w',
    '  end',
    'end',
    'f(nil)',
    'f({})',
  ]
  const file = source('failing.lua', lines.join('\n'))
  await run(['obfuscate', file, '-o', 'failing-out.lua', '--map', 'map.json'])
  const ran = spawnSync('lua5.1', ['failing-out.lua'], { cwd: folder, encoding: 'latin1' })
  source('error.txt', ran.stderr)
  const { stdout } = await run(['traceback', 'error.txt', '--map', 'map.json'])
  expect(stdout).toMatch(/^lua5.1: failing-out.lua:4: attempt to index/)
  expect(stdout).toContain("failing-out.lua:4: in function 'f'")
  const told = JSON.parse((await run(['traceback', 'error.txt', '--map', 'map.json', '--json'])).stdout)
  expect(told.places[0]).toMatchObject({ chunk: 'failing-out.lua', line: 4, function: 'f' })
})

test('text without line numbers causes a warning, and a file that is not a line map is rejected', async () => {
  source('error.txt', 'it does not work')
  source('map.json', '{"lines":[0,7],"functions":[0,0],"names":[""]}')
  const without = await run(['traceback', 'error.txt', '--map', 'map.json'])
  expect(without.stdout).toBe('it does not work\n')
  expect(without.stderr).toContain('no line numbers from a script')
  source('other.json', '[]')
  expect((await run(['traceback', 'error.txt', '--map', 'other.json'])).stderr).toContain('not a line map')
})

test('required files are protected too, and errors are mapped to the file that failed', async () => {
  mkdirSync(path.join(folder, 'game/src/lib'), { recursive: true })
  source(
    'game/src/main.lua',
    `local shop = require('lib.shop')\nprint(pcall(shop.buy))\nprint(require('shared.words'))`,
  )
  source('game/src/lib/shop.lua', `return {\n  buy = function() error('sold out') end }`)
  const words = ['obfuscate', 'game/src/main.lua', '-o', 'tree.lua', '--map', 'tree.json']
  const output = () => readFileSync(path.join(folder, 'tree.lua'), 'latin1')
  expect((await run(words)).status).toBe(0)
  expect(output()).not.toContain('sold out')
  mkdirSync(path.join(folder, 'game/shared'))
  source('game/shared/words.lua', `return 'hello'`)
  expect((await run([...words, '--root', 'game'])).status).toBe(0)
  const ran = spawnSync('lua5.1', ['tree.lua'], { cwd: folder, encoding: 'latin1' })
  expect(ran.stdout).toMatch(/^false\ttree\.lua:\d+: sold out\nhello\n$/)
  const { stdout } = await run(['traceback', '--map', 'tree.json'], ran.stdout)
  expect(stdout).toContain('tree.lua:src/lib/shop.lua:2: sold out')
})

test('an error in a required file names that file, and the root must contain the source', async () => {
  source('needs.lua', `require('./broken')`)
  source('broken.lua', 'local x = = 1')
  expect((await run(['obfuscate', 'needs.lua'])).stderr).toMatch(/^broken\.lua: line 1, column 11: /)
  source('needs.lua', `require('./nothing')`)
  expect((await run(['obfuscate', 'needs.lua'])).stderr).toMatch(
    /^needs\.lua: line 1, column 9: there is no file 'nothing\.lua'/,
  )
  const { status, stderr } = await run(['obfuscate', 'needs.lua', '--root', 'game'])
  expect([status, stderr]).toEqual([1, expect.stringContaining('needs.lua is not in game. Pass --root')])
})

test.each([
  [
    "Garry's Mod",
    'luajit',
    ['--target', 'luajit', '--set', 'dialect=gmod'],
    'print(require("part") != 2 && !false)',
  ],
  ['Lua 5.4', 'lua5.4', ['--target', 'lua54'], 'local a <const> = require("part") print(a & 1 == 1)'],
  [
    'FiveM',
    'lua5.4',
    ['--set', 'dialect=fivem'],
    'local n = require("part") n += 1 print(n == 4 and none?.x?.y == nil)',
  ],
])('required files of %s are found, and the output runs', async (_, host, words, text) => {
  source('dialect.lua', text)
  source('part.lua', 'return 3 // 1')
  expect((await run(['obfuscate', 'dialect.lua', ...words, '-o', 'dialect-out.lua'])).status).toBe(0)
  const { stdout } = spawnSync(host, ['dialect-out.lua'], { cwd: folder, encoding: 'latin1' })
  expect(stdout).toBe('true\n')
})
