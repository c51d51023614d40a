/** `scriptward` as authors run it, a process of its own against a real service: scripts and their versions, and what goes wrong. */
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { type Owner, serverOn } from '../packages/server/test/harness.ts'
import { createOwner, createProject, createScript } from '../packages/server/test/nouns.ts'
import { instance } from '../packages/server/test/store/rows.ts'
import { commandFolder, type Folder, inShell } from './command-line-scene.ts'

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

describe('a folder with scriptward.json', () => {
  it('is pushed by one word: init, push, again, versions, activate, traceback', async () => {
    const own = commandFolder(env)
    own.write('src/main.lua', 'print("first")')
    const words = ['--entry', 'src/main.lua', '--name', 'walk', '--set', 'preset=light']
    expect(await own.run(['init', '--project', project, ...words])).toMatchObject({ status: 0 })
    const made = await own.run(['push'])
    expect(made.stdout).toMatch(/^created scr_\w+: version 1 of walk, \d+ B → .*preset light/)
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
    expect(traceback.stderr).toContain('Version 1 was assumed; --script-version takes 2 too.')
    const given = await own.run(['traceback', 'error.txt', '--script-version', '2', '--json'])
    expect(JSON.parse(given.stdout)).toMatchObject({ version: 2, assumed: false, mapped: true })
    const dry = await own.run(['push', '--dry-run'])
    expect(dry.stdout).toMatch(/^would push walk: .*preset light.*nothing was sent/)
    expect((await owner.get(`/v1/scripts/${script}/versions`)).body.total).toBe(2)
    expect((await own.run(['init', '--project', project])).stderr).toContain('give --force')
    own.remove()
  })

  it('is pushed at every change with --watch, and a mistake does not end that', async () => {
    const own = commandFolder(env)
    own.write('main.lua', 'print("one")')
    await own.run(['init', '--project', project, '--name', 'watched'])
    const watching = own.start(['push', '--watch'])
    await expect.poll(() => watching.err).toMatch(/Watching main\.lua/)
    own.write('main.lua', 'print(')
    await expect.poll(() => watching.err).toMatch(/main\.lua: line 1, column/)
    await expect.poll(() => watching.err.match(/Watching/g)?.length).toBe(2)
    own.write('main.lua', 'print("two")')
    await expect.poll(() => watching.out).toContain('version 2 of watched')
    watching.child.kill('SIGINT')
    expect(await watching.ended).toBe(130)
    own.remove()
  })
})

describe('a push without scriptward.json', () => {
  it('creates a script with the name of the file, and then new versions of it', async () => {
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

  it('sends the test script and prints the diagnostics of a refused source, and exits with 2', async () => {
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

  it('refuses a name that two scripts have, and names both', async () => {
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
      expect.stringMatching(/choose one with --script scr_\w+ or --script scr_\w+/),
    ])
  })
})

describe('a token', () => {
  const tokenWith = async (scopes: readonly string[]) =>
    (await owner.post('/v1/tokens/new', { name: 'CI', scopes })).string('secret')

  it('that may only write scripts pushes new versions; another is told which right it lacks', async () => {
    const file = folder.write('narrow.lua', 'return 1')
    const words = ['push', file, '--project', project]
    const script = scriptOf((await folder.run(words)).stdout)
    const narrow = { SCRIPTWARD_TOKEN: await tokenWith(['scripts:write']) }
    expect((await folder.run(words, narrow)).stdout).toContain(`updated ${script}: version 2`)
    const other = await folder.run(words, { SCRIPTWARD_TOKEN: await tokenWith(['users:issue']) })
    expect([other.status, other.stderr]).toEqual([
      3,
      expect.stringContaining("lacks the right 'scripts:read'"),
    ])
  })

  it('is shown by whoami, and goes to no service that only a file names', async () => {
    const token = { SCRIPTWARD_TOKEN: await tokenWith(['users:issue']) }
    const { stdout } = await folder.run(['whoami'], token)
    expect(stdout).toMatch(/^token\s+CI$/m)
    expect(stdout).toMatch(/^rights\s+users:issue$/m)
    const own = commandFolder(() => ({ ...token, SCRIPTWARD_URL: '' }))
    own.write('scriptward.json', '{"service": "https://ward.example.com"}')
    expect(await own.run(['whoami'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('set SCRIPTWARD_URL too'),
    })
    own.remove()
  })
})

describe('what goes wrong', () => {
  let old: Server
  const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  /** A service of long ago: it knows nothing, and says so as ours does. One path never answers. */
  beforeAll(async () => {
    old = createServer((request, response) => {
      if (request.url === '/hangs/v1/me') return
      response.writeHead(404, { 'content-type': 'application/json' })
      const error = { code: -1, type: 'invalid_endpoint', message: 'invalid endpoint', request_id: 'r' }
      response.end(request.url?.startsWith('/other') ? 'hello' : JSON.stringify({ success: false, error }))
    }).listen(0, '127.0.0.1')
    await once(old, 'listening')
  })
  afterAll(() => {
    old?.closeAllConnections()
    old?.close()
  })

  it('has clear words, an exit code of its kind, and never shows the token', async () => {
    const file = folder.write('fine.lua', 'return 1')
    const words = ['push', file, '--project', project]
    const gone = createServer().listen(0, '127.0.0.1')
    await once(gone, 'listening')
    const silent = addressOf(gone)
    gone.close()
    const cases = [
      [['push', 'missing.lua', '--project', project], {}, 1, 'missing.lua: there is no such file'],
      [['push', file], {}, 1, 'Give --project'],
      [['push'], {}, 1, 'Which file?'],
      [['push', folder.write('latin1.lua', Buffer.from([0xff])), '--project', project], {}, 1, 'not UTF-8'],
      [['activate', 'x', '--script', 'scr_x'], {}, 1, 'is no version'],
      [['versions', '--script', 'scr_x', '--limit', '0'], {}, 1, '--limit must be'],
      [['pusj'], {}, 1, '(Did you mean push?)'],
      [['serve'], {}, 1, './scriptward serve'],
      [[...words, '--url', 'nowhere'], {}, 1, 'is not an address'],
      [[...words, '--set', 'nothing=1'], {}, 2, 'nothing'],
      [['push', file, '--project', 'prj_missing'], {}, 2, 'does not exist'],
      [words, { SCRIPTWARD_TOKEN: '' }, 3, 'not signed in'],
      [words, { SCRIPTWARD_TOKEN: 'swt_wrong' }, 3, 'does not accept this token'],
      [words, { SCRIPTWARD_URL: silent }, 4, 'does not answer (ECONNREFUSED)'],
      [['whoami'], { SCRIPTWARD_URL: addressOf(old) }, 4, 'older than this command line'],
      [['whoami'], { SCRIPTWARD_URL: `${addressOf(old)}/other` }, 4, 'no Scriptward service'],
    ] as const
    for (const [given, more, code, says] of cases) {
      const { status, stdout, stderr } = await folder.run(given, more)
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

  it('Ctrl-C ends a command that waits, with 130', async () => {
    const waiting = folder.start(['whoami'], { SCRIPTWARD_URL: `${addressOf(old)}/hangs` })
    await once(old, 'request')
    waiting.child.kill('SIGINT')
    expect([await waiting.ended, waiting.out, waiting.err]).toEqual([130, '', ''])
  })

  it('a full disk is a fault that leaves nothing behind, and a closed pipe is none', async () => {
    const file = folder.write('big.lua', `return "${'x'.repeat(5000)}"`)
    const full = await inShell(folder, `scriptward obfuscate ${file} --preset light > /dev/full`, env())
    expect([full.status, full.stderr]).toEqual([
      1,
      expect.stringContaining('standard output: the disk is full'),
    ])
    const toFile = await folder.run(['obfuscate', file, '--preset', 'light', '-o', '/dev/full'])
    expect([toFile.status, toFile.stderr]).toEqual([1, expect.stringContaining('the disk is full')])
    const closed = await inShell(folder, 'scriptward help | head -n 1; echo $PIPESTATUS', env())
    expect(closed).toEqual({ status: 0, stdout: expect.stringMatching(/^Usage: .*\n0\n$/), stderr: '' })
    await folder.run(['obfuscate', file, '-o', 'no/such/folder/out.lua'])
    expect(
      readdirSync(folder.path).filter((name) => name.startsWith('.big') || name.startsWith('.out')),
    ).toEqual([])
    expect(existsSync(`${folder.path}/no`)).toBe(false)
  })
})

describe('the users of a project', () => {
  it('are made, listed, changed, moved to another project and removed', async () => {
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

  it('that run are followed by logs, each once, until Ctrl-C', async () => {
    const mine = await createProject(owner)
    const script_id = await createScript(owner, mine)
    const run = (exec: string) =>
      at().deps.db.transaction((tx) =>
        tx
          .insertInto('instances')
          .values({ ...instance, project_id: mine, script_id, exec, granted_at: at().clock.now })
          .execute(),
      )
    await run(`${mine}-1`)
    const following = folder.start(['logs', '-f', '--project', mine])
    await expect.poll(() => following.out).toContain('granted')
    await run(`${mine}-2`)
    await expect.poll(() => following.out.match(/granted/g)?.length).toBe(2)
    following.child.kill('SIGINT')
    expect(await following.ended).toBe(130)
  })
})

describe('on a terminal', () => {
  /** `script` gives the command a terminal of its own. */
  const onTerminal = (line: string, more: Record<string, string>) =>
    inShell(folder, `script -qec 'scriptward ${line}' /dev/null`, {
      ...env(),
      TERM: 'xterm',
      CI: undefined,
      ...more,
    })

  it('lists have a head; colours are there, and gone with NO_COLOR', async () => {
    const file = folder.write('seen.lua', 'return 1')
    const script = scriptOf((await folder.run(['push', file, '--project', project])).stdout)
    const coloured = await onTerminal(`versions --script ${script}`, { FORCE_COLOR: '', NO_COLOR: '' })
    expect(coloured.stdout).toContain('\u001b[1mVERSION')
    const plain = await onTerminal(`versions --script ${script}`, { NO_COLOR: '1' })
    expect(plain.stdout).toMatch(/^VERSION {2}ACTIVE/)
    expect(plain.stdout).not.toContain('\u001b')
  })
})
