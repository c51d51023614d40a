/** Webhook events for keys that reach a limit: each limit at most once a day. */
import { beforeEach, describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { DAY, HOUR, shopOn } from '../../../test/plans/shop.ts'
import { component, STRONG } from '../../../test/protocol/client.ts'
import { rowsOf } from '../../../test/stored.ts'
import { openEvent } from '../webhooks/events/events.ts'

describe.each(anyEngine)('a key that reaches a limit on $name', (engine) => {
  const { at, scene, later, plan, edit, sell, play, verdict } = shopOn(engine)
  const hear = (information_webhook: string) =>
    scene().owner.post(`/v1/projects/${scene().projectId}/edit`, { information_webhook })
  const limit = (key: string, members: object) => scene().owner.post(`/v1/users/${key}/edit`, members)
  beforeEach(() => hear('https://hooks.example.com/limits'))

  const told = async () => {
    const rows = await rowsOf(
      at(),
      'outbox',
      { project_id: scene().projectId, type: 'user.limit_reached' },
      'seq',
    )
    return rows.map((row) => JSON.parse(openEvent(at().deps, row).data))
  }

  it('of its plan is reported once a day, no matter how often it is denied', async () => {
    const key = await sell({ plan_id: await plan({ quota: { count: 1, period: 'month' } }) })
    await play(key)
    expect(await told()).toEqual([])
    for (let i = 0; i < 3; i++) expect(await verdict(key)).toBe('quota_spent')
    expect(await told()).toMatchObject([
      { user: { key, executions: 1 }, actor: 'service', limit: 'quota', most: 1 },
    ])
    later(DAY)
    for (let i = 0; i < 2; i++) expect(await verdict(key)).toBe('quota_spent')
    expect(await told()).toHaveLength(2)
  })

  it('of its own is reported, separately for each limit', async () => {
    const key = await sell({})
    await limit(key, { max_executions: 1, max_instances: 1 })
    await play(key)
    expect(await verdict(key)).toBe('max_executions')
    await limit(key, { max_executions: 5 })
    expect(await verdict(key)).toBe('max_instances')
    expect(await told()).toMatchObject([
      { user: { key }, limit: 'max_executions', most: 1 },
      { user: { key }, limit: 'max_instances', most: 1 },
    ])
  })

  it('of several devices is reported', async () => {
    const id = await plan({ max_devices: 2 })
    const [key, single] = [await sell({ plan_id: id }), await sell({})]
    const on = (user: string, n: number) =>
      scene().client.verdict(scene().scriptId, { key: user, fp: { [STRONG]: component(`machine ${n}`) } })
    for (const n of [1, 2]) expect(await on(key, n)).toBe('granted')
    expect(await on(key, 3)).toBe('fingerprint_mismatch')
    expect(await on(single, 1)).toBe('granted')
    expect(await on(single, 2)).toBe('fingerprint_mismatch')
    expect(await told()).toMatchObject([{ user: { key }, limit: 'max_devices', most: 2 }])
    await edit(id, { max_devices: 3 })
    later(HOUR)
    expect(await on(key, 3)).toBe('granted')
  })

  it('is not recorded if no endpoint subscribes', async () => {
    await hear('')
    const key = await sell({})
    await limit(key, { max_executions: 1 })
    await play(key)
    expect(await verdict(key)).toBe('max_executions')
    const noted = at()
      .deps.db.read.selectFrom('limit_notices')
      .innerJoin('users', 'users.seq', 'limit_notices.user_seq')
      .select('limit_notices.kind')
      .where('users.key', '=', key)
    expect(await noted.execute()).toEqual([])
    await hear('https://hooks.example.com/limits')
    expect(await verdict(key)).toBe('max_executions')
    expect(await told()).toHaveLength(1)
  })
})
