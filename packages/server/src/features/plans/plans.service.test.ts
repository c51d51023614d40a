/**
 * Tests how plans give their keys grace periods, quotas, limits, scripts and features, and how keys follow
 * changes to their plan.
 */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { START } from '../../../test/harness.ts'
import { createOwner } from '../../../test/nouns.ts'
import { DAY, HOUR, shopOn } from '../../../test/plans/shop.ts'

describe.each(anyEngine)('plans on $name', (engine) => {
  const { at, scene, later, plan, edit, sell, user, play, verdict } = shopOn(engine)

  describe('can be created, read, edited and removed', () => {
    it('with every field exactly as given', async () => {
      const members = {
        clock: { basis: 'first_use', duration: 30 * DAY },
        grace: DAY,
        max_instances: 2,
        max_executions: 100,
        quota: { count: 10, period: 'week' },
        scripts: [scene().scriptId],
        max_devices: 3,
        match: 'tolerant',
        max_resets: { count: 2, period: 30 * DAY },
        after_expiry: 'keep_version',
        resellable: true,
        chat_role_id: '301245678901234571',
        features: { turbo: true, slots: 3, tone: 'blue' },
      }
      const id = await plan(members)
      const shown = {
        id,
        project_id: scene().projectId,
        name: 'Pro',
        ...members,
        created_at: START,
        users: 0,
      }
      expect((await scene().owner.get(`/v1/plans/${id}`)).body.plan).toEqual(shown)
      await sell({ plan_id: id })
      const { body } = await scene().owner.get(`/v1/projects/${scene().projectId}/plans`)
      expect(body.plans).toEqual([{ ...shown, users: 1 }])
    })

    it('with their scripts, even after one of these was removed', async () => {
      const { owner, projectId, scriptId } = scene()
      const made = await owner.post(`/projects/${projectId}/scripts/new`, { name: 'Old', script: 'print(1)' })
      const old = made.string('script_id')
      const id = await plan({ scripts: [old] })
      expect((await owner.post(`/scripts/${old}/remove`, {})).status).toBe(200)
      const scripts = [old, scriptId]
      expect((await owner.post(`/v1/plans/${id}/edit`, { scripts })).status).toBe(200)
      expect((await owner.get(`/v1/plans/${id}`)).body.plan).toMatchObject({ scripts })
      const other = await owner.post(`/v1/projects/${projectId}/plans/new`, { name: 'Other', scripts })
      expect(other.error?.type).toBe('invalid_request')
    })

    it('with only a name, which means no expiry and no limits', async () => {
      const { body } = await scene().owner.get(`/v1/plans/${await plan()}`)
      expect(body.plan).toMatchObject({
        clock: { basis: 'creation', duration: null },
        ...{ grace: 0, max_instances: null, max_executions: null, quota: null, scripts: null, features: {} },
        ...{ max_devices: 1, match: 'strict', max_resets: null, after_expiry: 'deny', resellable: false },
        chat_role_id: null,
      })
    })

    it('one field at a time, with null removing a limit', async () => {
      const id = await plan({
        quota: { count: 1, period: 'day' },
        max_instances: 3,
        scripts: [scene().scriptId],
        chat_role_id: '301245678901234571',
      })
      await edit(id, { quota: null, max_instances: null, scripts: null, chat_role_id: null, name: ' Max ' })
      const { body } = await scene().owner.get(`/v1/plans/${id}`)
      expect(body.plan).toMatchObject({
        ...{ name: 'Max', quota: null, max_instances: null, scripts: null, chat_role_id: null },
      })
    })

    it('under a name that is unique within the project', async () => {
      const id = await plan()
      const other = await scene().owner.post(`/v1/projects/${scene().projectId}/plans/new`, { name: 'Pro ' })
      expect(other).toMatchObject({ status: 409, error: { type: 'plan_name_taken' } })
      expect((await edit(id, { name: 'Pro' })).status).toBe(200)
      const third = await edit(await plan({}, 'Max'), { name: 'Pro' })
      expect(third).toMatchObject({ status: 409, error: { type: 'plan_name_taken' } })
    })

    it('but not with an empty edit', async () => {
      expect((await edit(await plan(), {})).error.type).toBe('cannot_edit_nothing')
    })

    it('up to a hundred per project', async () => {
      for (let i = 0; i < 100; i += 1) await plan({}, `Plan ${i}`)
      const more = await scene().owner.post(`/v1/projects/${scene().projectId}/plans/new`, { name: 'More' })
      expect(more).toMatchObject({ status: 403, error: { type: 'max_plans_reached', limit: 100 } })
    })

    it('only by moving their users to another plan, whose clock counts from the same start', async () => {
      const id = await plan({ clock: { basis: 'creation', duration: DAY } })
      const longer = await plan({ clock: { basis: 'creation', duration: 3 * DAY } }, 'Longer')
      const key = await sell({ plan_id: id })
      later(HOUR)
      const refused = await scene().owner.post(`/v1/plans/${id}/remove`)
      expect(refused).toMatchObject({ status: 409, error: { type: 'plan_in_use', users: 1 } })
      await scene().owner.post(`/v1/plans/${id}/remove`, { move_to: longer })
      expect(await user(key)).toMatchObject({ plan_id: longer, key_expires: START + 3 * DAY })
      expect((await scene().owner.get(`/v1/plans/${id}`)).status).toBe(404)
    })
  })

  describe('reject invalid requests', () => {
    it.each([
      ['name', { name: ' ' }],
      ['clock', { clock: { basis: 'later', duration: 1 } }],
      ['clock', { clock: { basis: 'creation' } }],
      ['clock', { clock: { basis: 'creation', duration: 0 } }],
      ['clock', { clock: { basis: 'creation', duration: 3_155_760_000_001 } }],
      ['grace', { grace: -1 }],
      ['grace', { grace: 31_557_600_001 }],
      ['max_instances', { max_instances: 0 }],
      ['quota', { quota: { count: 0, period: 'day' } }],
      ['quota', { quota: { count: 1, period: 'year' } }],
      ['after_expiry', { after_expiry: 'keep' }],
      ['scripts', { scripts: [] }],
      ['scripts', { scripts: ['scr_of_another'] }],
      ['features', { features: { Turbo: true } }],
      ['features', { features: { turbo: false } }],
      ['features', { features: { turbo: null } }],
      ['features', { features: { list: [1] } }],
      ['features', { features: { tone: 'x'.repeat(256) } }],
      ['features', { features: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`f${i}`, true])) }],
    ])('in %s: %j', async (member, members) => {
      const id = await plan({}, 'Fine')
      const refused = await edit(id, members)
      expect(refused).toMatchObject({ status: 400, error: { type: 'invalid_request' } })
      expect(JSON.stringify(refused.error.failed)).toContain(member)
    })

    it.each([
      ['plan_id', { plan_id: 'pln_none' }],
      ['clock', { clock: { basis: 'plan' } }],
      ['clock', { clock: { basis: 'creation', duration: DAY }, key_expires: START + DAY }],
      ['features', { features: { slots: [] } }],
    ])('of a key in %s: %j', async (member, members) => {
      const path = `/v1/projects/${scene().projectId}/users`
      for (const [where, body] of [
        ['new', members],
        [
          'generate',
          {
            amount: 600,
            ...members,
            keys_expire: (members as { key_expires?: number }).key_expires,
            key_expires: undefined,
          },
        ],
      ] as const) {
        const refused = await scene().owner.post(`${path}/${where}`, body)
        expect(refused).toMatchObject({
          status: 400,
          error: { failed: [{ field: expect.stringContaining(member) }] },
        })
      }
      expect((await scene().owner.get(path)).body.users).toEqual([])
    })

    it("for another owner's plan as if it did not exist", async () => {
      const { owner, project } = await createOwner(at())
      const foreign = (await owner.post(`/v1/projects/${project}/plans/new`, { name: 'Theirs' })).string(
        'plan_id',
      )
      const body = { plan_id: foreign }
      const asked = await scene().owner.post(`/v1/projects/${scene().projectId}/users/new`, body)
      const none = await scene().owner.post(`/v1/projects/${scene().projectId}/users/new`, {
        plan_id: 'pln_0',
      })
      expect(asked.error.failed).toEqual(none.error.failed)
      expect(asked.status).toBe(none.status)
      const id = await plan()
      const moved = await scene().owner.post(`/v1/plans/${id}/remove`, { move_to: foreign })
      expect(moved).toMatchObject({ status: 400, error: { failed: [{ field: 'move_to' }] } })
    })
  })

  describe('let expired keys keep running', () => {
    it('for their grace period, and report it', async () => {
      const id = await plan({ clock: { basis: 'creation', duration: HOUR }, grace: DAY })
      const key = await sell({ plan_id: id })
      const running = await play(key)
      expect(running.grant.vars.in_grace).toBe(false)
      later(HOUR)
      expect(await running.beat()).toMatchObject({ ok: true, seconds_left: 0, vars: { in_grace: true } })
      expect((await play(key)).grant.vars).toMatchObject({ in_grace: true, seconds_left: 0 })
      expect((await user(key)).status).toBe('grace')
      later(DAY)
      expect(await running.beat()).toMatchObject({ ok: false, kick: { reason: 'key_expired' } })
      expect(await verdict(key)).toBe('key_expired')
      expect((await user(key)).status).toBe('expired')
    })
  })

  describe('limit', () => {
    it('executions per period, resetting at the period boundary in UTC', async () => {
      at().clock.now = Date.UTC(2026, 11, 31, 23, 59, 59)
      const key = await sell({ plan_id: await plan({ quota: { count: 2, period: 'month' } }) })
      expect([await verdict(key), await verdict(key), await verdict(key)]).toEqual([
        'granted',
        'granted',
        'quota_spent',
      ])
      const resets_at = Date.UTC(2027, 0, 1)
      expect(await user(key)).toMatchObject({
        status: 'quota_spent',
        quota: { count: 2, period: 'month', used: 2, resets_at },
      })
      later(1000)
      expect((await user(key)).quota).toMatchObject({ used: 0, resets_at: Date.UTC(2027, 1, 1) })
      expect(await verdict(key)).toBe('granted')
    })

    it('executions immediately when a quota is lowered or raised', async () => {
      const id = await plan({ quota: { count: 5, period: 'day' } })
      const key = await sell({ plan_id: id })
      expect([await verdict(key), await verdict(key)]).toEqual(['granted', 'granted'])
      await edit(id, { quota: { count: 2, period: 'day' } })
      expect(await verdict(key)).toBe('quota_spent')
      await edit(id, { quota: { count: 3, period: 'day' } })
      expect([await verdict(key), await verdict(key)]).toEqual(['granted', 'quota_spent'])
    })

    it('executions in the new period, counted from zero, when the period changes', async () => {
      at().clock.now = Date.UTC(2026, 11, 5, 12)
      const id = await plan({ quota: { count: 1, period: 'month' } })
      const key = await sell({ plan_id: id })
      expect([await verdict(key), await verdict(key)]).toEqual(['granted', 'quota_spent'])
      for (const [period, resets_at] of [
        ['day', Date.UTC(2026, 11, 6)],
        ['month', Date.UTC(2027, 0, 1)],
      ] as const) {
        const quota = { count: 1, period }
        await edit(id, { quota })
        expect(await user(key)).toMatchObject({ status: 'active', quota: { ...quota, used: 0, resets_at } })
        expect([await verdict(key), await verdict(key)]).toEqual(['granted', 'quota_spent'])
      }
    })

    it('instances and executions, unless the key has its own limit', async () => {
      const plan_id = await plan({ max_instances: 1, max_executions: 2 })
      const key = await sell({ plan_id })
      await play(key)
      expect(await verdict(key)).toBe('max_instances')
      await scene().owner.post(`/v1/users/${key}/edit`, { max_instances: 2 })
      expect([await verdict(key), await verdict(key)]).toEqual(['granted', 'max_executions'])
    })

    it('scripts, including the ones already running', async () => {
      const id = await plan()
      const key = await sell({ plan_id: id })
      const running = await play(key)
      const other = await makeOther()
      await edit(id, { scripts: [other] })
      expect(await verdict(key)).toBe('not_in_plan')
      later(30_000)
      expect(await running.beat()).toMatchObject({ ok: false, kick: { reason: 'not_in_plan' } })
    })

    const makeOther = async () =>
      (
        await scene().owner.post(`/v1/projects/${scene().projectId}/scripts/new`, {
          name: 'Other',
          script: 'print(1)',
        })
      ).string('script_id')
  })

  describe('give features', () => {
    it("with the key's own value first, and null removing a feature of the plan", async () => {
      const plan_id = await plan({ features: { turbo: true, slots: 3, tone: 'blue' } })
      const key = await sell({ plan_id, features: { slots: 5, tone: null, extra: 1.5 } })
      const features = { turbo: true, slots: 5, extra: 1.5 }
      expect((await play(key)).grant.vars).toMatchObject({ plan: 'Pro', features })
      expect(await user(key)).toMatchObject({ features, own_features: { slots: 5, tone: null, extra: 1.5 } })
    })

    it('whose changes reach a running script once, with its next heartbeat', async () => {
      const id = await plan({ features: { slots: 3 } })
      const running = await play(await sell({ plan_id: id }))
      later(30_000)
      expect(await running.beat()).not.toHaveProperty('vars')
      await edit(id, { features: { slots: 4 }, name: 'Max' })
      later(30_000)
      expect(await running.beat()).toMatchObject({ vars: { plan: 'Max', features: { slots: 4 } } })
      later(30_000)
      expect(await running.beat()).not.toHaveProperty('vars')
    })
  })

  describe('report their effect', () => {
    it('when a key gets another plan', async () => {
      const basic = await plan(
        { clock: { basis: 'creation', duration: DAY }, features: { slots: 1 } },
        'Basic',
      )
      const pro = await plan({ clock: { basis: 'creation', duration: 3 * DAY }, max_instances: 2 })
      const key = await sell({ plan_id: basic })
      later(HOUR)
      const { body } = await scene().owner.post(`/v1/users/${key}/edit`, { plan_id: pro })
      expect(body.changed).toEqual([
        { member: 'plan', from: 'Basic', to: 'Pro' },
        { member: 'key_expires', from: START + DAY, to: START + 3 * DAY },
        {
          member: 'clock',
          from: { basis: 'creation', duration: DAY },
          to: { basis: 'creation', duration: 3 * DAY },
        },
        { member: 'max_instances', from: null, to: 2 },
        { member: 'features', from: { slots: 1 }, to: {} },
      ])
    })

    it('when a key that waits for its first use leaves its plan and keeps its duration', async () => {
      const clock = { basis: 'first_use', duration: 30 * DAY }
      const plan_id = await plan({ clock })
      const [one, many] = [await sell({ plan_id }), await sell({ plan_id })]
      for (const key of [one, many]) await scene().owner.post(`/v1/users/${key}/extend`, { duration: DAY })
      await scene().owner.post(`/v1/users/${one}/edit`, { plan_id: '' })
      const body = { action: 'plan', plan_id: '', keys: [many] }
      await scene().owner.post(`/v1/projects/${scene().projectId}/users/bulk`, body)
      for (const key of [one, many]) {
        const left = { plan_id: null, clock, has_own_clock: true, clock_extra: DAY, status: 'not_started' }
        expect(await user(key)).toMatchObject(left)
        await play(key)
        expect((await user(key)).key_expires).toBe(START + 31 * DAY)
      }
    })

    it('when a key leaves its plan and keeps its expiry', async () => {
      const key = await sell({ plan_id: await plan({ clock: { basis: 'creation', duration: DAY } }) })
      await scene().owner.post(`/v1/users/${key}/edit`, { plan_id: '' })
      expect(await user(key)).toMatchObject({ plan_id: null, key_expires: START + DAY, clock: null })
    })
  })
})
