/** Ad systems: their fields, custom URLs and tier limits. */
import { describe, expect, test } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { type Owner, START, serverOn } from '../../../../test/harness.ts'
import { createOwner, createProject, expire, readAccount } from '../../../../test/nouns.ts'
import { CHECKPOINT, furnish } from '../../../../test/subjects.ts'

const DAY_MS = 86_400_000

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine)

  async function systemOf(members: object = {}): Promise<{ owner: Owner; project: string; id: string }> {
    const { owner, project } = await createOwner(at())
    return { owner, project, id: await create(owner, project, members) }
  }
  async function create(owner: Owner, project_id: string, members: object = {}): Promise<string> {
    return (await owner.post('/v1/adsystems/new', { project_id, name: 'Ads', ...members })).string(
      'system_id',
    )
  }
  const read = async (owner: Owner, id: string) => (await owner.get(`/v1/adsystems/${id}`)).body.system

  test('a new system has the defaults of the interface', async () => {
    const { owner, project, id } = await systemOf({ name: '  Free keys ', max_keys: null })
    expect(id).toMatch(/^sys_/)
    expect((await owner.get(`/v1/adsystems/${id}`)).body).toEqual({
      success: true,
      system: {
        ...{
          id,
          project_id: project,
          name: 'Free keys',
          url: null,
          page_url: expect.stringMatching(`/ads/${id}$`),
        },
        ...{ key_duration: DAY_MS, max_keys: 1, allow_extending: true, max_duration: 7 * DAY_MS },
        ...{ created_at: START, total_checkpoints: 0, total_keys: 0, total_completions: 0 },
      },
    })
  })

  test('a new system stores the given fields', async () => {
    const members = { key_duration: 5, max_keys: 100, allow_extending: false, max_duration: 5 }
    const { owner, id } = await systemOf(members)
    expect(await read(owner, id)).toMatchObject(members)
  })

  test.each([
    { members: { key_duration: 0 }, type: 'invalid_durations' },
    { members: { key_duration: 8 * DAY_MS }, type: 'invalid_durations' },
    { members: { max_duration: DAY_MS - 1 }, type: 'invalid_durations' },
    { members: { key_duration: -1 }, type: 'invalid_request' },
    { members: { max_keys: 0 }, type: 'invalid_request' },
    { members: { max_keys: 101 }, type: 'invalid_request' },
    { members: { name: ' ' }, type: 'invalid_request' },
    { members: { project_id: 'prj_none' }, type: 'not_found' },
  ])('$members is rejected as $type', async ({ members, type }) => {
    const { owner, project } = await systemOf()
    const { error } = await owner.post('/v1/adsystems/new', { project_id: project, name: 'x', ...members })
    expect(error.type).toBe(type)
  })

  test('a system cannot be created in, or moved to, a project of another account', async () => {
    const { owner, id } = await systemOf()
    const { project_id } = (await furnish(at())).ids
    expect((await owner.post('/v1/adsystems/new', { project_id, name: 'x' })).status).toBe(404)
    expect((await owner.post(`/v1/adsystems/${id}/edit`, { project_id })).status).toBe(404)
  })

  test('systems are listed across all projects, in order, in pages', async () => {
    const { owner, project, id } = await systemOf()
    await furnish(at())
    const all = [
      id,
      await create(owner, await createProject(owner), { name: 'B' }),
      await create(owner, project),
    ]
    const list = async (query = '') => {
      const { body } = await owner.get(`/v1/adsystems${query}`)
      return [(body.systems as { id: string }[]).map((one) => one.id), body.total]
    }
    expect(await list()).toEqual([all, 3])
    expect(await list('?from=1&limit=1')).toEqual([[all[1]], 3])
    expect((await owner.get('/v1/adsystems?limit=1')).body.systems).toEqual([await read(owner, id)])
  })

  describe('POST /v1/adsystems/:system_id/edit', () => {
    test('changes the given fields and leaves the rest', async () => {
      const { owner, id } = await systemOf()
      const before = await read(owner, id)
      const project_id = await createProject(owner)
      const members = { project_id, name: ' New ', max_keys: 5, allow_extending: false, max_duration: null }
      expect((await owner.post(`/v1/adsystems/${id}/edit`, members)).body).toEqual({ success: true })
      const changed = { project_id, name: 'New', max_keys: 5, allow_extending: false }
      expect(await read(owner, id)).toEqual({ ...(before as object), ...changed })
    })

    test('validates both durations together, no matter which one is edited', async () => {
      const { owner, id } = await systemOf({ key_duration: 10, max_duration: 20 })
      const edit = async (members: object) => (await owner.post(`/v1/adsystems/${id}/edit`, members)).error
      expect(await edit({ key_duration: 21 })).toMatchObject({ code: 2 })
      expect(await edit({ max_duration: 9 })).toMatchObject({ code: 2 })
      expect(await edit({ key_duration: 30, max_duration: 30 })).toEqual({})
      expect(await read(owner, id)).toMatchObject({ key_duration: 30, max_duration: 30 })
    })

    test('reports an expired account before a missing system', async () => {
      const { owner, id } = await systemOf()
      const edit = async (members: object) => (await owner.post(`/v1/adsystems/${id}/edit`, members)).error
      expect(await edit({})).toMatchObject({ code: 1 })
      await expire(at(), owner.id)
      expect(await edit({})).toMatchObject({ code: 0 })
    })
  })

  describe('POST /v1/adsystems/:system_id/url', () => {
    const unique = (owner: Owner) => owner.id.slice(-10)

    test('sets, changes and removes the custom URL', async () => {
      const { owner, id } = await systemOf()
      const set = (body?: object) => owner.post(`/v1/adsystems/${id}/url`, body)
      const name = `My-${unique(owner)}`
      expect((await set({ url: name })).body).toEqual({ success: true })
      expect(await read(owner, id)).toMatchObject({ url: name })
      for (const unchanged of [undefined, {}, { url: null }, { url: name }]) {
        expect((await set(unchanged)).status).toBe(200)
        expect(await read(owner, id)).toMatchObject({ url: name })
      }
      await set({ url: name.toUpperCase() })
      expect(await read(owner, id)).toMatchObject({ url: name.toUpperCase() })
      await set({ url: '' })
      expect(await read(owner, id)).toMatchObject({ url: null })
    })

    test.each([
      ...['ab', 'a'.repeat(33), 'a_b', 'a b', 'ä-ö-ü', 'a/b', 'abc\n', '../x'],
      ...['verify', 'PostBack', 'go-', 'state', 'claim', 'assets', 'health'].filter((word) => word !== 'go-'),
    ])('rejects the name %j', async (url) => {
      const { owner, id } = await systemOf()
      const { error } = await owner.post(`/v1/adsystems/${id}/url`, { url })
      expect(error).toMatchObject({ code: 1, type: 'invalid_url' })
    })

    test('gives a name to only one of many concurrent requests, ignoring case', async () => {
      const systems = await Promise.all(Array.from({ length: 4 }, () => systemOf()))
      const name = `Race-${unique((systems[0] as { owner: Owner }).owner)}`
      const answers = await Promise.all(
        systems.map(({ owner, id }, i) =>
          owner.post(`/v1/adsystems/${id}/url`, { url: i % 2 ? name.toUpperCase() : name }),
        ),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    })

    test('frees the name of a removed system', async () => {
      const first = await systemOf()
      const url = `Free-${unique(first.owner)}`
      await first.owner.post(`/v1/adsystems/${first.id}/url`, { url })
      await first.owner.post(`/v1/adsystems/${first.id}/remove`)
      const second = await systemOf()
      expect((await second.owner.post(`/v1/adsystems/${second.id}/url`, { url })).status).toBe(200)
    })
  })

  test('removing a system removes its checkpoints and prepared ones, also on an expired account', async () => {
    const { owner, ids } = await furnish(at())
    await owner.post(`/v1/adsystems/${ids.system_id}/checkpoints/prepare`)
    await expire(at(), owner.id)
    expect((await owner.post(`/v1/adsystems/${ids.system_id}/remove`)).body).toEqual({ success: true })
    expect((await owner.get(`/v1/adcheckpoints/${ids.checkpoint_id}`)).status).toBe(404)
    expect(await readAccount(owner)).toMatchObject({ total_systems: 0, total_checkpoints: 0 })
  })

  test('removing a project removes its systems', async () => {
    const { owner, ids } = await furnish(at())
    await owner.post(`/projects/${ids.project_id}/remove`)
    expect((await owner.get(`/v1/adsystems/${ids.system_id}`)).status).toBe(404)
    expect((await owner.get('/v1/adsystems')).body).toEqual({
      success: true,
      systems: [],
      total: 0,
      next: null,
    })
  })

  test('a system includes the number of its checkpoints', async () => {
    const { owner, ids } = await furnish(at())
    await owner.post(`/adsystems/${ids.system_id}/checkpoints/prepare`)
    await owner.post(`/v1/adsystems/${ids.system_id}/checkpoints/new`, CHECKPOINT)
    expect(await read(owner, ids.system_id ?? '')).toMatchObject({ total_checkpoints: 2 })
    expect(await readAccount(owner)).toMatchObject({ total_systems: 1, total_checkpoints: 2 })
  })
})
