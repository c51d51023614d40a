/**
 * Keys for several devices: which devices may run scripts, and how devices are bound, changed and released.
 */
import { describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { START } from '../../../test/harness.ts'
import { DAY, HOUR, shopOn } from '../../../test/plans/shop.ts'
import { component } from '../../../test/protocol/client.ts'

type Listed = {
  id: string
  name: string | null
  bound_at: number
  last_used_at: number
  components: object[]
}

/** A device with one strong component and several weak ones. */
const machine = (name: string, more: Readonly<Record<string, string>> = {}) => ({
  fp: { machine_id: component(name), hostname: component('one household'), ...more },
})

describe.each(engines)('devices on $name', (engine) => {
  const { at, scene, later, plan, edit, sell, user } = shopOn(engine)
  const run = (key: string, given: object) => scene().client.run(scene().scriptId, { key, ...given })
  const verdict = (key: string, given: object) => scene().client.verdict(scene().scriptId, { key, ...given })
  const listed = async (key: string) =>
    (await scene().owner.get(`/v1/users/${key}/devices`)).body.devices as Listed[]

  it('run at the same time up to the limit of their plan, and another one is denied', async () => {
    const key = await sell({ plan_id: await plan({ max_devices: 2 }) })
    for (const name of ['desk', 'lap', 'desk', 'lap'])
      expect(await verdict(key, machine(name))).toBe('granted')
    const { reply } = await run(key, machine('third'))
    expect(reply).toMatchObject({ ok: false, reason: 'fingerprint_mismatch', details: { can_reset: true } })
    expect(await user(key)).toMatchObject({ executions: 4, fingerprint_assigned: true })
    expect((await listed(key)).map(({ components }) => components.length)).toEqual([2, 2])
  })

  it('are limited to one per key by default', async () => {
    for (const members of [{}, { plan_id: await plan() }]) {
      const key = await sell(members)
      expect(await verdict(key, machine('desk'))).toBe('granted')
      expect(await verdict(key, machine('lap'))).toBe('fingerprint_mismatch')
    }
  })

  it('that arrive concurrently are bound up to the limit: exactly two of three', async () => {
    const id = await plan({ max_devices: 2 })
    for (let round = 0; round < 5; round += 1) {
      const key = await sell({ plan_id: id })
      const verdicts = await Promise.all(['a', 'b', 'c'].map((name) => verdict(key, machine(name))))
      expect(verdicts.sort()).toEqual(['fingerprint_mismatch', 'granted', 'granted'])
      expect(await listed(key)).toHaveLength(2)
    }
  })

  it('follow the limit and rule of their key instead of those of its plan, until they are cleared', async () => {
    const key = await sell({
      plan_id: await plan({ max_devices: 2, match: 'tolerant' }),
      max_devices: 1,
      match: 'strict',
    })
    expect(await user(key)).toMatchObject({ max_devices: 1, match: 'strict' })
    await run(key, machine('desk'))
    expect(await verdict(key, machine('lap'))).toBe('fingerprint_mismatch')
    const { body } = await scene().owner.post(`/v1/users/${key}/edit`, { max_devices: -1, match: 'plan' })
    expect(body).toEqual({ success: true, changed: [] })
    expect(await user(key)).toMatchObject({ max_devices: null, match: null })
    expect(await verdict(key, machine('lap'))).toBe('granted')
  })

  it('that are bound stay bound when their plan allows fewer, which accepts no new ones', async () => {
    const id = await plan({ max_devices: 3 })
    const key = await sell({ plan_id: id })
    for (const name of ['a', 'b', 'c']) await run(key, machine(name))
    await edit(id, { max_devices: 1 })
    expect(await verdict(key, machine('c'))).toBe('granted')
    expect(await verdict(key, machine('d'))).toBe('fingerprint_mismatch')
  })

  it('that change one component a day are still recognized, while their original values count as another device', async () => {
    const key = await sell({ plan_id: await plan({ match: 'tolerant' }) })
    const names = ['machine_id', 'gethwid', 'client_id', 'hostname', 'cpu', 'os_user']
    const first = Object.fromEntries(names.map((name) => [name, component(`first ${name}`)]))
    const now = { ...first }
    expect(await verdict(key, { fp: now })).toBe('granted')
    for (let day = 1; day <= 24; day += 1) {
      later(DAY)
      now[names[day % names.length] as string] = component(`day ${day}`)
      expect([day, await verdict(key, { fp: now })]).toEqual([day, 'granted'])
    }
    expect(await verdict(key, { fp: first })).toBe('fingerprint_mismatch')
  })

  it('do not match another device by one of its strong components', async () => {
    const full = machine('desk', {
      gethwid: component('board'),
      cpu: component('cpu'),
      os_user: component('me'),
    })
    const thief = machine('desk', {
      gethwid: component('other'),
      hostname: component('x'),
      cpu: component('y'),
    })
    for (const match of ['strict', 'tolerant']) {
      const key = await sell({ match })
      await run(key, full)
      expect([match, await verdict(key, thief)]).toEqual([match, 'fingerprint_mismatch'])
    }
  })

  it('appear in the unversioned API as the one used last, and are all released there', async () => {
    const key = await sell({ max_devices: 2 })
    await run(key, { ...machine('desk'), host: { executor: 'Desk', version: '', platform: '' } })
    later(1)
    await run(key, { ...machine('lap'), host: { executor: 'Lap', version: '', platform: '' } })
    const shown = async () => (await user(key)).service_fingerprint
    expect(await shown()).toMatch(/La\*\* -> executor$/)
    later(1)
    await run(key, { ...machine('desk'), host: { executor: 'Desk', version: '', platform: '' } })
    expect(await shown()).toMatch(/De\*\* -> executor$/)
    await scene().owner.post(`/users/${key}/reset`, { force: true })
    expect(await user(key)).toMatchObject({ fingerprint_assigned: false, service_fingerprint: '' })
    expect(await listed(key)).toEqual([])
    expect(await verdict(key, machine('third'))).toBe('granted')
  })

  it('are listed with the times of binding and last use, named, and removed one by one', async () => {
    const key = await sell({ max_devices: 2 })
    await run(key, machine('desk'))
    later(2 * HOUR)
    await run(key, machine('lap'))
    const [desk, lap] = await listed(key)
    expect(desk).toMatchObject({ name: null, bound_at: START, last_used_at: START, ip: '127.0.*.*' })
    expect(lap).toMatchObject({ bound_at: START + 2 * HOUR, last_used_at: START + 2 * HOUR })
    const { owner } = scene()
    const place = `/v1/users/${key}/devices/${desk?.id}`
    await owner.post(`${place}/name`, { name: ' Desk at home ' })
    expect((await listed(key))[0]).toMatchObject({ name: 'Desk at home' })
    expect((await owner.post(`${place}/remove`, { force: false })).status).toBe(200)
    expect((await listed(key)).map(({ id }) => id)).toEqual([lap?.id])
    expect(await user(key)).toMatchObject({ fingerprint_assigned: true, total_fingerprint_resets: 1 })
    expect((await owner.post(`${place}/remove`, { force: false })).error.type).toBe('not_found')
    await owner.post(`/v1/users/${key}/devices/${lap?.id}/remove`, { force: false })
    expect(await user(key)).toMatchObject({ fingerprint_assigned: false, service_fingerprint: '' })
  })

  it("of another user's key are not found, neither by its owner nor by a stranger", async () => {
    const [mine, other] = [await sell({ max_devices: 2 }), await sell({ max_devices: 2 })]
    await run(mine, machine('desk'))
    await run(other, machine('lap'))
    const [theirs] = await listed(other)
    const { owner } = scene()
    for (const [what, body] of [
      ['remove', { force: true }],
      ['name', { name: 'mine' }],
    ] as const)
      expect((await owner.post(`/v1/users/${mine}/devices/${theirs?.id}/${what}`, body)).error.type).toBe(
        'not_found',
      )
    const stranger = await at().createCustomer()
    const asked = await stranger.post(`/v1/users/${other}/devices/${theirs?.id}/remove`, { force: true })
    expect(asked.error.type).toBe('not_found')
    expect(await listed(other)).toEqual([theirs])
  })

  it('of other software are bound by checks that claim them, as many as the key allows', async () => {
    await scene().edit('projects', { allow_checks: 1 })
    const key = await sell({ max_devices: 2 })
    const check = async (name: string, claim: boolean) => {
      const body = {
        project_id: scene().projectId,
        key,
        fingerprint: component(name),
        nonce: 'n'.repeat(16),
        claim,
      }
      return (await at().client().post('/client/v1/check', body)).body
    }
    expect(await check('a', true)).toMatchObject({ success: true, bound: true })
    expect(await check('b', false)).toMatchObject({ success: true, bound: false })
    const claimed = await Promise.all(['b', 'c', 'd'].map((name) => check(name, true)))
    expect(claimed.map(({ success }) => success).sort()).toEqual([false, false, true])
    expect(await check('a', false)).toMatchObject({ success: true, bound: true })
    expect(await listed(key)).toHaveLength(2)
  })
})
