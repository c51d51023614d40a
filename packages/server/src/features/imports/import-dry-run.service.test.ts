/** A dry run returns the result that the import would have, and changes nothing. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { createOwner, createProject, createTier, createUser } from '../../../test/nouns.ts'
import { dump } from '../../../test/subjects.ts'

type Verdicts = { imported: number; skipped: number; skipped_entries: { index: number; reason: string }[] }

describe.each(anyEngine)('a dry run of an import on $name', (engine) => {
  const { at } = serverOn(engine)

  it('returns the results of the import and leaves users, webhooks and the audit log unchanged', async () => {
    const { owner, project } = await createOwner(at())
    await owner.post(`/v1/projects/${project}/edit`, { information_webhook: 'http://127.0.0.1:1/' })
    const taken = await createUser(owner, project, { chat_id: 'there' })
    const users = [
      { key: 'abc' },
      { key: taken },
      { chat: 'there' },
      ...Array.from({ length: 700 }, (_, i) => ({ key: `${project.slice(-8)}-${i}`, chat_id: `chat ${i}` })),
      { key: `${project.slice(-8)}-0` },
      { chat_id: 'chat 699' },
      { color: 'green' },
    ]
    const path = `/v1/projects/${project}/users/import`
    const before = await dump(at().deps.db.read)
    const { body: told } = await owner.post(path, { users, dry_run: true })
    expect(await dump(at().deps.db.read)).toBe(before)
    expect(told.skipped_entries).toEqual([
      { index: 0, type: 'invalid', reason: 'key: must be 4 to 512 printable ASCII characters' },
      { index: 1, type: 'key_taken', reason: 'key: is already taken' },
      {
        index: 2,
        type: 'chat_id_taken',
        reason: 'chat_id: is already linked to another user in the project',
      },
      { index: 703, type: 'key_taken', reason: 'key: is already taken' },
      {
        index: 704,
        type: 'chat_id_taken',
        reason: 'chat_id: is already linked to another user in the project',
      },
      { index: 705, type: 'invalid', reason: 'color: is not a known field' },
    ])
    const { body: done } = await owner.post(path, { users, dry_run: false })
    const { change_id, ...same } = done
    const samples = Array.from({ length: 10 }, (_, i) => ({
      ...{ index: 3 + i, user_key: users[3 + i]?.key, chat_id: `chat ${i}`, note: null, key_expires: null },
      ...{ executions: 0, blacklisted: false, paused: false },
    }))
    expect(told).toEqual({ ...same, places_left: null, fits: true, samples })
    expect(change_id).toMatch(/^chg_/)
    expect(done).toMatchObject({ imported: 700, skipped: 6 })
  })

  it('shows the entries with the expiry dates that the plan would give them', async () => {
    const { owner, project } = await createOwner(at())
    const plan = { name: 'Pro', clock: { basis: 'creation', duration: 1000 } }
    const plan_id = (await owner.post(`/v1/projects/${project}/plans/new`, plan)).string('plan_id')
    const key_expires = at().clock.now + 5000
    const body = { users: [{}, { key_expires }], plan_id, dry_run: true }
    const told = await owner.post(`/v1/projects/${project}/users/import`, body)
    expect(told.body.samples).toMatchObject([{ key_expires: at().clock.now + 1000 }, { key_expires }])
  })

  it('reports every invalid entry among a hundred thousand', async () => {
    const { owner, project } = await createOwner(at())
    const users = Array.from({ length: 100_000 }, (_, i) =>
      i % 100 === 7 ? { key: 'no' } : { key: `${project.slice(-8)}-${i}` },
    )
    const { body } = await owner.post(`/v1/projects/${project}/users/import`, { users, dry_run: true })
    const { skipped_entries, ...counts } = body as Verdicts
    expect(counts).toMatchObject({ imported: 99_000, skipped: 1000, fits: true })
    expect(skipped_entries.map(({ index }) => index)).toEqual(
      Array.from({ length: 1000 }, (_, i) => 100 * i + 7),
    )
  })

  it('reports the remaining capacity, and whether the entries exceed it', async () => {
    const tier = await createTier(at(), { max_users: 5 })
    const owner = await at().createCustomer({ tier })
    const project = await createProject(owner)
    await createUser(owner, project)
    const path = `/v1/projects/${project}/users/import`
    const dry = async (count: number) =>
      (await owner.post(path, { users: Array(count).fill({}), dry_run: true })).body
    expect(await dry(4)).toMatchObject({ imported: 4, places_left: 4, fits: true })
    expect(await dry(5)).toMatchObject({ imported: 5, places_left: 4, fits: false })
    const users = Array(5).fill({})
    expect((await owner.post(path, { users })).error.type).toBe('too_many_users_to_import')
    expect((await owner.post(path, { dry_run: true })).error.type).toBe('no_users_given')
    expect((await owner.post(path, { users, dry_run: 'yes' })).error.type).toBe('invalid_request')
    const old = await owner.post(`/projects/${project}/users/import`, { users, dry_run: true })
    expect(old.error.type).toBe('invalid_request')
  })
})
