/** Tests `scriptward push --watch` as a separate process against a real server. */
import { beforeAll, describe, expect, it } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { type Owner, serverOn } from '../packages/server/test/harness.ts'
import { createOwner } from '../packages/server/test/nouns.ts'
import { commandFolder } from './command-line-scene.ts'

const { at } = serverOn(sqlite)
let owner: Owner
let project = ''
const env = () => ({ SCRIPTWARD_URL: at().url, SCRIPTWARD_TOKEN: owner.apiKey })

beforeAll(async () => {
  ;({ owner, project } = await createOwner(at()))
})

describe('push --watch', () => {
  it('pushes at every change, and continues after an error', async () => {
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

  it('updates the script that it created even if it is renamed, with the current options', async () => {
    const own = commandFolder(env)
    own.write('main.lua', 'print("one")')
    await own.run(['init', '--project', project, '--name', 'early'])
    const watching = own.start(['push', '--watch'])
    await expect.poll(() => watching.err).toMatch(/Watching main\.lua/)
    const [script = ''] = /scr_\w+/.exec(watching.out) ?? []
    await owner.post(`/v1/scripts/${script}/edit`, { name: 'late' })
    own.write('scriptward.json', '{')
    own.write('main.lua', 'print("two")')
    await expect.poll(() => watching.err).toContain('scriptward.json: not valid JSON')
    await expect.poll(() => watching.err.match(/Watching/g)?.length).toBe(2)
    const settings = { project, script, name: 'early', entry: 'main.lua', options: { preset: 'light' } }
    own.write('scriptward.json', JSON.stringify(settings))
    own.write('main.lua', 'print("three")')
    await expect.poll(() => watching.out).toMatch(new RegExp(`updated ${script}: version 2 .* preset light`))
    watching.child.kill('SIGINT')
    expect(await watching.ended).toBe(130)
    own.remove()
  })
})
