/**
 * Shared keys: how uses from many networks are counted, reported and stored, and when this data is deleted.
 */
import type { Hello } from '@scriptward/client/messages'
import { beforeEach, describe, expect, it } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { START, serverOn } from '../../../../test/harness.ts'
import { readUser } from '../../../../test/nouns.ts'
import { component, STRONG } from '../../../../test/protocol/client.ts'
import { makeScene, type Scene } from '../../../../test/protocol/scene.ts'
import { rowsOf } from '../../../../test/stored.ts'
import { prune } from '../../../jobs/prune.ts'
import { openEvent } from '../../webhooks/events/events.ts'
import { writeKeyUses } from './sharing.ts'

const DAY_MS = 86_400_000
const from = (network: number) => ({ 'x-forwarded-for': `198.51.${network}.7` })
const deviceNumber = (n: number): Partial<Hello> => ({ fp: { [STRONG]: component(`machine ${n}`) } })

describe.each(anyEngine)('a shared key on $name', (engine) => {
  const { at } = serverOn(engine, { config: { trustProxy: ['127.0.0.1'] } })
  let scene: Scene
  beforeEach(async () => {
    at().clock.now = START
    scene = await makeScene(at())
  })

  const visit = async (key: string, networks: number, first = 1) => {
    for (let i = first; i < first + networks; i++) await scene.client.run(scene.scriptId, { key }, from(i))
    await writeKeyUses(at().deps)
  }
  const sharing = async (key: string) => {
    const { shared, networks, refused_devices } = await readUser(scene.owner, key)
    return { shared, networks, refused_devices }
  }
  const events = async () => {
    const rows = await rowsOf(at(), 'outbox', { project_id: scene.projectId, type: 'user.shared' }, 'seq')
    return rows.map((row) => JSON.parse(openEvent(at().deps, row).data))
  }
  const keysOf = async (query: string) => {
    const { body } = await scene.owner.get(`/v1/projects/${scene.projectId}/users/filter?${query}`)
    return (body.users as { key: string }[]).map(({ key }) => key)
  }
  const setThreshold = (share_threshold: number) =>
    scene.owner.post(`/v1/projects/${scene.projectId}/edit`, { share_threshold })
  const pruneAll = async () => {
    while (await prune(at().deps, at().deps.now).run(new AbortController().signal));
  }

  it("is detected when its networks exceed the project's threshold", async () => {
    const key = await scene.addUser()
    await visit(key, 6)
    expect(await sharing(key)).toEqual({ shared: false, networks: 6, refused_devices: 0 })
    await visit(key, 1, 7)
    expect(await sharing(key)).toEqual({ shared: true, networks: 7, refused_devices: 0 })
    await visit(key, 7)
    expect(await sharing(key)).toMatchObject({ networks: 7 })
  })

  it('counts the devices and networks where it was denied', async () => {
    const key = await scene.addUser()
    await visit(key, 1)
    for (const n of [2, 3, 2])
      expect(await scene.client.verdict(scene.scriptId, { key, ...deviceNumber(n) }, from(n))).toBe(
        'fingerprint_mismatch',
      )
    await writeKeyUses(at().deps)
    expect(await sharing(key)).toEqual({ shared: false, networks: 3, refused_devices: 2 })
  })

  it('is reported once a day', async () => {
    await scene.owner.post(`/v1/projects/${scene.projectId}/edit`, {
      blacklist_webhook: 'https://hooks.example.com/shared',
    })
    const key = await scene.addUser({ note: 'mine' })
    await visit(key, 7)
    await visit(key, 2, 8)
    expect(await events()).toMatchObject([
      {
        user: { key, note: 'mine' },
        actor: 'service',
        networks: 7,
        refused_devices: 0,
        threshold: 6,
        simultaneous: false,
      },
    ])
    at().clock.now += DAY_MS
    await visit(key, 1)
    expect(await events()).toHaveLength(2)
  })

  it('is found by a filter, in both orders and combined with other filters', async () => {
    const keys = [
      await scene.addUser({ note: 'a' }),
      await scene.addUser(),
      await scene.addUser({ note: 'b' }),
    ]
    for (const key of keys) await visit(key, 3)
    const calm = await scene.addUser()
    await visit(calm, 2)
    expect(await keysOf('shared=true')).toEqual([])
    await setThreshold(2)
    expect(await keysOf('shared=true')).toEqual(keys)
    expect(await keysOf('shared=true&order=newest&limit=2')).toEqual([keys[2], keys[1]])
    expect(await keysOf('shared=true&note=b')).toEqual([keys[2]])
    expect(await keysOf('shared=true&status=active')).toEqual(keys)
    expect(await keysOf('shared=true&status=expired')).toEqual([])
    expect(await keysOf('shared=false')).toEqual([calm])
    const list = (await scene.owner.get(`/v1/projects/${scene.projectId}/users`)).body.users
    expect((list as { shared: boolean }[]).map(({ shared }) => shared)).toEqual([true, true, true, false])
  })

  it('is not detected in a project that disabled detection', async () => {
    await setThreshold(0)
    const key = await scene.addUser()
    await visit(key, 8)
    expect([await sharing(key), await keysOf('shared=true'), await events()]).toEqual([
      { shared: false, networks: 8, refused_devices: 0 },
      [],
      [],
    ])
    expect((await setThreshold(33)).status).toBe(400)
    expect((await setThreshold(-1)).status).toBe(400)
    expect((await setThreshold(1.5)).status).toBe(400)
  })

  it('is stored as a limited number of salted hashes', async () => {
    const [key, other] = [await scene.addUser(), await scene.addUser()]
    await visit(other, 1)
    for (let i = 1; i < 60; i += 6) await visit(key, 6, i)
    const marks = await rowsOf(at(), 'user_network_marks')
    const { networks } = await sharing(key)
    expect(networks).toBeGreaterThanOrEqual(40)
    expect(networks).toBeLessThan(48)
    expect(new Set(marks.map(({ hash }) => hash)).size).toBe(marks.length)
    for (const { hash } of marks) expect(hash).toMatch(/^[0-9a-f]{16}$/)
  })

  it('is forgotten after seven days, and its last network after thirty', async () => {
    const key = await scene.addUser()
    await visit(key, 7)
    at().clock.now += 6 * DAY_MS
    await visit(key, 1)
    at().clock.now += DAY_MS + 1
    await pruneAll()
    expect(await sharing(key)).toMatchObject({ shared: false, networks: 1 })
    const left = () => rowsOf(at(), 'user_networks', { project_id: scene.projectId })
    expect(await left()).toMatchObject([{ network: '4c6330100' }])
    at().clock.now += 30 * DAY_MS
    await pruneAll()
    expect(await left()).toEqual([])
    expect(await sharing(key)).toEqual({ shared: false, networks: 0, refused_devices: 0 })
  })

  it('that has been removed is skipped and loses its counts', async () => {
    const [key, other] = [await scene.addUser(), await scene.addUser()]
    await visit(key, 2)
    for (const one of [key, other]) await scene.client.run(scene.scriptId, { key: one }, from(9))
    await scene.owner.post(`/v1/users/${key}/remove`)
    await writeKeyUses(at().deps)
    const rows = await rowsOf(at(), 'user_networks', { project_id: scene.projectId })
    expect(rows).toMatchObject([{ networks: 1 }])
    expect(await sharing(other)).toMatchObject({ networks: 1 })
  })

  it('has its counts written the next time if writing them fails', async () => {
    const key = await scene.addUser()
    await scene.client.run(scene.scriptId, { key }, from(1))
    const broken = { ...at().deps.db, transaction: () => Promise.reject(new Error('no database')) }
    await expect(writeKeyUses({ ...at().deps, db: broken })).rejects.toThrow('no database')
    await writeKeyUses(at().deps)
    expect(await sharing(key)).toMatchObject({ networks: 1 })
  })
})
