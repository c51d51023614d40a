/** Tests the output of commands to closed pipes, full disks and limited terminals. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Surroundings } from '../packages/cli/src/cli.ts'
import { examplesOf } from '../packages/cli/src/examples.ts'
import { makeProgram } from '../packages/cli/src/program.ts'
import { sqlite } from '../packages/server/test/databases.ts'
import { type Owner, serverOn } from '../packages/server/test/harness.ts'
import { createOwner, createProject, createUser } from '../packages/server/test/nouns.ts'
import { loggedExecution } from '../packages/server/test/store/rows.ts'
import { insertRows } from '../packages/server/test/stored.ts'
import { commandFolder, type Folder, inShell } from './command-line-scene.ts'

const LAUNCHER = path.join(import.meta.dirname, '../scripts/launch.mjs')

const { at } = serverOn(sqlite)
let owner: Owner
let project = ''
let folder: Folder
const env = () => ({ SCRIPTWARD_URL: at().url, SCRIPTWARD_TOKEN: owner.apiKey })
const shell = (line: string, more: Record<string, string | undefined> = {}) =>
  inShell(folder, line, { ...env(), ...more })

beforeAll(async () => {
  at().clock.now = Date.now()
  ;({ owner, project } = await createOwner(at()))
  folder = commandFolder(env)
  folder.write('main.lua', `print(${JSON.stringify('x'.repeat(5000))})`)
  for (let made = 0; made < 3; made += 1) await createUser(owner, project)
})
afterAll(() => folder?.remove())

/** One command for each kind of output: help, lines, rows, JSON, an export, and the output of a script. */
const printing = () => [
  'help',
  'whoami',
  `users list --project ${project}`,
  `users list --project ${project} --json`,
  `users export --project ${project}`,
  'obfuscate main.lua --preset light',
  'completion bash',
  'run main.lua --local --preset light',
]

describe('the output of a command', () => {
  it('names the time since which runs are counted, not an earlier or later one', async () => {
    const { now } = at().clock
    const since = async (span: string) =>
      JSON.parse((await folder.run(['stats', '--project', project, '--since', span, '--json'])).stdout).since
    expect((await since('90m')) % 3_600_000).toBe(0)
    expect((await since('7d')) % 86_400_000).toBe(0)
    expect(await since('2y')).toBeGreaterThan(now - 400 * 86_400_000)
  })

  it('fails with a message when the disk is full', async () => {
    for (const words of printing()) {
      const { status, stderr } = await shell(`scriptward ${words} > /dev/full`)
      expect([words, status, stderr]).toEqual([words, 1, expect.stringContaining('the disk is full')])
    }
    const json = await shell('scriptward whoami --json > /dev/full')
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { type: 'file', exit_code: 1 } })
  })

  it('may go to a pipe that closes, and so may standard error', async () => {
    for (const words of printing()) {
      const { stdout, stderr } = await shell(`scriptward ${words} | head -c 1 > head; echo \${PIPESTATUS[0]}`)
      expect([words, stdout, stderr.replace(/^Protecting.*\n/, '')]).toEqual([words, '0\n', ''])
    }
    const silent = await shell(`scriptward push main.lua --project ${project} 2> /dev/full`)
    expect([silent.status, silent.stdout]).toEqual([0, expect.stringMatching(/^created scr_/)])
    const deaf = await shell(`scriptward pusj 2>&1 >/dev/null | true; echo \${PIPESTATUS[0]}`)
    expect(deaf.stdout).toBe('1\n')
  })

  it('never leaves half a file on a full disk or in a missing folder', async () => {
    const before = readdirSync(folder.path).sort()
    for (const words of [
      'obfuscate main.lua --preset light -o /dev/full',
      'obfuscate main.lua --preset light -o out.lua --map /dev/full',
      `users export --project ${project} -o /dev/full`,
    ]) {
      const { status, stderr } = await shell(`scriptward ${words}`)
      expect([words, status, stderr]).toEqual([
        words,
        1,
        expect.stringContaining('/dev/full: the disk is full'),
      ])
    }
    const nowhere = await shell('scriptward obfuscate main.lua --preset light -o no/out.lua')
    expect([nowhere.status, nowhere.stderr]).toEqual([1, expect.stringContaining('no such file or folder')])
    expect(readdirSync(folder.path).sort()).toEqual(before)
  })
})

describe('a usage error', () => {
  const wrong = [
    'pusj',
    'users nope',
    'users add --nope',
    'users remove KEY',
    'users ban',
    'bans add house 1',
    'help nope',
    'activate x --script scr_x',
  ]

  it('has one form, prefixed with the name of the program', async () => {
    for (const words of wrong) {
      const { status, stdout, stderr } = await folder.run(words.split(' '))
      expect([words, status, stdout, stderr]).toEqual([
        words,
        1,
        '',
        expect.stringMatching(/^scriptward: \S/),
      ])
      expect(stderr).not.toContain('error:')
    }
  })

  it('is JSON on standard error with --json, and nothing else', async () => {
    for (const words of wrong) {
      const { status, stdout, stderr } = await folder.run([...words.split(' '), '--json'])
      expect([words, status, stdout]).toEqual([words, 1, ''])
      const { error } = JSON.parse(stderr)
      expect(error).toEqual({ type: 'usage', message: expect.any(String), exit_code: 1 })
      expect(error.message).not.toContain('error:')
    }
  })

  it('names the commands that a group has', async () => {
    const { stderr } = await folder.run(['bans', 'ad'])
    expect(stderr).toContain("unknown command 'ad'. Commands of 'bans': list, add, edit, remove")
  })
})

describe('a list', () => {
  const GROUPS = ['users', 'plans', 'variables', 'announcements', 'bans', 'sessions', 'webhooks', 'scripts']

  it('is the output of a group without a subcommand; an empty list explains how to add the first entry', async () => {
    const empty = await createProject(owner)
    for (const group of GROUPS) {
      const { status, stdout, stderr } = await folder.run([group, '--project', empty])
      expect([group, status, stdout, stderr]).toEqual([
        ...[group, 0, '', expect.stringMatching(/^\S.*'scriptward \w+ .*'.*\.\n$/)],
      ])
      expect(await folder.run([group, '--project', empty, '--json'])).toMatchObject({ status: 0, stderr: '' })
    }
    for (const words of ['projects', 'tokens', 'changes'])
      expect(await folder.run([words])).toMatchObject({ status: 0 })
  })

  it('has no heading on a terminal when it is empty, and logs never have one', async () => {
    const empty = await createProject(owner)
    for (const words of [`bans --project ${empty}`, `logs --project ${empty}`]) {
      const { stdout } = await shell(`script -qec 'scriptward ${words}' /dev/null`, { NO_COLOR: '1' })
      expect(stdout.trim().split('\n')).toEqual([expect.stringMatching(/^(This project|No runs)/)])
    }
    const run = { ...loggedExecution, project_id: empty, exec: 'seen', at: at().clock.now }
    await insertRows(at(), 'execution_log', run)
    const { stdout } = await shell(`script -qec 'scriptward logs --project ${empty}' /dev/null`)
    expect(stdout.trim().split('\n')).toEqual([expect.stringContaining('granted')])
  })

  it('has relative times on a terminal, dates in pipes, and milliseconds with --json', async () => {
    const mine = await createProject(owner)
    await owner.post(`/v1/projects/${mine}/users/new`, { key_expires: at().clock.now + 30.5 * 86_400_000 })
    const list = `users list --project ${mine}`
    expect((await shell(`script -qec 'scriptward ${list}' /dev/null`)).stdout).toContain('  in 30 days  ')
    expect((await shell(`scriptward ${list}`)).stdout).toMatch(/\t20\d\d-\d\d-\d\dT[\d:]+Z\t/)
    const { key_expires } = JSON.parse((await shell(`scriptward ${list} --json`)).stdout)
    expect(key_expires).toBe(at().clock.now + 30.5 * 86_400_000)
  })
})

describe('help for a command', () => {
  it('has examples for every command of authors, and the command accepts each of them', async () => {
    const around = { stdout: process.stdout, stderr: process.stderr } as unknown as Surroundings
    const program = makeProgram(around)
    const leaves = (command: Command): Command[] =>
      command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)
    const own = leaves(program).filter((one) => !one.helpGroup()?.startsWith('Server administration'))
    const taken: string[] = []
    for (const one of own) one.action(() => void taken.push(one.name()))
    for (const one of own) {
      expect([one.name(), examplesOf(one)]).not.toEqual([one.name(), []])
      for (const example of examplesOf(one)) {
        const line = `printf '%s\\0' ${example.replace(/ [<>] .*/, '')}`
        const { stdout } = spawnSync('bash', ['-c', line], { encoding: 'utf8' })
        taken.length = 0
        await program.parseAsync(stdout.split('\0').slice(1, -1), { from: 'user' })
        expect([example, taken]).toEqual([example, [one.name()]])
      }
    }
  })

  it('comes from the server for server commands, at every level', async () => {
    for (const words of ['backup', 'doctor', 'restore', 'admin customers']) {
      const launched = spawnSync(process.execPath, [LAUNCHER, 'help', ...words.split(' ')], {
        encoding: 'utf8',
      })
      expect([words, launched.status, launched.stdout]).toEqual([
        ...[words, 0, expect.stringContaining(`Usage: scriptward ${words} `)],
      ])
      expect(launched.stdout).not.toContain('where the service is installed')
    }
  })

  it('lists install-node, which a clone does not need', async () => {
    expect((await shell('scriptward --help')).stdout).toContain('\n  install-node ')
    const { status, stderr } = await shell('scriptward install-node')
    expect([status, stderr]).toEqual([1, expect.stringContaining('is only for the package from npm')])
  })

  it('equals the output of --help, at every level', async () => {
    const missing: string[] = []
    for (const words of ['users', 'users list', 'sessions kick', 'webhooks test', 'push', 'admin']) {
      const [asked, wanted] = [
        await shell(`scriptward help ${words}`),
        await shell(`scriptward ${words} --help`),
      ]
      expect(wanted.stdout).toContain(`Usage: scriptward ${words} `)
      if (asked.status !== 0 || asked.stdout !== wanted.stdout) missing.push(words)
    }
    expect(missing).toEqual([])
    expect(await shell('scriptward help')).toEqual(await shell('scriptward --help'))
  })

  it('names an unknown command and exits with 1', async () => {
    for (const words of ['nope', 'users nope', 'users list nope']) {
      const { status, stdout, stderr } = await shell(`scriptward help ${words}`)
      expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining("unknown command 'nope'")])
    }
  })
})

describe('a scriptward.json that cannot be written', () => {
  /** Limits files to zero bytes, which has the same effect as a full disk. */
  const FULL = "trap '' XFSZ; ulimit -f 0;"

  it('stays unchanged, and the next push finds the created script again', async () => {
    const own = commandFolder(env)
    own.write('main.lua', 'print(1)')
    const settings = JSON.stringify({ project, entry: 'main.lua', name: 'unkept' })
    own.write('scriptward.json', settings)
    const before = readdirSync(own.path).sort()
    const init = await inShell(own, `${FULL} scriptward init --force --project ${project}`, env())
    expect([init.status, init.stderr]).toEqual([
      1,
      expect.stringMatching(/scriptward\.json\S*: the file exceeds/),
    ])
    const push = await inShell(own, `${FULL} scriptward push`, env())
    expect([push.status, push.stderr]).toEqual([
      1,
      expect.stringContaining('the file exceeds the size limit'),
    ])
    expect(push.stdout).toMatch(/^created scr_\w+: version 1 of unkept/)
    expect([readdirSync(own.path).sort(), own.read('scriptward.json')]).toEqual([before, settings])
    expect((await own.run(['push'])).stdout).toMatch(/^updated scr_\w+: version 2 of unkept/)
    own.remove()
  })
})

describe('on a terminal', () => {
  const ESCAPE = String.fromCharCode(27)
  /** `script` runs the command on a pseudo terminal. */
  const onTerminal = async (line: string, more: Record<string, string | undefined>) => {
    const given = { TERM: 'xterm', CI: undefined, NO_COLOR: undefined, FORCE_COLOR: undefined, ...more }
    return (await shell(`script -qec 'scriptward ${line}' /dev/null`, given)).stdout
  }
  const lines = () => [`push main.lua --project ${project}`, `users list --project ${project}`]
  const COLOR = new RegExp(`${ESCAPE}\\[[\\d;]*m`)

  it('uses colors, except with NO_COLOR', async () => {
    expect(await onTerminal(lines()[1] ?? '', {})).toMatch(COLOR)
    for (const line of lines()) expect(await onTerminal(line, { NO_COLOR: '1' })).not.toMatch(COLOR)
  })

  it('sends no escape codes and no prompts to a dumb terminal', async () => {
    for (const line of lines()) expect(await onTerminal(line, { TERM: 'dumb' })).not.toContain(ESCAPE)
    folder.write('other.lua', 'print(2)')
    const asked = await onTerminal(`init --project ${project}`, { TERM: 'dumb' })
    expect(asked).toMatch(/^scriptward: No main file given\. Pass --entry/)
  })
})
