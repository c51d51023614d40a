// Tests the library functions other than key checks: remembering keys, the get-key page, running scripts, and
// the function names of other services' libraries.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { denial } from '../src/messages.ts'
import { LibraryPeer, ST, VALID } from './library-peer.ts'
import { HOSTS, type HubRun, linesOf, READER, runHub } from './run-library.ts'

const peer = new LibraryPeer()
beforeAll(() => peer.listen())
afterAll(() => peer.close())
beforeEach(() => peer.reset())

const on = (host: string, lines: string, more: Partial<HubRun> = {}) =>
  linesOf({ host, library: peer.library(), lines, ...more })
const FILE = 'scriptward-key-prj_test.txt'

describe.each(HOSTS)('a remembered key on %s', (host) => {
  let home: string
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'scriptward-hub-'))
  })
  afterEach(() => rmSync(home, { recursive: true }))
  const run = (lines: string) => on(host, lines, { env: { HOME: home } })

  test('is returned until it is forgotten, and belongs to its project', async () => {
    const lines = `show(ward.remembered(), ward.forget())
      show(ward.remember(' KEY "1" '), ward.remembered())
      ward.project = 'prj_other' show(ward.remembered()) ward.project = 'prj_test'
      show(ward.remember('KEY-2'), ward.remembered(), ward.forget(), ward.remembered())
      ward.project = nil show(ward.remember('KEY'), ward.remembered(), ward.forget())`
    expect(await run(lines)).toEqual([
      ...['nil | true', 'true | KEY "1"', 'nil', 'true | KEY-2 | true | nil', 'false | nil | false'],
    ])
    expect(readdirSync(home)).toEqual([])
    expect(peer.requests).toEqual([])
  })

  test('is not a value that no key can have', async () => {
    const values = ['nil', '5', '""', '"a\\nb"', '("x"):rep(513)']
    const lines = values.map((value) => `show(ward.remember(${value}), ward.remembered())`)
    expect(await run(lines.join(' '))).toEqual(values.map(() => 'false | nil'))
  })
})

test('forgetting a key also clears it wherever the loader line set it', async () => {
  const getgenv = '_G = {} local shared = {} function getgenv() return shared end'
  const lines = `ward.remember('KEY-1') show(ward.forget(), getgenv().script_key, script_key, _G.script_key)`
  for (const place of ['getgenv().script_key', 'script_key', '_G.script_key']) {
    const before = `${getgenv} ${place} = 'KEY-1'`
    expect([place, await on('luau', lines, { before })]).toEqual([place, ['true | nil | nil | nil']])
  }
})

describe('the file of a remembered key', () => {
  test('is kept for the next start, in the home directory or in the folder of the executor', async () => {
    const home = mkdtempSync(join(tmpdir(), 'scriptward-hub-'))
    const env = { HOME: home }
    expect(await on('lua5.1', `show(ward.remember('KEY-1'))`, { env })).toEqual(['true'])
    expect(readdirSync(home)).toEqual([`.${FILE}`])
    expect(await on('lua5.4', 'show(ward.remembered())', { env })).toEqual(['KEY-1'])
    writeFileSync(join(home, `.${FILE}`), 'x'.repeat(600))
    expect(await on('luajit', 'show(ward.remembered())', { env })).toEqual(['nil'])
    rmSync(home, { recursive: true })
    expect(await on('luau', 'show(ward.remembered())', { files: { [FILE]: 'KEY-3\n' } })).toEqual(['KEY-3'])
    expect(await on('luau', 'show(ward.remembered())', { files: { [FILE]: 'KEY\n2' } })).toEqual(['nil'])
  })

  test.each([
    ['raises an error', 'writefile = function() error("denied") end'],
    ['writes nothing', 'writefile = function() end'],
    ['writes something else', 'local write = writefile writefile = function(name) write(name, "other") end'],
    ['has no counterpart that reads', 'readfile = nil'],
  ])('is not kept if writefile %s', async (_, before) => {
    expect(await on('luau', `show(ward.remember('KEY-1'))`, { before })).toEqual(['false'])
  })

  test('is deleted where the host can', async () => {
    const before = 'delfile = function(name) print("deleted " .. name) writefile(name, "") end'
    const lines = `ward.remember('KEY-1') show(ward.forget(), ward.remembered())`
    expect(await on('luau', lines, { before })).toEqual([`deleted ${FILE}`, 'true | nil'])
  })
})

describe('the get-key page', () => {
  const get_key = 'https://ward.example.com/ads/hub?d=ticket'

  test.each(HOSTS)('is found with one request, or with none after a check, on %s', async (host) => {
    peer.decide = ({ key }) =>
      key === '' ? { ...VALID, ...denial('invalid_key'), success: false, get_key } : { ...VALID, get_key }
    expect(await on(host, 'show(ward.get_key()) show(ward.get_key())')).toEqual([get_key, get_key])
    expect(peer.checks.map(({ key }) => key)).toEqual([''])
    peer.requests.length = 0
    expect(await on(host, `ward.check('KEY') show(ward.get_key())`)).toEqual([get_key])
    expect(peer.requests).toHaveLength(1)
  })

  test.each([
    ['copied', 'setclipboard = function(text) print(text) end'],
    ['copied', 'setclipboard = function() error("no") end toclipboard = function(text) print(text) end'],
    ['opened', 'openurl = function(text) print(text) end'],
  ])('is %s where the host can', async (how, before) => {
    peer.decide = () => ({ ...VALID, get_key })
    expect(await on('luau', 'show(ward.get_key())', { before })).toEqual([get_key, `${get_key} | ${how}`])
  })

  test('is nil with the reason if there is none, or none can be found', async () => {
    expect(await on('lua5.1', 'show(ward.get_key())')).toEqual([
      'nil | This project has no page where you can get a key.',
    ])
    peer.decide = () => ({ ...denial('rate_limited'), success: false, retry_after: 6, get_key: null })
    expect(await on('lua5.1', 'show(ward.get_key())')).toEqual([`nil | ${denial('rate_limited').message}`])
    peer.decide = () => 'nonsense'
    expect(await on('lua5.1', 'show(ward.get_key())')).toEqual([
      expect.stringContaining('nil | The response is not from'),
    ])
    expect(await on('lua5.1', 'ward.project = nil show(ward.get_key())')).toEqual([
      expect.stringContaining('nil | Set ward.project'),
    ])
  })
})

const SCRIPT = 'local a, b = ... return script_key, a, b'
const BUILDS: Readonly<Record<string, string>> = { 'lua5.1': '51', 'lua5.4': '54', luau: 'luau' }

describe.each(HOSTS)('the script on %s', (host) => {
  const rt = BUILDS[host] ?? 'jit'

  test('runs with the key and the arguments, and returns its results', async () => {
    peer.pages = { '/hub/prj_test': SCRIPT, '/loader/scr_1': `return 'one', ...` }
    const lines = `show(ward.load('KEY-1', 1, nil)) show(ward.load(nil, 2)) show(ward.load_script())
      ward.script_id = 'of another service' show(ward.load())
      ward.script_id = 'scr_1' show(ward.load_script(3))`
    const expected = [
      'KEY-1 | 1 | nil',
      'KEY-1 | 2 | nil',
      'KEY-1 | nil | nil',
      'KEY-1 | nil | nil',
      'one | 3',
    ]
    expect(await on(host, lines)).toEqual(expected)
    // Of these hosts, only the executor provides file functions.
    const query = host === 'luau' ? `rt=${rt}&cache=write` : `rt=${rt}`
    expect(peer.requests).toEqual([
      ...Array(4).fill(`GET /hub/prj_test?${query}`),
      `GET /loader/scr_1?${query}`,
    ])
  })

  test('is the one that the hub gave an ID of another service', async () => {
    peer.pages = { '/hub/prj_test': SCRIPT, '/loader/scr_1': `return 'one', ...` }
    const lines = `ward.scripts = { theirs = 'scr_1' } ward.script_id = 'theirs' show(ward.load_script(1))
      ward.script_id = 'scr_1' show(ward.load_script(2)) ward.script_id = 'unknown' show(ward.load('KEY', 3))`
    expect(await on(host, lines)).toEqual(['one | 1', 'one | 2', 'KEY | 3 | nil'])
  })

  test('runs with the key that was valid, even if the hub sets no global', async () => {
    peer.pages = { '/hub/prj_test': SCRIPT }
    peer.decide = ({ key }) =>
      key === 'wrong' ? { ...VALID, ...denial('invalid_key'), success: false } : VALID
    const lines = `ward.check_key('wrong') script_key = 'OLD' show(ward.load_script())
      ward.check_key('KEY-1') ward.check_key('wrong') show(ward.load_script(1))`
    expect(await on(host, lines)).toEqual(['OLD | nil | nil', 'KEY-1 | 1 | nil'])
  })

  test('that cannot be loaded raises an error', async () => {
    peer.pages = {
      '/hub/prj_test': 'error("This game is not supported.",0)',
      '/hub/prj_2': '<html>',
      '/hub/prj_3': '',
    }
    const lines = `for _, project in pairs({ 'prj_test', 'prj_2', 'prj_3', 'prj_4', '../boot' }) do
      ward.project = project show(pcall(ward.load, 'KEY'))
    end`
    expect(await on(host, lines)).toEqual([
      'false | This game is not supported.',
      'false | scriptward: the server sent no loader (HTTP 200)',
      'false | scriptward: the server sent no loader (HTTP 200)',
      'false | scriptward: the server sent no loader (HTTP 404)',
      'false | scriptward: Set ward.project to the ID of your project, such as "prj_...".',
    ])
  })
})

describe.each(HOSTS)('the code of loaders on %s', (host) => {
  const rt = BUILDS[host] ?? 'jit'
  const before = `local files = {}
    function readfile(name) return files[name] or error('no such file') end
    function writefile(name, content) files[name] = content end
    function delfile(name) files[name] = nil end
    function count()
      local count = 0
      for _, content in pairs(files) do count = content ~= '' and count + 1 or count end
      return count
    end`

  test('is read from files if any are kept, unless the author turns that off', async () => {
    peer.pages = { '/hub/prj_test': 'return 1', '/loader/scr_1': 'return 2' }
    const lines = `ward.load('KEY') writefile('scriptward-code-3.txt', 'x') ward.load('KEY')
      ward.script_id = 'scr_1' ward.load('KEY')
      ward.cache = false ward.load('KEY')`
    await on(host, lines, { before })
    expect(peer.requests).toEqual([
      `GET /hub/prj_test?rt=${rt}&cache=write`,
      `GET /hub/prj_test?rt=${rt}&cache=read`,
      `GET /loader/scr_1?rt=${rt}&cache=read`,
      `GET /loader/scr_1?rt=${rt}`,
    ])
  })

  test('is forgotten with the key, whatever the host can do', async () => {
    const fill = `for number = 0, 15 do writefile('scriptward-code-' .. number .. '.txt', 'x') end`
    const lines = `${fill} writefile('another.txt', 'x') ward.remember('KEY-1')
      show(count(), ward.forget(), count())
      delfile = nil ward.project = nil ${fill} show(ward.forget(), count())`
    expect(await on(host, lines, { before })).toEqual(['18 | true | 1', 'false | 1'])
    expect(await on(host, lines, { before: before.replace(/function delfile.*/, '') })).toEqual([
      ...['18 | true | 1', 'false | 1'],
    ])
  })
})

test('a script is chosen by place and game, and finds the key in getgenv', async () => {
  peer.pages = { '/hub/prj_test': 'return getgenv().script_key, rawget(_G, "script_key")' }
  const before = `${READER} local shared = {} function getgenv() return shared end`
  expect(await on('lua5.1', `show(ward.load('KEY-1'))`, { before })).toEqual(['KEY-1 | nil'])
  expect(peer.requests).toEqual(['GET /hub/prj_test?place=77&game=5000000000&rt=51'])
})

test('an unreachable server raises an error', async () => {
  const library = peer.library(['http://127.0.0.1:1'])
  const { stderr } = await runHub({ host: 'lua5.1', library, lines: `ward.load('KEY')` })
  expect(stderr).toContain('scriptward: the server cannot be reached (')
})

test.each(HOSTS)('functions can be called with a colon, on %s', async (host) => {
  peer.pages = { '/hub/prj_test': SCRIPT }
  const lines = `show(ward:check('KEY').ok, ward:check_key('KEY').code, ward:load('KEY-2', 1, nil))
    show(ward:load_script(nil, 2))`
  expect(await on(host, lines)).toEqual(['true | KEY_VALID | KEY-2 | 1 | nil', 'KEY | nil | 2'])
})

test.each(HOSTS)('check_key returns what other libraries do, on %s', async (host) => {
  peer.decide = ({ key }) => {
    if (key === 'ends') return { ...VALID, key_expires: ST + 1500, note: null }
    return key === 'lasts' ? VALID : { ...VALID, ...denial('blacklisted'), success: false }
  }
  const lines = `show(ward.check_key('ends')) show(ward.check_key('lasts')) show(ward.check_key('none'))
    show(ward.check_key(5).code, ward.check_key(nil).code)`
  const valid = 'code=KEY_VALID data={auth_expire'
  expect(await on(host, lines)).toEqual([
    `{${valid}=1790000001 note= total_executions=7} message=This key is valid.}`,
    `{${valid}=-1 note=for Ä total_executions=7} message=This key is valid.}`,
    '{code=KEY_BANNED data={} message=This key or device is blocked.}',
    'KEY_INVALID | KEY_INVALID',
  ])
})
