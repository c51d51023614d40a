import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Surroundings } from '../packages/cli/src/cli.ts'
import { runCommand } from '../packages/cli/src/command.ts'
import { makeProgram } from '../packages/cli/src/program.ts'
import { sqlite } from '../packages/server/test/databases.ts'
import { type Owner, serverOn } from '../packages/server/test/harness.ts'
import { createOwner } from '../packages/server/test/nouns.ts'
import { freePort, listenOnFreePort } from '../packages/server/test/ports.ts'

type Given = { readonly project: string; readonly file: string; readonly missing: string }
type Line = (given: Given) => readonly string[]

const inProject =
  (...words: string[]): Line =>
  ({ project }) => [...words, '--project', project]
/** A typical invocation of every command that sends requests. */
const ASKING: Readonly<Record<string, Line>> = {
  login: () => ['login', '--no-browser'],
  whoami: () => ['whoami'],
  'projects list': () => ['projects', 'list'],
  'projects add': () => ['projects', 'add', 'Another'],
  'projects show': ({ project }) => ['projects', 'show', project],
  'projects edit': ({ project }) => ['projects', 'edit', project, '--name', 'x'],
  'projects remove': () => ['projects', 'remove', 'prj_x', '--yes'],
  'tokens list': () => ['tokens', 'list'],
  'tokens add': () => ['tokens', 'add', 'CI', '--scopes', 'scripts:write'],
  'tokens show': () => ['tokens', 'show', 'tok_x'],
  'tokens edit': () => ['tokens', 'edit', 'tok_x', '--name', 'x'],
  'tokens rotate': () => ['tokens', 'rotate', 'tok_x'],
  'tokens remove': () => ['tokens', 'remove', 'tok_x', '--yes'],
  init: ({ file }) => ['init', '--force', '--entry', file],
  push: ({ file, project }) => ['push', file, '--project', project],
  run: ({ file, project }) => ['run', file, '--project', project],
  'scripts list': inProject('scripts', 'list'),
  'scripts show': () => ['scripts', 'show', 'scr_x'],
  'scripts activity': inProject('scripts', 'activity'),
  'scripts edit': () => ['scripts', 'edit', 'scr_x', '--silent', 'on'],
  'scripts disable': () => ['scripts', 'disable', 'scr_x'],
  'scripts enable': () => ['scripts', 'enable', 'scr_x'],
  'scripts remove': () => ['scripts', 'remove', 'scr_x', '--yes'],
  versions: () => ['versions', '--script', 'scr_x'],
  activate: () => ['activate', '1', '--script', 'scr_x'],
  'releases list': () => ['releases', 'list', '--script', 'scr_x'],
  'releases start': () => ['releases', 'start', '2', '--percent', '5', '--script', 'scr_x'],
  'releases show': () => ['releases', 'show', '--script', 'scr_x'],
  'releases edit': () => ['releases', 'edit', '--percent', '50', '--script', 'scr_x'],
  'releases pause': () => ['releases', 'pause', 'rel_x', '--script', 'scr_x'],
  'releases continue': () => ['releases', 'continue', 'rel_x', '--script', 'scr_x'],
  'releases rollback': () => ['releases', 'rollback', 'rel_x', '--script', 'scr_x'],
  'channels list': () => ['channels', 'list', '--script', 'scr_x'],
  'channels set': () => ['channels', 'set', 'beta', '--script', 'scr_x'],
  'channels remove': () => ['channels', 'remove', 'beta', '--script', 'scr_x'],
  yank: () => ['yank', '1', '--script', 'scr_x'],
  diff: () => ['diff', '1', '2', '--script', 'scr_x'],
  'functions list': () => ['functions', 'list', '--script', 'scr_x'],
  'functions show': () => ['functions', 'show', 'price', '--script', 'scr_x'],
  'functions put': ({ file }) => ['functions', 'put', file, '--script', 'scr_x'],
  'functions remove': () => ['functions', 'remove', 'price', '--yes', '--script', 'scr_x'],
  'functions try': () => ['functions', 'try', 'price', '--script', 'scr_x'],
  hub: () => ['hub', '--project', 'prj_x'],
  health: () => ['health', '--script', 'scr_x'],
  'errors list': () => ['errors', 'list', '--script', 'scr_x'],
  'errors show': () => ['errors', 'show', 'err_x', '--script', 'scr_x'],
  'errors resolve': () => ['errors', 'resolve', 'err_x', '--script', 'scr_x'],
  'errors ignore': () => ['errors', 'ignore', 'err_x', '--script', 'scr_x'],
  'errors reopen': () => ['errors', 'reopen', 'err_x', '--script', 'scr_x'],
  'executors list': () => ['executors', 'list', '--script', 'scr_x'],
  'executors functions': () => ['executors', 'functions', 'Garden'],
  'executors rules': () => ['executors', 'rules', '--script', 'scr_x'],
  'executors allow': () => ['executors', 'allow', 'Garden', '--script', 'scr_x'],
  'executors deny': () => ['executors', 'deny', 'Garden', '--script', 'scr_x'],
  'executors remove': () => ['executors', 'remove', 'Garden', '--script', 'scr_x'],
  'executors mode': () => ['executors', 'mode', 'watch', '--script', 'scr_x'],
  traceback: ({ file }) => ['traceback', file, '--script', 'scr_x'],
  'traces list': inProject('traces', 'list'),
  'traces show': inProject('traces', 'show', 'trc_x'),
  trace: ({ file }) => ['trace', file, '--script', 'scr_x'],
  'users list': inProject('users', 'list'),
  'users add': inProject('users', 'add'),
  'users generate': inProject('users', 'generate', '2'),
  'users edit': () => ['users', 'edit', 'key', '--note', 'x'],
  'users extend': () => ['users', 'extend', '1d', 'key'],
  'users ban': () => ['users', 'ban', 'key'],
  'users unban': () => ['users', 'unban', 'key'],
  'users reset': () => ['users', 'reset', 'key'],
  'users remove': () => ['users', 'remove', 'key', '--yes'],
  'users pause': () => ['users', 'pause', 'key'],
  'users resume': () => ['users', 'resume', 'key'],
  'users devices': () => ['users', 'devices', 'key'],
  'users bulk': inProject('users', 'bulk', 'pause', 'key', '--yes'),
  'users name-device': () => ['users', 'name-device', 'key', 'dev_x', 'Desk'],
  'users release': () => ['users', 'release', 'key', 'dev_x'],
  'users import': ({ project, file }) => ['users', 'import', `${file}.json`, '--project', project],
  'users export': inProject('users', 'export'),
  'variables get': inProject('variables', 'get'),
  'variables set': inProject('variables', 'set', 'motd', 'hello'),
  'variables unset': inProject('variables', 'unset', 'motd'),
  'sessions list': inProject('sessions', 'list'),
  'sessions message': inProject('sessions', 'message', 'notice', '--all'),
  'sessions kick': inProject('sessions', 'kick', '--all'),
  logs: inProject('logs'),
  denials: inProject('denials'),
  stats: inProject('stats'),
  'ads list': inProject('ads', 'list'),
  'ads add': ({ project, file }) => ['ads', 'add', `${file}.ads.json`, '--project', project],
  'ads links': () => ['ads', 'links', 'sys_x'],
  'ads days': () => ['ads', 'days', 'sys_x'],
  'ads test': () => ['ads', 'test', 'sys_x'],
  'ads remove': () => ['ads', 'remove', 'sys_x', '--yes'],
  'discord status': inProject('discord', 'status'),
  'discord connect': ({ project, file }) => [
    'discord',
    'connect',
    '--token-file',
    file,
    '--project',
    project,
  ],
  'discord install': inProject('discord', 'install'),
  'discord servers': inProject('discord', 'servers'),
  'discord staff': inProject('discord', 'staff', '184650129374650214=support'),
  'discord compare': inProject('discord', 'compare'),
  'discord disconnect': inProject('discord', 'disconnect', '--yes'),
  'webhooks list': inProject('webhooks', 'list'),
  'webhooks deliveries': inProject('webhooks', 'deliveries'),
  'webhooks resend': inProject('webhooks', 'resend', 'whd_x'),
  'webhooks test': inProject('webhooks', 'test', 'execution'),
  'webhooks add': inProject('webhooks', 'add', 'https://hooks.example.com/', '--name', 'x'),
  'webhooks edit': inProject('webhooks', 'edit', 'whk_x', '--off'),
  'webhooks rotate': inProject('webhooks', 'rotate', 'whk_x'),
  'webhooks remove': inProject('webhooks', 'remove', 'whk_x', '--yes'),
  'webhooks recover': inProject('webhooks', 'recover', 'whk_x', '--since', '1h'),
  plans: inProject('plans'),
  'plans list': inProject('plans', 'list'),
  'plans add': inProject('plans', 'add', 'Pro'),
  'plans edit': () => ['plans', 'edit', 'pln_x', '--feature', 'turbo'],
  'plans remove': () => ['plans', 'remove', 'pln_x', '--yes'],
  'announcements list': inProject('announcements', 'list'),
  'announcements add': inProject('announcements', 'add', 'Back at ten', '--until', '2h'),
  'announcements remove': inProject('announcements', 'remove', 'ann_x'),
  'bans list': inProject('bans', 'list'),
  'bans add': inProject('bans', 'add', 'chat', '1'),
  'bans edit': inProject('bans', 'edit', 'ban_x', '--reason', 'x'),
  'bans remove': inProject('bans', 'remove', 'ban_x'),
  'changes list': inProject('changes', 'list'),
  'changes users': () => ['changes', 'users', 'chg_x'],
  'changes undo': () => ['changes', 'undo', 'chg_x'],
}
/**
 * Commands that don't send requests. `logout` sends a request only to revoke a token, which the login test
 * covers.
 */
const SILENT = ['logout', 'open', 'obfuscate', 'try', 'completion', 'version', 'upgrade', 'help']
const WITH_FILE: readonly Line[] = [
  ({ missing }) => ['init', '--force', '--entry', missing],
  ({ missing, project }) => ['push', missing, '--project', project],
  ({ missing, project, file }) => ['push', file, '--test', missing, '--project', project],
  ({ missing, project }) => ['run', missing, '--project', project],
  ({ missing }) => ['run', missing, '--local'],
  ({ missing, file }) => ['functions', 'put', file, missing, '--script', 'scr_x'],
  ({ missing }) => ['functions', 'try', 'price', '--run', `@${missing}`, '--script', 'scr_x'],
  ({ missing }) => ['traceback', missing, '--script', 'scr_x'],
  ({ missing, file }) => ['traceback', file, '--map', missing],
  ({ missing }) => ['trace', missing, '--script', 'scr_x'],
  ({ missing, project }) => ['users', 'import', missing, '--project', project],
  ({ missing, project }) => ['ads', 'add', missing, '--project', project],
  ({ missing, project }) => ['discord', 'connect', '--token-file', missing, '--project', project],
  ({ missing }) => ['obfuscate', missing],
]

const { at } = serverOn(sqlite)
let owner: Owner
let given: Given
let folder = ''
const servers: Server[] = []

beforeAll(async () => {
  let project: string
  ;({ owner, project } = await createOwner(at()))
  folder = mkdtempSync(path.join(tmpdir(), 'scriptward-faults-'))
  const file = path.join(folder, 'main.lua')
  writeFileSync(file, 'print(1)')
  writeFileSync(`${file}.ads.json`, '{"name": "Free keys"}')
  writeFileSync(`${file}.json`, '[{"key": "imported-key-1"}]')
  given = { project, file, missing: path.join(folder, 'no', 'such.lua') }
})
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  rmSync(folder, { recursive: true, force: true })
})

async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  servers.push(server)
  await listenOnFreePort(server)
  return addressOf(server)
}
const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const answering =
  (status: number, type: string, body: string, more: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'content-type': type, ...more }).end(body)

/** A command that fails must leave the folder and the account unchanged. */
async function stateNow(): Promise<string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
    path.join(folder, name),
  )
  const texts = files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, 'utf8'))
  const nouns = ['users', 'scripts'].map((noun) => owner.get(`/v1/projects/${given.project}/${noun}`))
  const answers = await Promise.all([...nouns, owner.get('/v1/projects')])
  return JSON.stringify([files, texts, answers.map(({ body }) => body)])
}

type Service = { readonly url?: string; readonly token?: string }

function start(words: readonly string[], { url = at().url, token = owner.apiKey }: Service = {}) {
  const abort = new AbortController()
  const [stdout, stderr, stdin] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const said = { out: '', err: '' }
  stdout.on('data', (piece) => (said.out += String(piece)))
  stderr.on('data', (piece) => (said.err += String(piece)))
  const env = { SCRIPTWARD_URL: url, SCRIPTWARD_TOKEN: token, XDG_CONFIG_HOME: path.join(folder, '.config') }
  const streams = { stdout, stderr, stdin } as unknown as Pick<Surroundings, 'stdin' | 'stdout' | 'stderr'>
  const around = { env, cwd: folder, signal: abort.signal, now: Date.now, ...streams }
  return { said, abort, ended: runCommand(words, around) }
}

async function run(words: readonly string[], service?: Service) {
  const { said, ended } = start(words, service)
  const code = await ended
  return { code, ...said }
}

type Expected = { readonly code: number; readonly says: string }

/** Expects the same exit code and message from each of these commands, and no side effects. */
async function expectAll(
  names: readonly string[],
  service: Service,
  { code, says }: Expected,
): Promise<void> {
  const before = await stateNow()
  for (const name of names) {
    const { code: ended, out, err } = await run(ASKING[name]?.(given) ?? [], service)
    expect([name, ended, out, err]).toEqual([name, code, '', expect.stringContaining(says)])
    expect(err).not.toContain(service.token || owner.apiKey)
  }
  expect(await stateNow()).toBe(before)
}

const ALL = Object.keys(ASKING)
const WITH_TOKEN = ALL.filter((name) => name !== 'login')

describe('every command', () => {
  it('is in the tables of this test', () => {
    const leaves = (command: Command, before = ''): string[] =>
      command.commands.length === 0
        ? [before.trim()]
        : command.commands.flatMap((one) => leaves(one, `${before} ${one.name()}`))
    const around = { stdout: new PassThrough(), stderr: new PassThrough() } as unknown as Surroundings
    const own = makeProgram(around)
    const operators = own.commands.filter((one) => one.helpGroup()?.startsWith('Server administration'))
    const names = leaves(own).filter((name) => !operators.some((one) => one.name() === name))
    expect([...ALL, ...SILENT].sort()).toEqual(expect.arrayContaining(names.sort()))
    expect(operators.length).toBeGreaterThan(3)
  })

  it('reports a server that is not running', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    await expectAll(ALL, { url }, { code: 4, says: '(ECONNREFUSED): start the server' })
  })

  it('names a server that push --watch cannot reach, and keeps watching', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    const { said, abort, ended } = start(['push', given.file, '--watch', '--project', given.project], { url })
    await expect.poll(() => said.err).toContain('Watching ')
    expect(said.err).toContain(`scriptward: Can't reach ${url} (ECONNREFUSED)`)
    abort.abort()
    expect(await ended).toBe(130)
  })

  /** A server that answers the requests of a push, except for the numbers of requests at which it is busy. */
  async function servingPushes(isBusy: (name: string, number: number) => boolean) {
    const asked: string[] = []
    const answers: Record<string, object> = {
      'GET /scripts': { scripts: [], total: 0, next: null },
      'POST /scripts/new': { script_id: 'scr_new' },
    }
    const url = await serving(({ method, url: address = '' }, response) => {
      const name = `${method} ${address.replace(/^.*(?=\/scripts)|\?.*$/g, '')}`
      const type = isBusy(name, asked.push(name)) ? 'rate_limited' : 'forbidden'
      const answer = type === 'forbidden' && answers[name]
      const error = { code: -1, type, message: 'refused', request_id: 'r', retry_after: 1 }
      const status = answer ? 200 : type === 'forbidden' ? 403 : 429
      const body = answer ? { success: true, ...answer } : { success: false, error }
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
    return { url, asked }
  }

  it('waits with push --wait whenever the server is busy', async () => {
    const { url, asked } = await servingPushes((_, number) => number % 2 === 1)
    const { code, out } = await run(['push', given.file, '--project', given.project, '--wait'], { url })
    expect([code, out]).toEqual([0, expect.stringMatching(/^created scr_new: version 1 of main\n/)])
    const names = ['GET /scripts', 'POST /scripts/new', 'GET /scripts/scr_new/versions/1']
    expect(asked).toEqual(names.flatMap((name) => [name, name]))
  })

  it('reports a push as published even if its report cannot be read', async () => {
    const { url } = await servingPushes((name) => name.startsWith('GET /scripts/'))
    const { code, out, err } = await run(['push', given.file, '--project', given.project], { url })
    expect([code, out]).toEqual([0, expect.stringMatching(/^created scr_new: version 1 of main\n/)])
    expect(err).toContain("Version 1 is published, but its report can't be read: ")
  })

  it('names the option of logs that is not a version number', async () => {
    const words = ['logs', '--script-version', 'x', '--project', given.project]
    const { code, err } = await run(words)
    expect([code, err]).toEqual([1, expect.stringContaining("'x' is not a version number")])
  })

  it('reports a response that breaks off', async () => {
    const url = await serving((_, response) => response.destroy())
    await expectAll(ALL, { url }, { code: 4, says: "Can't reach" })
  })

  it('reports that nobody is signed in', () =>
    expectAll(WITH_TOKEN, { token: '' }, { code: 3, says: 'not signed in to' }))

  it('reports an invalid token', () =>
    expectAll(WITH_TOKEN, { token: 'swt_wrong' }, { code: 3, says: 'rejected this token' }))

  it('names the scope that the token lacks', async () => {
    const made = await owner.post('/v1/tokens/new', { name: 'Narrow', scopes: ['members:read'] })
    const narrow = WITH_TOKEN.filter((name) => name !== 'whoami')
    const token = made.string('secret')
    await expectAll(narrow, { token }, { code: 3, says: "Your token lacks the '" })
    const reader = await owner.post('/v1/tokens/new', {
      name: 'Another project',
      scopes: ['projects:read', 'scripts:write', 'users:write'],
      projects: [(await owner.post('/v1/projects/new', { name: 'Another' })).string('project_id')],
    })
    const foreign = ['push', 'run', 'users list', 'users add']
    await expectAll(
      foreign,
      { token: reader.string('secret') },
      { code: 2, says: 'does not exist, or you have no access to it' },
    )
  })

  it('reports a server that is older than the command line', async () => {
    const error = { code: -1, type: 'invalid_endpoint', message: 'invalid endpoint', request_id: 'r' }
    const url = await serving(answering(404, 'application/json', JSON.stringify({ success: false, error })))
    await expectAll(ALL, { url }, { code: 4, says: 'older than this command line' })
  })

  it('reports another program at the URL, a failing server, and a redirect', async () => {
    for (const status of [200, 404]) {
      const url = await serving(answering(status, 'text/html', '<html>'))
      await expectAll(ALL, { url }, { code: 4, says: 'is not a Scriptward server' })
    }
    const url = await serving(answering(502, 'text/html', '<html>'))
    await expectAll(ALL, { url }, { code: 4, says: 'responded with status 502' })
    const target: { token?: string } = {}
    const other = await serving(({ headers }, response) => {
      target.token = `${headers.token ?? ''}${headers.authorization ?? ''}`
      response.end()
    })
    const leading = await serving(answering(301, 'text/html', '', { location: `${other}/v1/me` }))
    await expectAll(ALL, { url: leading }, { code: 4, says: `redirects to ${other}. Pass that URL` })
    expect(target).toEqual({})
  })

  it('exits with 130 at Ctrl-C, without a message', async () => {
    const before = await stateNow()
    for (const name of ALL) {
      const asked = Promise.withResolvers<void>()
      const url = await serving(() => asked.resolve())
      const { abort, said, ended } = start(ASKING[name]?.(given) ?? [], { url })
      await asked.promise
      abort.abort()
      // `run` waits for its pending requests in order to clean up, so the server has to drop them.
      if (name === 'run') servers.at(-1)?.closeAllConnections()
      expect([name, await ended, said.out]).toEqual([name, 130, ''])
      expect(said.err).not.toContain('scriptward: ')
    }
    expect(await stateNow()).toBe(before)
  })

  it('names a missing file', async () => {
    const before = await stateNow()
    for (const line of WITH_FILE) {
      const words = line(given)
      const { code, out, err } = await run(words)
      expect([words, code, out, err]).toEqual([words, 1, '', expect.stringContaining('no such file')])
      expect(err).toContain('such.lua')
    }
    expect(await stateNow()).toBe(before)
  })

  it('rejects JSON that is not a list of users, and a folder in place of a file', async () => {
    const list = path.join(folder, 'list.json')
    for (const [text, says] of [
      ['[{"key": ', 'not valid JSON'],
      ['{"key": "of-nobody"}', 'expected a JSON array'],
    ] as const) {
      writeFileSync(list, text)
      const { code, err } = await run(['users', 'import', list, '--project', given.project])
      expect([code, err]).toEqual([1, expect.stringContaining(says)])
    }
    rmSync(list)
    const of = await run(['push', folder, '--project', given.project])
    expect([of.code, of.err]).toEqual([1, expect.stringContaining('this is a folder, not a file')])
  })

  it('extends no key when one of them does not exist', async () => {
    const made = await owner.post(`/v1/projects/${given.project}/users/new`, { key_expires: 2 ** 42 })
    const before = await stateNow()
    const { code, out } = await run(['users', 'extend', '1d', made.string('user_key'), 'missing'])
    expect([code, out, await stateNow()]).toEqual([2, '', before])
  })
})
