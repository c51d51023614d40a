/**
 * Tests `scriptward ads` with providers that run on this machine: creating a system from a file, its links,
 * its daily figures and its test.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TOKEN_B } from '../packages/server/test/ads/providers.ts'
import { createSystem, newVisitor, passAll, sceneOn } from '../packages/server/test/ads/scene.ts'
import { sqlite } from '../packages/server/test/databases.ts'
import type { Owner } from '../packages/server/test/harness.ts'
import { createProject } from '../packages/server/test/nouns.ts'
import { commandFolder, type Folder } from './command-line-scene.ts'

const scene = sceneOn(sqlite)
let owner: Owner
let project = ''
let folder: Folder

beforeAll(async () => {
  const { server } = scene()
  owner = await server.createCustomer()
  project = await createProject(owner)
  folder = commandFolder(() => ({ SCRIPTWARD_URL: server.url, SCRIPTWARD_TOKEN: owner.apiKey }))
})
afterAll(() => folder?.remove())

const run = (...words: string[]) => folder.run(['ads', ...words])
const write = (members: object) => folder.write('ads.json', JSON.stringify(members))

describe('scriptward ads', () => {
  it('creates a system from a file, with a link by the API of the provider and one of the author', async () => {
    expect((await run('list', '--project', project)).stderr).toContain("'scriptward ads add ads.json'")
    const { providers } = scene()
    const secret = { api_token: TOKEN_B, unsigned_postbacks: true }
    const url = `${providers.url}/c/mine`
    write({
      ...{ name: 'Free keys', key_duration: '1d', url: 'command-line' },
      checkpoints: [
        { name: 'First', provider: 'provider_b', provider_data: secret, value_per_thousand: 450 },
        { name: 'Second', provider: 'provider_c', provider_data: { link_id: 'mine' }, url },
      ],
    })
    const made = await run('add', 'ads.json', '--project', project)
    const id = made.stdout.trim()
    expect([made.status, id]).toEqual([0, expect.stringMatching(/^sys_/)])
    expect(made.stderr).toContain('/ads/command-line. Test it with')
    const { system } = (await owner.get(`/v1/adsystems/${id}`)).body
    expect(system).toMatchObject({ name: 'Free keys', key_duration: 86_400_000, total_checkpoints: 2 })
    expect(providers.links).toHaveLength(1)
    const links = (await run('links', id)).stdout.trim().split('\n')
    expect(links[0]).toMatch(/^chk_\w+\tFirst\t.*\/ads\/verify\/[\w-]+\t.*\/ads\/postback\/[\w-]+$/)
    expect(links[1]).toContain(`\t${url}\t`)
    expect((await run('list', '--project', project)).stdout).toMatch(
      new RegExp(`^${id}\tFree keys\t2\t0\t0\t.*/ads/command-line\n$`),
    )
    expect((await run('remove', id, '--yes')).stdout).toBe(`removed ${id}\n`)
  })

  it('leaves no system behind if a checkpoint is rejected, and names what is wrong with a file', async () => {
    const add = () => run('add', 'ads.json', '--project', project)
    write({
      name: 'Broken',
      checkpoints: [{ name: 'One', provider: 'provider_c', provider_data: {}, url: 'x' }],
    })
    expect((await add()).status).toBe(2)
    expect((await run('list', '--project', project)).stdout).toBe('')
    write({ name: 'Broken', checkpoints: [{ provider: 'nobody' }] })
    expect(await add()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("Unknown provider 'nobody'"),
    })
    for (const [text, words] of [
      ['{', 'not valid JSON'],
      ['[]', 'must be a JSON object'],
      ['{}', '"name" is missing'],
      ['{"name":"x","checkpoints":{}}', '"checkpoints" must be an array'],
    ] as const) {
      folder.write('ads.json', text)
      expect(await add()).toMatchObject({ status: 1, stderr: expect.stringContaining(words) })
    }
  })

  it('shows the value and the bypass share of each day and provider, and tests the system', async () => {
    const paid = { style: 'c', changes: { value_per_thousand: 450_000 } } as const
    const system = await createSystem(scene(), [paid], {}, { owner, project })
    await passAll(scene(), system, newVisitor())
    const day = new Date(scene().server.clock.now).toISOString().slice(0, 10)
    const since = `${Math.ceil(Math.abs(Date.now() - scene().server.clock.now) / 86_400_000) + 1}d`
    const days = await run('days', system.id, '--since', since)
    expect(days.stdout).toMatch(new RegExp(`^${day}\t.*\t1\t1\t0\t0 \\(0%\\)\t4\\.50\n$`))
    const tested = await run('test', system.id)
    expect([tested.status, tested.stdout]).toEqual([0, expect.stringContaining('Step c\tlink\tpassed')])
  })
})
