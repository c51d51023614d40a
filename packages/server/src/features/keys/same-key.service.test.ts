/** If two accounts each have a user with the same key, changing one user never affects the other. */
import { beforeEach, describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { Surfer } from '../../../test/pages/surfer.ts'
import { component, STRONG } from '../../../test/protocol/client.ts'
import { makeScene, type Scene } from '../../../test/protocol/scene.ts'

const OTHER = { fp: { [STRONG]: component('second machine') } }

describe.each(engines)('the same key in two accounts on $name', (engine) => {
  const { at } = serverOn(engine)
  let one: Scene
  let other: Scene
  let key: string
  beforeEach(async () => {
    one = await makeScene(at())
    other = await makeScene(at())
    key = `VIP-${one.projectId.slice(-12)}`
  })
  const importInto = (scene: Scene, entry: object = { key }) =>
    scene.owner.post(`/projects/${scene.projectId}/users/import`, { users: [entry] })
  const both = async () => {
    for (const scene of [one, other]) expect((await importInto(scene)).body).toMatchObject({ imported: 1 })
  }
  const userOf = async (scene: Scene) => (await scene.owner.get(`/v1/users/${key}`)).body.user
  const verdictOf = (scene: Scene, changes: object = {}) =>
    scene.client.verdict(scene.scriptId, { key, ...changes })

  it('returns the same import result whether or not another account has the key', async () => {
    const first = await importInto(one)
    const second = await importInto(other)
    expect(second.body).toEqual(first.body)
    expect((await importInto(one)).body).toMatchObject({
      imported: 0,
      skipped_entries: [{ index: 0, type: 'key_taken', reason: 'key: is already taken' }],
    })
  })

  it("finds only the account's own user", async () => {
    await both()
    expect(await userOf(one)).toMatchObject({ project_id: one.projectId })
    expect(await userOf(other)).toMatchObject({ project_id: other.projectId })
    const third = await makeScene(at())
    expect((await third.owner.get(`/users/${key}`)).status).toBe(404)
  })

  it('binds, counts, blacklists, resets and removes each user separately', async () => {
    await both()
    expect([await verdictOf(one), await verdictOf(other, OTHER)]).toEqual(['granted', 'granted'])
    expect([await verdictOf(one, OTHER), await verdictOf(other)]).toEqual([
      'fingerprint_mismatch',
      'fingerprint_mismatch',
    ])
    expect((await one.owner.post(`/users/${key}/blacklist`)).status).toBe(200)
    expect([await verdictOf(one), await verdictOf(other, OTHER)]).toEqual(['blacklisted', 'granted'])
    expect([await userOf(one), await userOf(other)]).toMatchObject([{ executions: 1 }, { executions: 2 }])
    const kicked = await at()
      .deps.db.read.selectFrom('instances')
      .select('kick')
      .where('project_id', '=', other.projectId)
      .where('kick', 'is not', null)
      .execute()
    expect(kicked).toEqual([])
    expect((await one.owner.post(`/users/${key}/remove`)).status).toBe(200)
    expect([await verdictOf(one), await verdictOf(other, OTHER)]).toEqual(['invalid_key', 'granted'])
    expect(await userOf(other)).toMatchObject({ fingerprint_assigned: true })
    const denials = (await other.owner.get(`/v1/users/${key}/denials`)).body.denials as unknown[]
    expect(denials).toHaveLength(1)
  })

  describe('/me', () => {
    const open = async (query: string) => {
      const surfer = new Surfer()
      await surfer.open(`${at().url}/me${query}`)
      return surfer
    }

    it('opens a key found in one account and asks for the project if several have it', async () => {
      await importInto(one)
      expect((await (await open('')).submit('name="key"', { key })).text).toContain('Active')
      await importInto(other)
      const surfer = await open('')
      const asked = await surfer.submit('name="key"', { key })
      expect(asked.status).toBe(409)
      expect(asked.text).toContain('enter the project ID with your key')
      expect(asked.text).not.toContain(one.projectId)
      const wrong = await surfer.submit('name="key"', { key, project: 'prj_wrong' })
      expect(wrong.text).toContain('recognize this key')
    })

    it('opens the key in the project named in the link', async () => {
      await both()
      await one.edit('projects', { name: 'Garden of one' })
      await other.edit('projects', { name: 'Garden of the other' })
      for (const [scene, name] of [
        [one, 'Garden of one'],
        [other, 'Garden of the other'],
      ] as const) {
        const surfer = await open(`?project=${scene.projectId}`)
        expect((await surfer.submit('name="key"', { key })).text).toContain(name)
        expect((await surfer.open(`${at().url}/me`)).text).toContain(name)
      }
    })
  })
})
