/** What commands print, into pipes that close, onto disks that are full, and on terminals that know little. */
import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { type Owner, serverOn } from '../packages/server/test/harness.ts'
import { createOwner, createUser } from '../packages/server/test/nouns.ts'
import { commandFolder, type Folder, inShell } from './command-line-scene.ts'

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

/** One for each way of printing: help, lines, rows, JSON, a whole text, and what a script prints. */
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
  it('is a fault with words where the disk is full', async () => {
    for (const words of printing()) {
      const { status, stderr } = await shell(`scriptward ${words} > /dev/full`)
      expect([words, status, stderr]).toEqual([words, 1, expect.stringContaining('the disk is full')])
    }
    const json = await shell('scriptward whoami --json > /dev/full')
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { type: 'file', exit_code: 1 } })
  })

  it('may be a pipe that closes, and standard error may be closed too', async () => {
    for (const words of printing()) {
      const { stdout, stderr } = await shell(`scriptward ${words} | head -c 1 > head; echo \${PIPESTATUS[0]}`)
      expect([words, stdout, stderr.replace(/^Protecting.*\n/, '')]).toEqual([words, '0\n', ''])
    }
    const silent = await shell(`scriptward push main.lua --project ${project} 2> /dev/full`)
    expect([silent.status, silent.stdout]).toEqual([0, expect.stringMatching(/^created scr_/)])
    const deaf = await shell(`scriptward pusj 2>&1 >/dev/null | true; echo \${PIPESTATUS[0]}`)
    expect(deaf.stdout).toBe('1\n')
  })

  it('goes to no file by half: to a full one, into a folder that is missing', async () => {
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

describe('help with the name of a command', () => {
  it('shows the help of that command, at every depth, as --help after it does', async () => {
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

  it('says which word is no command, and ends with 1', async () => {
    for (const words of ['nope', 'users nope', 'users list nope']) {
      const { status, stdout, stderr } = await shell(`scriptward help ${words}`)
      expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining("unknown command 'nope'")])
    }
  })
})

describe('a setting that cannot be written', () => {
  /** No file may have a byte: what a full disk is to the command. */
  const FULL = "trap '' XFSZ; ulimit -f 0;"

  it('is left as it was, and a script that a push made is found again', async () => {
    const own = commandFolder(env)
    own.write('main.lua', 'print(1)')
    const settings = JSON.stringify({ project, entry: 'main.lua', name: 'unkept' })
    own.write('scriptward.json', settings)
    const before = readdirSync(own.path).sort()
    const init = await inShell(own, `${FULL} scriptward init --force --project ${project}`, env())
    expect([init.status, init.stderr]).toEqual([
      1,
      expect.stringMatching(/scriptward\.json\S*: there is no room/),
    ])
    const push = await inShell(own, `${FULL} scriptward push`, env())
    expect([push.status, push.stderr]).toEqual([1, expect.stringContaining('there is no room')])
    expect(push.stdout).toMatch(/^created scr_\w+: version 1 of unkept/)
    expect([readdirSync(own.path).sort(), own.read('scriptward.json')]).toEqual([before, settings])
    expect((await own.run(['push'])).stdout).toMatch(/^updated scr_\w+: version 2 of unkept/)
    own.remove()
  })
})

describe('on a terminal', () => {
  const ESCAPE = String.fromCharCode(27)
  /** `script` gives the command a terminal of its own. */
  const onTerminal = async (line: string, more: Record<string, string | undefined>) => {
    const given = { TERM: 'xterm', CI: undefined, NO_COLOR: undefined, FORCE_COLOR: undefined, ...more }
    return (await shell(`script -qec 'scriptward ${line}' /dev/null`, given)).stdout
  }
  const lines = () => [`push main.lua --project ${project}`, `users list --project ${project}`]
  const COLOUR = new RegExp(`${ESCAPE}\\[[\\d;]*m`)

  it('has colours, and none with NO_COLOR', async () => {
    expect(await onTerminal(lines()[1] ?? '', {})).toMatch(COLOUR)
    for (const line of lines()) expect(await onTerminal(line, { NO_COLOR: '1' })).not.toMatch(COLOUR)
  })

  it('sends no codes at all to one that only prints, and asks it nothing', async () => {
    for (const line of lines()) expect(await onTerminal(line, { TERM: 'dumb' })).not.toContain(ESCAPE)
    folder.write('other.lua', 'print(2)')
    const asked = await onTerminal(`init --project ${project}`, { TERM: 'dumb' })
    expect(asked).toMatch(/^scriptward: Which source\? Give --entry/)
  })
})
