/**
 * Tests `scriptward` as authors run it, as a separate process against a real server: scripts, versions, users
 * and errors.
 */
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { groupAll, protectedLines, reportErrors } from '../packages/server/test/errors.ts'
import { type Owner, serverOn } from '../packages/server/test/harness.ts'
import { createOwner, createProject, createScript } from '../packages/server/test/nouns.ts'
import { listenOnFreePort } from '../packages/server/test/ports.ts'
import { loggedExecution } from '../packages/server/test/store/rows.ts'
import { insertRows } from '../packages/server/test/stored.ts'
import { commandFolder, type Folder } from './command-line-scene.ts'

const { at } = serverOn(sqlite)
let owner: Owner
let project = ''
let folder: Folder
const env = () => ({ SCRIPTWARD_URL: at().url, SCRIPTWARD_TOKEN: owner.apiKey })

beforeAll(async () => {
  ;({ owner, project } = await createOwner(at()))
  folder = commandFolder(env)
})
afterAll(() => folder?.remove())

const scriptOf = (stdout: string) => /scr_\w+/.exec(stdout)?.[0] ?? ''
const sourceOf = async (script: string, version: number) =>
  (await owner.get(`/v1/scripts/${script}/versions/${version}/source`)).text

const MARKED = `local price = WARD_SERVER(function(amount) return 10 * amount end)
local route = WARD_SERVER(function(from) return from end)
local places = WARD_SERVER({ mill = 3 })
print(price(1), route('dock'), places.mill)
`

describe('a folder with scriptward.json', () => {
  it('needs no options for push, versions, activate and traceback', async () => {
    const own = commandFolder(env)
    own.write('src/main.lua', 'print("first")')
    const words = ['--entry', 'src/main.lua', '--name', 'walk', '--set', 'preset=light']
    expect(await own.run(['init', '--project', project, ...words])).toMatchObject({ status: 0 })
    const made = await own.run(['push'])
    expect(made.stdout).toMatch(/^created scr_\w+: version 1 of walk, \d+ B → .*preset light/)
    expect(made.stderr).toContain(`${at().url} is only reachable from this machine, and so is the loader`)
    const script = scriptOf(made.stdout)
    expect(made.stdout).toContain(`loadstring(game:HttpGet("${at().url}/client/v1/loader/${script}"))()`)
    expect(JSON.parse(own.read('scriptward.json'))).toMatchObject({
      project,
      script,
      options: { preset: 'light' },
    })
    own.write('src/main.lua', 'print("second")')
    const again = JSON.parse((await own.run(['push', '--json'])).stdout)
    expect(again).toMatchObject({ script_id: script, created: false, version: 2, preset: 'light' })
    expect(await sourceOf(script, 2)).toContain('second')
    expect((await own.run(['activate', '1'])).stdout).toContain('version 1')
    const listed = (await own.run(['versions'])).stdout.trimEnd().split('\n')
    expect(listed.map((line) => line.split('\t').slice(0, 2))).toEqual([
      ['2', ''],
      ['1', 'active'],
    ])
    own.write('error.txt', 'walk:1: oops\nwalk:999999: far away')
    const traceback = await own.run(['traceback', 'error.txt'])
    expect(traceback).toMatchObject({ status: 0, stdout: 'walk:1: oops\nwalk:999999: far away\n' })
    expect(traceback.stderr).toContain('Assuming version 1. Select another one with --script-version: 2.')
    const given = await own.run(['traceback', 'error.txt', '--script-version', '2', '--json'])
    expect(JSON.parse(given.stdout)).toMatchObject({ version: 2, assumed: false, mapped: true })
    const dry = await own.run(['push', '--dry-run'])
    expect(dry.stdout).toMatch(/^would push walk: .*preset light.*nothing was uploaded/)
    expect((await owner.get(`/v1/scripts/${script}/versions`)).body.total).toBe(2)
    expect((await own.run(['init', '--project', project])).stderr).toContain('pass --force')
    own.remove()
  })

  it('shows the health of its versions, and of each executor', async () => {
    const own = commandFolder(env)
    own.write('main.lua', 'print("first")')
    await own.run(['init', '--project', project, '--name', 'healthy'])
    const script_id = scriptOf((await own.run(['push'])).stdout)
    expect((await own.run(['health'])).stderr).toContain('No runs yet')
    const all = { runs: 5000, crashed: 1, vanished: 31, denied: 7, customers: 4000, crashed_customers: 1 }
    const row = { ...all, script_id, version: 1, executor: '', day: 0 }
    const some = { runs: 0, crashed: 0, vanished: 0, customers: 0, crashed_customers: 0 }
    await insertRows(at(), 'version_health', [
      row,
      { ...row, version: 2, crashed_customers: 0, crashed: 0 },
      { ...row, ...some, executor: 'Garden \u001b[31m' },
    ])
    const total = '99.9%\t4000\t5000\t1\t31\t7'
    const newest = '100%\t4000\t5000\t0\t31\t7'
    expect((await own.run(['health'])).stdout).toBe(`2\t${newest}\n1\t${total}\n`)
    const one = await own.run(['health', '--script-version', '1', '--executors'])
    expect(one.stdout).toMatch(/^1\tall\t99\.9%\t.*\n1\tGarden .*\t-\t0\t0\t0\t0\t7\n$/)
    expect(one.stdout).toContain(total)
    expect(one.stdout).not.toContain('\u001b')
    const json = (await own.run(['health', '--json'])).stdout.trimEnd().split('\n')
    expect(json.map((line) => JSON.parse(line))).toMatchObject([
      { version: 2, crash_free_customers: 1, executors: [] },
      { version: 1, crashed_customers: 1, executors: [{ denied: 7, crash_free_customers: null }] },
    ])
    expect((await own.run(['health', '--script-version', 'x'])).stderr).toContain('not a version number')
    own.remove()
  })

  it('lists, shows, resolves, ignores and reopens errors of its script', async () => {
    const own = commandFolder(env)
    own.write(
      'main.lua',
      'local shop = {}\nfunction shop.buy(item)\n\treturn item.price.gold\nend\nshop.buy({})',
    )
    await own.run(['init', '--project', project, '--name', 'shop'])
    const script_id = scriptOf((await own.run(['push'])).stdout)
    const [line = 0] = await protectedLines(at(), script_id, { line: 3 })
    const text = `shop:${line}: attempt to index field 'price' \u001b[31m(a nil value)`
    await reportErrors(at(), { project_id: project, script_id }, { text, at: [line], n: 4 })
    await groupAll(at())
    const listed = (await own.run(['errors'])).stdout
    const [id = ''] = listed.split('\t')
    expect(listed).toMatch(/^err_\w+\topen\t.*\t4\t1\tline 3 in shop\.buy\tattempt to index field/)
    const shown = (await own.run(['errors', 'show', id])).stdout
    expect(shown).toContain('line 3 in shop.buy, open')
    expect(shown).toContain('> 3 |   return item.price.gold')
    expect(listed + shown).not.toContain('\u001b')
    expect((await own.run(['errors', 'resolve', id, '--note', 'in version 2'])).stdout).toBe(
      `resolved ${id}\n`,
    )
    expect((await own.run(['errors'])).stderr).toContain('No errors found')
    expect((await own.run(['errors', 'list', '--state', 'resolved'])).stdout).toContain(id)
    expect((await own.run(['errors', 'ignore', id])).stdout).toBe(`ignored ${id}\n`)
    expect((await own.run(['errors', 'reopen', id])).stdout).toBe(`reopened ${id}\n`)
    const json = JSON.parse((await own.run(['errors', 'show', id, '--json'])).stdout)
    expect(json).toMatchObject({ id, state: 'open', note: 'in version 2' })
    expect((await own.run(['errors', 'list', '--limit', '0'])).stderr).toContain('--limit must be')
    expect((await own.run(['errors', '--project', project])).stdout).toContain('\tshop\tline 3 in shop')
    own.remove()
  })

  it('releases versions to a share of the customers, and rolls them back', async () => {
    const own = commandFolder(env)
    own.write('main.lua', 'print("one")')
    await own.run(['init', '--project', project, '--name', 'staged', '--set', 'preset=light'])
    const first = await own.run(['push', '--percent', '5'])
    expect(first.stderr).toContain('Version 1 is the first version, so everyone gets it')
    const script = scriptOf(first.stdout)
    expect((await own.run(['releases', 'rollback'])).stderr).toContain('stable channel has no releases')
    const pushed = await own.run(['push', '--percent', '5', '--over', '6h', '--guard', 'hold'])
    expect(pushed.stdout).toMatch(
      /version 2 of staged.*\nrel_\w+: 5% of customers get version 2; 25 and 100% follow; the guard pauses/,
    )
    const [id = ''] = /rel_\w+/.exec(pushed.stdout) ?? []
    expect((await own.run(['releases'])).stdout).toMatch(/^rel_\w+\tstable\t2\t5%\trunning\t.*\t0\t-\t\n$/)
    expect((await own.run(['releases', 'pause'])).stdout).toBe(`paused ${id} at 5%\n`)
    expect((await own.run(['releases', 'continue', id])).stdout).toContain(`continued ${id}: 5%`)
    const active = (await own.run(['scripts', 'activity'])).stdout
    expect(active).toContain(`${script}\t1\t0\t0\t0\t0\t2 at 5%\n`)
    const edited = await own.run(['releases', 'edit', '--percent', '50', '--guard', 'roll_back'])
    expect(edited.stdout).toBe(
      `updated ${id}: 50% of customers get version 2; the guard rolls it back if it fails more often\n`,
    )
    const shown = (await own.run(['releases', 'show'])).stdout
    expect(shown).toContain(`${id}: version 2 on stable, running\n`)
    expect(shown).toContain('version 1: no customers yet')
    const back = await own.run(['releases', 'rollback'])
    expect(back.stdout).toBe(`rolled back ${id}: everyone gets version 1 on their next run\n`)
    expect((await own.run(['releases', 'rollback'])).stderr).toContain(`last one was ${id} (rolled back)`)
    expect((await own.run(['channels', 'set', 'beta', '--tags', 'tester, friend'])).stdout).toBe('set beta\n')
    const onBeta = (...words: string[]) => own.run(['releases', ...words, '--channel', 'beta'])
    await onBeta('start', '2', '--percent', '50')
    expect((await onBeta('rollback')).stdout).toContain(': everyone on the beta channel gets version 1 on')
    expect((await onBeta('rollback')).stderr).toContain("run 'scriptward channels set beta --script-version")
    const started = await own.run(['releases', 'start', '2', '--channel', 'beta', '--now', '--json'])
    expect(JSON.parse(started.stdout)).toMatchObject({ channel: 'beta', version: 2, state: 'completed' })
    expect((await own.run(['channels'])).stdout).toBe('stable\t1\t-\t-\nbeta\t2\ttester, friend\t-\n')
    expect((await own.run(['channels', 'remove', 'beta'])).stdout).toBe('removed beta\n')
    const now = await own.run(['push', '--now', '--json'])
    expect(JSON.parse(now.stdout)).toMatchObject({
      ...{ script_id: script, version: 3 },
      release: { version: 3, percent: 100, guard: 'off', state: 'completed' },
    })
    expect((await own.run(['push'])).stdout).toContain('\neveryone gets version 4 on their next run\n')
    expect((await own.run(['push', '--now', '--percent', '5'])).status).toBe(1)
    expect((await own.run(['push', '--percent', '101'])).stderr).toContain('--percent must be')
    own.remove()
  })

  it('has server functions that can be put, tried, shown, listed and removed', async () => {
    const own = commandFolder(env)
    const script = await createScript(owner, project)
    own.write('scriptward.json', JSON.stringify({ script }))
    const source =
      'return function(run, item, amount)\n  print(item)\n  return { run.plan, 10 * amount }\nend\n'
    own.write('functions/price.luau', source)
    own.write('functions/broken.luau', 'return function()\n  return = 1\nend')
    const done = await own.run(['functions', 'put', 'functions/price.luau', 'functions/broken.luau'])
    expect([done.status, done.stdout]).toEqual([2, 'saved price\n'])
    expect(done.stderr).toMatch(/^functions\/broken\.luau: must compile as Luau: line 2: /)
    const wrong = await own.run(['functions', 'put', 'functions/price.luau', '--name', 'Price'])
    expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining('1 to 40 characters of a-z')])
    expect((await own.run(['functions', 'show', 'price'])).stdout).toBe(source)
    const tried = await own.run(['functions', 'try', 'price', 'gold', '3', '--run', '{"plan": "Pro"}'])
    expect(tried).toEqual({ status: 0, stdout: '["Pro",30]\n', stderr: 'gold\n' })
    const failed = await own.run(['functions', 'try', 'price', 'gold', '"three"'])
    expect([failed.status, failed.stdout]).toEqual([5, ''])
    expect(failed.stderr).toContain('price:3: attempt to perform arithmetic')
    const facts = await own.run(['functions', 'try', 'price', '--run', '[1]'])
    expect([facts.status, facts.stderr]).toEqual([1, expect.stringContaining('--run must be a JSON object')])
    expect((await own.run(['functions', 'list'])).stdout).toMatch(
      /^price\t0\t0\t\d+ B\t.*\tfunctions put\t$/m,
    )
    expect((await own.run(['functions', 'remove', 'price', '--yes'])).stdout).toBe('removed price\n')
    expect((await own.run(['functions', 'show', 'price'])).status).toBe(2)
    own.remove()
  })

  it('suggests functions for the server, and moves them in all later versions', async () => {
    const own = commandFolder(env)
    own.write('market.lua', 'local function price(n) return n * 17 + 23 end\nreturn price(...)')
    await own.run(['init', '--project', project, '--set', 'preset=light'])
    own.write('smoke.luau', 'script(1) script(2)')
    const suggested = (times: string) =>
      `  price (line 1): hides 2 constants in 1 line, called in 1 place${times}\n  scriptward push --server price\n`
    expect((await own.run(['push', '--dry-run'])).stdout).toContain(suggested(''))
    expect((await own.run(['push', '--test', 'smoke.luau'])).stdout).toContain(
      suggested(', 2 times in the test'),
    )
    const chosen = await own.run(['push', '--server', 'price'])
    expect(chosen.stdout).toContain('\n1 function runs on the server\n')
    expect(chosen.stdout).not.toContain('--server')
    const again = await own.run(['push', '--set', 'preset=strong', '--server', 'price'])
    expect(again.stdout).toContain('\n1 function runs on the server\n')
    const dry = JSON.parse((await own.run(['push', '--dry-run', '--json'])).stdout)
    expect(dry).toMatchObject({ server_code: { functions: 1, tables: 0 }, suggestions: [] })
    expect((await own.run(['push', '--set', 'server='])).stdout).toContain('--server price')
    own.remove()
  })

  it('counts the code that a push moves to the server, and lists it by version', async () => {
    const own = commandFolder(env)
    own.write('main.lua', MARKED)
    await own.run(['init', '--project', project, '--set', 'preset=light'])
    expect((await own.run(['push', '--dry-run'])).stdout).toContain(
      '\n2 functions and 1 table run on the server\n',
    )
    const pushed = await own.run(['push'])
    expect(pushed.stdout).toContain('\n2 functions and 1 table run on the server\n')
    own.write('main.lua', 'print("nothing moves")')
    const again = JSON.parse((await own.run(['push', '--json'])).stdout)
    expect(again.server_code).toEqual({ functions: 0, tables: 0 })
    const live = await own.run(['functions'])
    expect([live.stdout, live.stderr]).toEqual([
      '',
      expect.stringContaining('Mark a function with WARD_SERVER'),
    ])
    own.write('kept.luau', 'return function() end')
    await own.run(['functions', 'put', 'kept.luau'])
    const listed = await own.run(['functions', 'list', '--script-version', '1'])
    expect(
      listed.stdout
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => line.split('\t')),
    ).toEqual([
      ['price', '0', '0', expect.any(String), expect.any(String), 'version 1, line 1', ''],
      ['route', '0', '0', expect.any(String), expect.any(String), 'version 1, line 2', ''],
      ['places', '0', '0', expect.any(String), expect.any(String), 'version 1, line 3', ''],
      ['kept', '0', '0', expect.any(String), expect.any(String), 'functions put', ''],
    ])
    const [first, , table] = (
      await own.run(['functions', 'list', '--script-version', '1', '--json'])
    ).stdout.split('\n')
    expect(JSON.parse(first ?? '')).toMatchObject({ version: 1, name: 'price', kind: 'function', calls: 0 })
    expect(JSON.parse(table ?? '')).toMatchObject({ name: 'places', kind: 'table', place: 'line 3' })
    const wrong = await own.run(['functions', 'list', '--script-version', 'x'])
    expect([wrong.status, wrong.stderr]).toEqual([1, expect.stringContaining("'x' is not a version number")])
    own.remove()
  })
})

describe('a script of several files', () => {
  it('is pushed from its root, and --watch continues when a required file is invalid or missing', async () => {
    const own = commandFolder(env)
    own.write('game/main.lua', "print(require('../lib/shop').price)")
    own.write('lib/shop.lua', 'return { price = = 3 }')
    const words = ['--name', 'several', '--entry', 'game/main.lua', '--root', '.']
    expect(await own.run(['init', '--project', project, ...words])).toMatchObject({ status: 0 })
    expect(JSON.parse(own.read('scriptward.json'))).toMatchObject({ root: '.' })
    const watching = own.start(['push', '--watch'])
    await expect.poll(() => watching.err).toMatch(/lib\/shop\.lua: line 1, column 18/)
    await expect.poll(() => watching.err).toMatch(/Watching 2 files/)
    own.write('lib/shop.lua', "return require('./parts/price')")
    await expect.poll(() => watching.err).toMatch(/'lib\/parts\/price\.lua'/)
    await expect.poll(() => watching.err.match(/Watching/g)?.length).toBe(2)
    own.write('lib/parts/price.lua', 'return { price = 3 }')
    await expect.poll(() => watching.out).toContain('version 1 of several')
    const script = scriptOf(watching.out)
    expect((await owner.get(`/v1/scripts/${script}/versions/1/source`)).body).toMatchObject({
      script_path: 'game/main.lua',
      files: { 'lib/shop.lua': expect.any(String), 'lib/parts/price.lua': 'return { price = 3 }' },
    })
    watching.child.kill('SIGINT')
    expect(await watching.ended).toBe(130)
    own.remove()
  })
})

describe('a push without scriptward.json', () => {
  it('creates a script named after the file, and then new versions of it', async () => {
    const file = folder.write('hello.lua', 'print("first")')
    const made = await folder.run(['push', file, '--project', project])
    expect(made.stdout).toMatch(/^created scr_\w+: version 1 of hello/)
    const script = scriptOf(made.stdout)
    folder.write('hello.lua', 'print("second")')
    const key = { SCRIPTWARD_URL: '', SCRIPTWARD_TOKEN: '', SCRIPTWARD_KEY: owner.apiKey }
    const again = await folder.run(['push', file, '--project', project, '--url', `${at().url}/`], key)
    expect(again.stdout).toContain(`updated ${script}: version 2`)
    expect(await sourceOf(script, 2)).toContain('second')
  })

  it('sends the test script, and prints the diagnostics of an invalid source and exits with 2', async () => {
    const bad = await folder.run(['push', folder.write('bad.lua', 'local x = = 1\n'), '--project', project])
    expect(bad.status).toBe(2)
    expect(bad.stderr).toMatch(/^bad\.lua: line 1, column 11: ./m)
    folder.write('proof.luau', 'return script(1)')
    const words = [
      'push',
      folder.write('proved.lua', 'return ...'),
      '--project',
      project,
      '--test',
      'proof.luau',
    ]
    const script = scriptOf((await folder.run(words)).stdout)
    expect((await owner.get(`/v1/scripts/${script}/versions/1/test`)).body.test_script).toBe(
      'return script(1)',
    )
  })

  it('rejects a name that two scripts share, and lists both', async () => {
    const other = await createProject(owner)
    for (const script of ['return 1', 'return 2'])
      await owner.post(`/v1/projects/${other}/scripts/new`, { name: 'twice', script })
    const { status, stderr } = await folder.run([
      'push',
      folder.write('twice.lua', 'return 3'),
      '--project',
      other,
    ])
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/Choose one with --script scr_\w+ or --script scr_\w+/),
    ])
  })
})

describe('a token', () => {
  const tokenWith = async (scopes: readonly string[]) =>
    (await owner.post('/v1/tokens/new', { name: 'CI', scopes })).string('secret')

  it('with only scripts:write can push new versions; with another scope the error names the missing one', async () => {
    const file = folder.write('narrow.lua', 'return 1')
    const words = ['push', file, '--project', project]
    const script = scriptOf((await folder.run(words)).stdout)
    const narrow = { SCRIPTWARD_TOKEN: await tokenWith(['scripts:write']) }
    expect((await folder.run(words, narrow)).stdout).toContain(`updated ${script}: version 2`)
    const other = await folder.run(words, { SCRIPTWARD_TOKEN: await tokenWith(['users:issue']) })
    expect([other.status, other.stderr]).toEqual([
      3,
      expect.stringContaining("lacks the 'scripts:read' scope"),
    ])
  })

  it('is shown by whoami, and is not sent to a server that only scriptward.json names', async () => {
    const token = { SCRIPTWARD_TOKEN: await tokenWith(['users:issue']) }
    const { stdout } = await folder.run(['whoami'], token)
    expect(stdout).toMatch(/^token\s+CI$/m)
    expect(stdout).toMatch(/^scopes\s+users:issue$/m)
    const own = commandFolder(() => ({ ...token, SCRIPTWARD_URL: '' }))
    own.write('scriptward.json', '{"service": "https://ward.example.com"}')
    expect(await own.run(['whoami'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Set SCRIPTWARD_URL too'),
    })
    own.remove()
  })
})

describe('an error', () => {
  let silent: Server
  const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  /** Starts a server that accepts requests but never responds. */
  beforeAll(async () => {
    silent = createServer()
    await listenOnFreePort(silent)
  })
  afterAll(() => {
    silent?.closeAllConnections()
    silent?.close()
  })

  it('has a clear message and the exit code of its kind, and never contains the token', async () => {
    const file = folder.write('fine.lua', 'return 1')
    const words = ['push', file, '--project', project]
    const cases = [
      [['push', file], 1, 'Pass --project'],
      [['push'], 1, 'No file given'],
      [
        ['push', folder.write('latin1.lua', Buffer.from('print("\xff")', 'latin1')), '--project', project],
        1,
        'not valid UTF-8',
      ],
      [['activate', 'x', '--script', 'scr_x'], 1, 'is not a version number'],
      [['versions', '--script', 'scr_x', '--limit', '0'], 1, '--limit must be'],
      [['pusj'], 1, '(Did you mean push?)'],
      [['serve'], 1, "Run 'scriptward serve' on the machine where the server is installed"],
      [[...words, '--url', 'nowhere'], 1, 'is not a URL'],
      [[...words, '--set', 'nothing=1'], 2, 'nothing'],
    ] as const
    for (const [given, code, says] of cases) {
      const { status, stdout, stderr } = await folder.run(given)
      expect([given, status, stderr]).toEqual([given, code, expect.stringContaining(says)])
      expect(stdout + stderr).not.toContain(owner.apiKey)
    }
  })

  it('is JSON on standard error with --json', async () => {
    const { status, stdout, stderr } = await folder.run(['versions', '--script', 'scr_missing', '--json'])
    expect([status, stdout]).toEqual([2, ''])
    expect(JSON.parse(stderr)).toEqual({
      error: { type: 'not_found', message: expect.any(String), exit_code: 2 },
    })
  })

  it('is silent at Ctrl-C, with exit code 130', async () => {
    const waiting = folder.start(['whoami'], { SCRIPTWARD_URL: addressOf(silent) })
    await once(silent, 'request')
    waiting.child.kill('SIGINT')
    expect([await waiting.ended, waiting.out, waiting.err]).toEqual([130, '', ''])
  })
})

describe('projects, scripts and tokens', () => {
  const own = () => commandFolder(env)

  it('can be created, listed, shown, edited and removed', async () => {
    const folder = own()
    const made = (await folder.run(['projects', 'add', 'First'])).stdout.trim()
    expect(made).toMatch(/^prj_\w+$/)
    expect((await folder.run(['projects'])).stdout).toContain(`${made}\tFirst${'\t0'.repeat(6)}\n`)
    const settings = ['--name', 'Second', '--allow-checks', 'on', '--reset-cooldown', '1d']
    expect(await folder.run(['projects', 'edit', made, ...settings])).toMatchObject({ status: 0 })
    const shown = (await folder.run(['projects', 'show', made])).stdout
    expect(shown).toMatch(/^name +Second$/m)
    expect(shown).toMatch(/^allow_checks +on$/m)
    expect((await owner.get(`/v1/projects/${made}`)).body.project).toMatchObject({
      ...{ name: 'Second', allow_checks: true, fingerprint_reset_cooldown: 86_400_000 },
    })

    folder.write('main.lua', 'print(1)')
    const script = scriptOf((await folder.run(['push', 'main.lua', '--project', made])).stdout)
    expect((await folder.run(['scripts', '--project', made])).stdout).toBe(`${script}\tmain\tenabled\t1\t0\n`)
    expect(
      (await folder.run(['scripts', 'edit', script, '--name', 'Renamed', '--silent', 'on'])).status,
    ).toBe(0)
    expect((await folder.run(['scripts', 'disable', script])).stdout).toBe(`disabled ${script}\n`)
    const settled = JSON.parse((await folder.run(['scripts', 'show', script, '--json'])).stdout)
    expect(settled).toMatchObject({ name: 'Renamed', silent: true, enabled: false })
    expect((await folder.run(['scripts', 'enable', script])).stdout).toBe(`enabled ${script}\n`)
    expect((await folder.run(['scripts', 'remove', script])).status).toBe(1)
    expect((await folder.run(['scripts', 'remove', script, '--yes'])).stdout).toBe(`removed ${script}\n`)

    expect((await folder.run(['projects', 'remove', made])).status).toBe(1)
    const removed = await folder.run(['projects', 'remove', made, '--yes'])
    expect(removed.stdout).toBe(`removed ${made}\n`)
    expect(removed.stderr).toMatch(/^To undo: scriptward changes undo chg_/)
    folder.remove()
  })

  it('a token works within its scopes, and can be edited, rotated and revoked', async () => {
    const folder = own()
    const words = ['tokens', 'add', 'Shop', '--scopes', 'users:issue', '--projects', project]
    const made = await folder.run(words)
    expect(made.stdout).toMatch(/^swt_\w{46}\n$/)
    const id = /tok_\w+/.exec(made.stderr)?.[0] ?? ''
    const as = (secret: string) => folder.run(['whoami'], { SCRIPTWARD_TOKEN: secret.trim() })
    expect((await as(made.stdout)).stdout).toContain('scopes    users:issue')
    expect((await folder.run(['tokens'])).stdout).toContain(`${id}\tShop\t`)
    await folder.run(['tokens', 'edit', id, '--name', 'Kiosk', '--expires', 'never'])
    const shown = JSON.parse((await folder.run(['tokens', 'show', id, '--json'])).stdout)
    expect(shown).toMatchObject({ name: 'Kiosk', expires_at: null, projects: [project] })
    const rotated = await folder.run(['tokens', 'rotate', id])
    expect([(await as(made.stdout)).status, (await as(rotated.stdout)).status]).toEqual([3, 0])
    expect((await folder.run(['tokens', 'remove', id, '--yes'])).stdout).toBe(`revoked ${id}\n`)
    expect((await as(rotated.stdout)).status).toBe(3)
    const unknown = await folder.run(['tokens', 'add', 'x', '--scopes', 'users:fly'])
    expect([unknown.status, unknown.stdout]).toEqual([2, ''])
    folder.remove()
  })
})

describe('the users of a project', () => {
  it('get no expired key without --allow-expired', async () => {
    const mine = await createProject(owner)
    const of = ['--project', mine]
    const key = (await folder.run(['users', 'add', ...of])).stdout.trim()
    for (const words of [
      ['users', 'add', ...of],
      ['users', 'generate', '2', ...of],
      ['users', 'edit', key],
    ]) {
      const refused = await folder.run([...words, '--expires', '2020-01-01'])
      expect([refused.status, refused.stdout]).toEqual([1, ''])
      expect(refused.stderr).toContain('--expires 2020-01-01 is in the past')
      expect(await folder.run([...words, '--expires', '2020-01-01', '--allow-expired'])).toMatchObject({
        status: 0,
      })
    }
    const expired = await folder.run(['users', 'list', ...of, '--status', 'expired'])
    expect(expired.stdout.trim().split('\n')).toHaveLength(4)
  })

  it('can be created, listed, extended, blocked, exported, imported and removed', async () => {
    const mine = await createProject(owner)
    const of = ['--project', mine]
    const key = (
      await folder.run(['users', 'add', ...of, '--note', 'friend', '--expires', '30d'])
    ).stdout.trim()
    const extended = JSON.parse((await folder.run(['users', 'extend', '1d', key, '--json'])).stdout)
    await folder.run(['users', 'ban', key, '--for', '7d', '--reason', 'chargeback'])
    const banned = await folder.run(['users', 'list', ...of, '--status', 'blacklisted', '--json'])
    expect(JSON.parse(banned.stdout)).toMatchObject({
      key,
      note: 'friend',
      key_expires: extended.key_expires,
    })
    expect((await folder.run(['users', 'unban', key])).status).toBe(0)
    expect((await folder.run(['users', 'generate', '2', ...of])).stdout.trim().split('\n')).toHaveLength(2)
    await folder.run(['users', 'export', ...of, '-o', 'users.json'])
    expect(statSync(`${folder.path}/users.json`).mode & 0o777).toBe(0o600)
    const again = await folder.run(['users', 'import', 'users.json', ...of])
    expect([again.status, again.stdout]).toEqual([0, 'imported 0, skipped 3\n'])
    expect((await folder.run(['users', 'remove', key])).status).toBe(1)
    expect((await folder.run(['users', 'remove', key, '--yes'])).status).toBe(0)
    expect((await folder.run(['users', 'list', ...of])).stdout.trim().split('\n')).toHaveLength(2)
  })

  it('read variables that can be set without changing their targeting, and deleted', async () => {
    const mine = await createProject(owner)
    const of = ['--project', mine]
    const plan = (await owner.post(`/v1/projects/${mine}/plans/new`, { name: 'Pro' })).string('plan_id')
    const pro = { value: 'old', plans: [plan] }
    await owner.put(`/v1/projects/${mine}/variables`, { version: 0, variables: { pro } })
    expect((await folder.run(['variables', 'set', 'pro', 'new', ...of])).stdout).toBe('version 2\n')
    folder.write('rates.json', '{"slow": 0.5}')
    await folder.run(['variables', 'set', 'rates', '@rates.json', '--as-json', ...of])
    const { variables } = (await owner.get(`/v1/projects/${mine}/variables`)).body
    expect(variables).toEqual({
      pro: { value: 'new', scripts: null, plans: [plan] },
      rates: { value: { slow: 0.5 }, scripts: null, plans: null },
    })
    expect((await folder.run(['variables', 'get', ...of])).stdout).toBe('pro\t"new"\nrates\t{"slow":0.5}\n')
    expect((await folder.run(['variables', 'get', 'pro', ...of])).stdout).toBe('new\n')
    const wrong = await folder.run(['variables', 'set', 'rates', '{', '--as-json', ...of])
    expect([wrong.status, wrong.stderr]).toEqual([1, expect.stringContaining('The value is not valid JSON')])
    expect((await folder.run(['variables', 'unset', 'rates', ...of])).status).toBe(0)
    expect((await folder.run(['variables', 'get', 'rates', ...of])).status).toBe(2)
    const shown = JSON.parse((await folder.run(['variables', 'get', '--json', ...of])).stdout)
    expect(shown).toMatchObject({ version: 4, variables: { pro: { plans: [plan] } } })
  })

  it('appear once per run in logs -f, until Ctrl-C', async () => {
    const mine = await createProject(owner)
    const script_id = await createScript(owner, mine)
    const run = (exec: string) =>
      insertRows(at(), 'execution_log', {
        ...loggedExecution,
        project_id: mine,
        script_id,
        exec,
        at: at().clock.now,
      })
    await run(`${mine}-1`)
    const following = folder.start(['logs', '-f', '--project', mine])
    await expect.poll(() => following.out).toContain('granted')
    await run(`${mine}-2`)
    await expect.poll(() => following.out.match(/granted/g)?.length).toBe(2)
    following.child.kill('SIGINT')
    expect(await following.ended).toBe(130)
  })
})
