/**
 * Scripts' places and games: each belongs to one script of a project, even if several scripts are edited at
 * the same time.
 */
import { describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { type Owner, serverOn } from '../../../test/harness.ts'
import { createOwner, createScript } from '../../../test/nouns.ts'
import { rowsOf } from '../../../test/stored.ts'

describe.each(engines)('places and games on $name', (engine) => {
  const { at } = serverOn(engine)

  async function twoScripts() {
    const { owner, project } = await createOwner(at())
    const farm = await createScript(owner, project, { name: 'Farm' })
    return { owner, project, farm, race: await createScript(owner, project, { name: 'Race' }) }
  }
  const edit = (owner: Owner, id: string, members: object) => owner.post(`/v1/scripts/${id}/edit`, members)
  const read = async (owner: Owner, id: string) => {
    const { places, games } = (await owner.get(`/v1/scripts/${id}`)).body.script as Targets
    return { places, games }
  }
  type Targets = { readonly places: string[]; readonly games: string[] }

  it('are stored as strings, without duplicates, and each list is replaced on its own', async () => {
    const { owner, farm } = await twoScripts()
    expect(await read(owner, farm)).toEqual({ places: [], games: [] })
    const sent = { places: ['99999999999999999999', 920_587_237, '920587237', 5], games: ['any', 7] }
    expect((await edit(owner, farm, sent)).body).toEqual({ success: true })
    const stored = { places: ['5', '920587237', '99999999999999999999'], games: ['7', 'any'] }
    expect(await read(owner, farm)).toEqual(stored)
    await edit(owner, farm, { games: [] })
    expect(await read(owner, farm)).toEqual({ ...stored, games: [] })
    await edit(owner, farm, { name: 'Farm 2', places: null })
    expect(await read(owner, farm)).toEqual({ ...stored, games: [] })
  })

  it('are rejected if another script of the project has one of them, and then nothing changes', async () => {
    const { owner, farm, race } = await twoScripts()
    await edit(owner, farm, { places: [1, 2], games: ['any', 3] })
    const refused = async (members: object) => (await edit(owner, race, members)).error
    const has = `"Farm" (${farm}) already has. Remove it there first`
    for (const [members, field, words] of [
      [{ name: 'Other', places: [9, 2] }, 'places', `contains 2, which ${has}`],
      [{ games: [4, 3] }, 'games', `contains 3, which ${has}`],
      [{ places: [9], games: ['any'] }, 'games', `contains any, but "Farm" (${farm}) is already`],
    ] as const)
      expect(await refused(members)).toMatchObject({
        ...{ type: 'invalid_request', code: -1 },
        failed: [{ field, errors: [expect.stringContaining(words)] }],
      })
    expect(await read(owner, race)).toEqual({ places: [], games: [] })
    expect((await owner.get(`/v1/scripts/${race}`)).body.script).toMatchObject({ name: 'Race' })
    // A place and a game can have the same number.
    expect((await edit(owner, race, { places: [3], games: [1] })).status).toBe(200)
  })

  it('are at most 200 per script, and only decimal IDs', async () => {
    const { owner, farm } = await twoScripts()
    const ids = Array.from({ length: 200 }, (_, i) => i + 1)
    expect((await edit(owner, farm, { places: ids.slice(0, 150), games: ids.slice(0, 50) })).status).toBe(200)
    const full = await edit(owner, farm, { places: ids.slice(0, 151) })
    expect(full.error.failed).toEqual([
      { field: 'places', errors: ['must have at most 200 IDs, including those in games'] },
    ])
    expect((await edit(owner, farm, { places: ids, games: [] })).status).toBe(200)
    for (const bad of [0, -1, 1.5, 2 ** 53, '', '0', '007', ' 1', 'any', '1e3', '9'.repeat(21), null, true])
      expect([bad, (await edit(owner, farm, { places: [bad] })).error?.type]).toEqual([
        bad,
        'invalid_request',
      ])
    expect((await edit(owner, farm, { games: ['ANY'] })).status).toBe(400)
    expect((await edit(owner, farm, { places: [...ids, 201] })).status).toBe(400)
    expect((await edit(owner, farm, { places: 5 })).status).toBe(400)
    expect((await read(owner, farm)).places).toHaveLength(200)
    expect((await owner.post(`/scripts/${farm}/edit`, { places: [1] })).status).toBe(400)
  })

  it('go to one script if several claim them at once', async () => {
    const { owner, project } = await createOwner(at())
    const scripts = await Promise.all(Array.from({ length: 4 }, () => createScript(owner, project)))
    for (const members of [{ places: [1, 2] }, { games: ['any'] }]) {
      const answers = await Promise.all(scripts.map((id) => edit(owner, id, members)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
    }
    const [a = '', b = ''] = scripts
    // Each script takes the ID that the other one gives up. Neither edit waits forever, and no ID is lost or
    // duplicated.
    for (let i = 10; i < 20; i += 2) {
      at().clock.now += 60_000
      await edit(owner, a, { places: [i] })
      await edit(owner, b, { places: [i + 1] })
      const swap = [edit(owner, a, { places: [i + 1] }), edit(owner, b, { places: [i] })]
      expect((await Promise.all(swap)).map(({ status }) => status)).toEqual([400, 400])
    }
  })

  it('become free when their script is removed, and return with it unless they are taken', async () => {
    const { owner, project, farm, race } = await twoScripts()
    await edit(owner, farm, { places: [1, 2], games: ['any'] })
    const removed = (await owner.post(`/v1/scripts/${farm}/remove`)).string('change_id')
    expect(await rowsOf(at(), 'hub_targets', { project_id: project })).toEqual([])
    expect((await edit(owner, race, { places: [2], games: ['any'] })).status).toBe(200)
    expect((await owner.post(`/v1/changes/${removed}/undo`)).status).toBe(200)
    expect(await read(owner, farm)).toEqual({ places: ['1'], games: [] })
    expect(await read(owner, race)).toEqual({ places: ['2'], games: ['any'] })
  })

  it('are restored with a removed project', async () => {
    const { owner, project, farm } = await twoScripts()
    await edit(owner, farm, { places: [1], games: ['any'] })
    const removed = (await owner.post(`/v1/projects/${project}/remove`)).string('change_id')
    expect((await owner.post(`/v1/changes/${removed}/undo`)).status).toBe(200)
    expect(await read(owner, farm)).toEqual({ places: ['1'], games: ['any'] })
  })

  it('are in the audit log with the lists before', async () => {
    const { owner, farm } = await twoScripts()
    await edit(owner, farm, { places: ['1'] })
    await edit(owner, farm, { places: ['1', '2'] })
    const { entries } = (await owner.get('/v1/audit?action=v1.scripts.edit')).body as { entries: object[] }
    expect(entries[0]).toMatchObject({ changes: { places: { before: ['1'], after: ['1', '2'] } } })
  })
})
