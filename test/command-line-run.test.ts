/**
 * Tests that `scriptward run` runs a script on the author's machine as a customer would, and leaves nothing
 * behind.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { type Owner, serverOn } from '../packages/server/test/harness.ts'
import { createOwner } from '../packages/server/test/nouns.ts'
import { commandFolder, type Folder, inShell } from './command-line-scene.ts'

const { at } = serverOn(sqlite)
let owner: Owner
let project = ''
let folder: Folder
const env = () => ({ SCRIPTWARD_URL: at().url, SCRIPTWARD_TOKEN: owner.apiKey })

beforeAll(async () => {
  // The temporary key expires an hour from now according to the system clock, which the command uses.
  at().clock.now = Date.now()
  ;({ owner, project } = await createOwner(at()))
  folder = commandFolder(env)
})
afterAll(() => folder?.remove())

const GREETER = `print('hello', ward and ward.note)
local function boom(thing)
  return thing.part.name
end
task.spawn(function() task.wait(0.05) warn('late') end)
task.spawn(function() boom({}) end)
print(game:GetService('Players').LocalPlayer.Name)
task.wait(0.2)
boom({})`

/** Returns the users and scripts of the project. */
async function things(): Promise<readonly unknown[]> {
  const [users, scripts] = await Promise.all(
    ['users', 'scripts'].map(async (noun) => (await owner.get(`/v1/projects/${project}/${noun}`)).body[noun]),
  )
  return [users, scripts]
}
const NOTHING = [[], []]

describe('scriptward run', () => {
  it('shows the output a customer sees, and errors with line numbers of the source', async () => {
    const words = ['run', folder.write('greeter.lua', GREETER), '--project', project, '--preset', 'light']
    const { status, stdout, stderr } = await folder.run(words)
    expect([status, stdout]).toEqual([5, 'hello scriptward run\nTestPlayer\n'])
    expect(stderr.split('\n').slice(1)).toEqual([
      expect.stringMatching(/^greeter\.lua:3: attempt to index nil/),
      'late',
      expect.stringMatching(/^greeter\.lua:3: attempt to index nil/),
      '',
    ])
    expect(await things()).toEqual(NOTHING)
  })

  it('works without a server, and without ward', async () => {
    const none = { SCRIPTWARD_URL: '', SCRIPTWARD_TOKEN: '' }
    const words = ['run', '--local', folder.write('greeter.lua', GREETER)]
    const { status, stdout, stderr } = await folder.run(words, none)
    expect([status, stdout]).toEqual([5, 'hello nil\nTestPlayer\n'])
    expect(stderr).toMatch(/late\ngreeter\.lua:3: attempt to index nil with 'name'\n$/)
    const hint = await folder.run(['run', 'greeter.lua'], none)
    expect([hint.status, hint.stderr]).toEqual([3, expect.stringContaining('pass --local')])
  })

  it('exits with 0 when the script ends, and prints each line and the end as JSON', async () => {
    const words = ['run', folder.write('fine.lua', 'print(1) warn(2)'), '--project', project, '--json']
    const { status, stdout } = await folder.run(words)
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect([status, lines]).toEqual([
      0,
      [{ kind: 'out', text: '1' }, { kind: 'warn', text: '2' }, { ended: 'by itself' }],
    ])
  })

  it('uses the options of scriptward.json, without replacing its script', async () => {
    const own = commandFolder(env)
    own.write('main.lua', 'print("of the folder")')
    await own.run(['init', '--project', project, '--set', 'preset=light'])
    const { script_id } = JSON.parse((await own.run(['push', '--json'])).stdout.trim())
    const before = await things()
    expect((await own.run(['run'])).stdout).toBe('of the folder\n')
    expect(await things()).toEqual(before)
    own.write('main.lua', 'print(')
    const refused = await own.run(['run'])
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringMatching(/^main\.lua: line 1/m)])
    own.remove()
    await owner.post(`/v1/scripts/${script_id}/remove`)
  })

  it('builds with the options of the next push, and with its own for this run only', async () => {
    const own = commandFolder(env)
    own.write('main.lua', 'print(1)')
    await own.run(['init', '--project', project, '--set', 'preset=light'])
    const { script_id } = JSON.parse((await own.run(['push', '--json'])).stdout.trim())
    await owner.post(`/v1/scripts/${script_id}/update`, {
      script: 'print(1)',
      options: { preset: 'light', target: 'luau', seed: 5 },
    })
    const options = async (...words: readonly string[]) => {
      own.write('main.lua', 'print("on") while true do task.wait() end')
      const running = own.start(['run', ...words])
      await expect.poll(() => running.out).toBe('on\n')
      const scripts = (await things())[1] as { id: string }[]
      const temporary = scripts.find(({ id }) => id !== script_id)
      const { body } = await owner.get(`/v1/scripts/${temporary?.id}`)
      running.child.kill('SIGINT')
      await running.ended
      return (body.script as { options: unknown }).options
    }
    expect(await options('--set', 'seed=7')).toEqual({ preset: 'light', seed: 7 })
    await own.run(['init', '--force', '--project', project, '--script', script_id])
    expect(await options('--set', 'seed=7')).toEqual({ preset: 'light', target: 'luau', seed: 7 })
    // Like a push, finds a script without an ID by its name.
    await own.run(['init', '--force', '--project', project])
    expect(await options('--set', 'seed=8')).toEqual({ preset: 'light', target: 'luau', seed: 8 })
    own.remove()
    await owner.post(`/v1/scripts/${script_id}/remove`)
  })

  it('reaches only the loader of its server', async () => {
    const source = `print(pcall(request, { Url = 'http://127.0.0.1:1/' }))
print(pcall(request, { Url = '/v1/me' }))
print(process, fetch, require, take, send, emit)`
    const words = ['run', folder.write('curious.lua', source), '--project', project]
    const lines = (await folder.run(words)).stdout.split('\n')
    for (const line of lines.slice(0, 2))
      expect(line).toMatch(/^false .*test runs can only reach this server's loader/)
    expect(lines[2]).toBe('nil nil nil nil nil nil')
  })

  it('removes script and key at Ctrl-C, even in an endless loop, and when its output is closed', async () => {
    const file = folder.write('forever.lua', 'print("on") while true do end')
    const running = folder.start(['run', file, '--project', project])
    await expect.poll(() => running.out).toBe('on\n')
    expect(await things()).not.toEqual(NOTHING)
    running.child.kill('SIGINT')
    expect(await running.ended).toBe(130)
    expect(await things()).toEqual(NOTHING)
    folder.write('talks.lua', 'while true do print(string.rep("x", 1000)) task.wait() end')
    const line = `scriptward run talks.lua --project ${project} | head -n 1 | wc -l; echo \${PIPESTATUS[0]}`
    expect((await inShell(folder, line, env())).stdout).toBe('1\n0\n')
    expect(await things()).toEqual(NOTHING)
  })

  it('removes script and key after Ctrl-C while the server is still creating them', async () => {
    const file = folder.write('slow.lua', `return {${'function() return 1 end,'.repeat(2000)}}`)
    const running = folder.start(['run', file, '--project', project, '--preset', 'strong'])
    await expect.poll(async () => (await things())[0]).not.toEqual([])
    running.child.kill('SIGINT')
    expect(await running.ended).toBe(130)
    expect(await things()).toEqual(NOTHING)
  })

  it('stops after the time of --for', async () => {
    const words = [
      'run',
      folder.write('ticks.lua', 'while true do task.wait() end'),
      '--local',
      '--for',
      '1s',
    ]
    expect(await folder.run(words)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('Stopped after the time limit'),
    })
  })

  it('shows line numbers of the protected script if the token lacks scripts:source', async () => {
    const scopes = ['scripts:write', 'users:write']
    const token = (await owner.post('/v1/tokens/new', { name: 'Narrow', scopes })).string('secret')
    const words = [
      'run',
      folder.write('broken.lua', '\n\nerror("no")'),
      '--project',
      project,
      '--preset',
      'light',
    ]
    const narrow = await folder.run(words, { SCRIPTWARD_TOKEN: token })
    expect([narrow.status, narrow.stderr]).toEqual([
      5,
      expect.stringMatching(/lacks the 'scripts:source' scope.*\nbroken\.lua:\d+: no\n$/),
    ])
    const issues = (await owner.post('/v1/tokens/new', { name: 'Shop', scopes: ['users:write'] })).string(
      'secret',
    )
    const refused = await folder.run(words, { SCRIPTWARD_TOKEN: issues })
    expect([refused.status, refused.stderr]).toEqual([3, expect.stringContaining("'scripts:write'")])
    expect(await things()).toEqual(NOTHING)
  })
})
