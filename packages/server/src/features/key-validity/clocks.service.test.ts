/** Key clocks: when they start, what changes the expiry date, and how pauses and extensions affect it. */
import { describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { START } from '../../../test/harness.ts'
import { DAY, HOUR, shopOn } from '../../../test/plans/shop.ts'

describe.each(engines)('keys on $name', (engine) => {
  const { at, scene, later, plan, edit, sell, user, play, verdict } = shopOn(engine)

  describe('have a clock', () => {
    it('that starts at creation', async () => {
      const key = await sell({ plan_id: await plan({ clock: { basis: 'creation', duration: DAY } }) })
      expect(await user(key)).toMatchObject({ key_expires: START + DAY, status: 'unused', plan: 'Pro' })
      later(DAY)
      expect(await verdict(key)).toBe('key_expired')
    })

    it('that starts only once, even if two first uses arrive at the same moment', async () => {
      const key = await sell({ plan_id: await plan({ clock: { basis: 'first_use', duration: 30 * DAY } }) })
      expect(await user(key)).toMatchObject({ key_expires: null, status: 'not_started', first_used_at: null })
      later(90 * DAY)
      const runs = await Promise.all([play(key), play(key)])
      for (const { grant } of runs) expect(grant.vars.seconds_left).toBe((30 * DAY) / 1000)
      later(HOUR)
      await play(key)
      expect(await user(key)).toMatchObject({
        ...{ key_expires: START + 120 * DAY, status: 'active', executions: 3 },
        ...{ first_used_at: START + 90 * DAY, last_used_at: START + 90 * DAY + HOUR },
      })
    })

    it('that starts when a key check binds a device', async () => {
      const key = await sell({ plan_id: await plan({ clock: { basis: 'first_use', duration: DAY } }) })
      await scene().edit('projects', { allow_checks: 1 })
      const body = { project_id: scene().projectId, key, fingerprint: 'A'.repeat(22), nonce: 'n'.repeat(16) }
      const asked = await at()
        .client()
        .post('/client/v1/check', { ...body, claim: false })
      expect(asked).toMatchObject({
        body: { key_expires: null, plan: 'Pro', features: {}, in_grace: false, status: 'active' },
      })
      const claimed = await at()
        .client()
        .post('/client/v1/check', { ...body, claim: true })
      expect(claimed.body.key_expires).toBe(START + DAY)
    })

    it('that, when edited, recalculates only the expiry dates that come from it', async () => {
      const id = await plan({ clock: { basis: 'creation', duration: DAY } })
      const first = await sell({ plan_id: id })
      later(HOUR)
      const second = await sell({ plan_id: id })
      const byHand = await sell({ plan_id: id, key_expires: START + 5 * DAY })
      const own = await sell({ plan_id: id, clock: { basis: 'creation', duration: 2 * DAY } })
      await scene().owner.post(`/v1/users/${second}/extend`, { duration: HOUR })
      await edit(id, { clock: { basis: 'creation', duration: 10 * DAY } })
      const ends = await Promise.all(
        [first, second, byHand, own].map(async (key) => (await user(key)).key_expires),
      )
      expect(ends).toEqual([
        START + 10 * DAY,
        START + 10 * DAY + 2 * HOUR,
        START + 5 * DAY,
        START + HOUR + 2 * DAY,
      ])
      await edit(id, { clock: { basis: 'creation', duration: null } })
      expect((await user(first)).key_expires).toBeNull()
    })

    it('that starts now for waiting keys when the basis becomes creation, and is unchanged for started keys', async () => {
      const id = await plan({ clock: { basis: 'first_use', duration: DAY } })
      const [used, waiting] = [await sell({ plan_id: id }), await sell({ plan_id: id })]
      await play(used)
      later(HOUR)
      await edit(id, { clock: { basis: 'creation', duration: 2 * DAY } })
      expect((await user(used)).key_expires).toBe(START + 2 * DAY)
      expect(await user(waiting)).toMatchObject({ key_expires: START + HOUR + 2 * DAY, status: 'unused' })
      await edit(id, { clock: { basis: 'first_use', duration: 3 * DAY } })
      expect((await user(used)).key_expires).toBe(START + 3 * DAY)
    })

    it('that includes a leap day', async () => {
      at().clock.now = Date.UTC(2028, 1, 28, 12)
      const key = await sell({ plan_id: await plan({ clock: { basis: 'creation', duration: 2 * DAY } }) })
      expect((await user(key)).key_expires).toBe(Date.UTC(2028, 2, 1, 12))
    })

    it("of their own, and return to the plan's clock", async () => {
      const id = await plan({ clock: { basis: 'creation', duration: DAY } })
      const key = await sell({ plan_id: id, clock: { basis: 'first_use', duration: HOUR } })
      expect(await user(key)).toMatchObject({ has_own_clock: true, status: 'not_started' })
      await scene().owner.post(`/v1/users/${key}/edit`, { clock: { basis: 'plan' } })
      expect(await user(key)).toMatchObject({ has_own_clock: false, key_expires: START + DAY })
    })

    it('that a future start date delays', async () => {
      const id = await plan({ clock: { basis: 'creation', duration: DAY } })
      const key = await sell({ plan_id: id, starts_at: START + DAY })
      expect(await user(key)).toMatchObject({ key_expires: START + 2 * DAY, status: 'not_started' })
      expect(await verdict(key)).toBe('key_not_started')
      later(DAY)
      expect(await verdict(key)).toBe('granted')
    })

    it('that starts at a start date set in the same request', async () => {
      const plan_id = await plan({ clock: { basis: 'creation', duration: DAY } })
      const key = await sell({})
      await scene().owner.post(`/v1/users/${key}/edit`, { plan_id, starts_at: START + DAY })
      expect((await user(key)).key_expires).toBe(START + 2 * DAY)
    })

    it("that moves with a start date in the future, of the plan's clock and of its own", async () => {
      const plan_id = await plan({ clock: { basis: 'creation', duration: 30 * DAY } })
      const sold = { starts_at: START + 10 * DAY }
      const planned = await sell({ ...sold, plan_id })
      const own = await sell({ ...sold, plan_id, clock: { basis: 'creation', duration: 5 * DAY } })
      await scene().owner.post(`/v1/users/${planned}/extend`, { duration: DAY })
      const ends = async (starts_at: number) => {
        for (const key of [planned, own]) await scene().owner.post(`/v1/users/${key}/edit`, { starts_at })
        return Promise.all([planned, own].map(async (key) => (await user(key)).key_expires))
      }
      expect(await ends(START + 40 * DAY)).toEqual([START + 71 * DAY, START + 45 * DAY])
      later(DAY)
      const started = [START + 32 * DAY, START + 6 * DAY]
      expect(await ends(0)).toEqual(started)
      later(DAY)
      expect(await ends(START + 5 * DAY)).toEqual(started)
    })

    it('that applies to many keys at once', async () => {
      const plan_id = await plan({ clock: { basis: 'first_use', duration: DAY } })
      const body = { amount: 1100, plan_id, features: { slots: 2 } }
      const { body: made } = await scene().owner.post(
        `/v1/projects/${scene().projectId}/users/generate`,
        body,
      )
      const keys = made.user_keys as string[]
      expect(keys).toHaveLength(1100)
      for (const key of [keys[0], keys[1099]] as string[])
        expect(await user(key)).toMatchObject({ plan_id, status: 'not_started', features: { slots: 2 } })
      const listed = await scene().owner.get(
        `/v1/projects/${scene().projectId}/users/filter?plan_id=${plan_id}&limit=5`,
      )
      expect(listed.body.users).toHaveLength(5)
    })
  })

  describe('keep their remaining time', () => {
    const pause = (key: string) => scene().owner.post(`/v1/users/${key}/pause`)
    const resume = (key: string) => scene().owner.post(`/v1/users/${key}/resume`)

    it('through a pause past the expiry date, and end their runs', async () => {
      const id = await plan({ clock: { basis: 'creation', duration: DAY } })
      const key = await sell({ plan_id: id })
      const running = await play(key)
      later(HOUR)
      await pause(key)
      expect(await user(key)).toMatchObject({
        ...{ status: 'paused', paused: { since: START + HOUR, left: 23 * HOUR } },
      })
      expect(await running.beat()).toMatchObject({ ok: false, kick: { reason: 'key_paused' } })
      later(30 * DAY)
      expect(await verdict(key)).toBe('key_paused')
      expect((await pause(key)).error.type).toBe('user_already_paused')
      await resume(key)
      expect(await user(key)).toMatchObject({ status: 'active', key_expires: START + 31 * DAY, paused: null })
      expect((await resume(key)).error.type).toBe('user_not_paused')
      await edit(id, { clock: { basis: 'creation', duration: 2 * DAY } })
      expect((await user(key)).key_expires).toBe(START + 32 * DAY)
    })

    it('of a clock that started during the pause, without the time before it started', async () => {
      const clock = { basis: 'creation', duration: 30 * DAY }
      const id = await plan({ clock: { ...clock, basis: 'first_use' } })
      const waiting = await sell({ plan_id: id })
      const [lifetime, delayed] = [await sell({}), await sell({})]
      for (const key of [waiting, lifetime, delayed]) await pause(key)
      later(100 * DAY)
      await edit(id, { clock })
      await scene().owner.post(`/v1/users/${lifetime}/edit`, { plan_id: id })
      const starts_at = at().clock.now + 5 * DAY
      await scene().owner.post(`/v1/users/${delayed}/edit`, { plan_id: id, starts_at })
      for (const key of [waiting, lifetime, delayed])
        expect((await user(key)).paused).toMatchObject({ left: 30 * DAY })
      later(DAY)
      for (const key of [waiting, lifetime, delayed]) await resume(key)
      for (const key of [waiting, lifetime])
        expect((await user(key)).key_expires).toBe(at().clock.now + 30 * DAY)
      expect((await user(delayed)).key_expires).toBe(starts_at + 30 * DAY)
    })

    it('but cannot be paused after they expire', async () => {
      const key = await sell({ key_expires: START })
      expect((await pause(key)).error.type).toBe('user_expired')
    })

    it('when extended before they expire, after they expired, or before their first use', async () => {
      const extend = (key: string) => scene().owner.post(`/v1/users/${key}/extend`, { duration: DAY })
      const [running, over, never] = [
        await sell({ key_expires: START + HOUR }),
        await sell({ key_expires: START - DAY }),
        await sell({}),
      ]
      const waiting = await sell({ clock: { basis: 'first_use', duration: HOUR } })
      for (const key of [running, over, waiting]) expect((await extend(key)).status).toBe(200)
      expect((await extend(never)).error.type).toBe('user_never_expires')
      const extras = await Promise.all([running, waiting].map(async (key) => (await user(key)).clock_extra))
      expect(extras).toEqual([0, DAY])
      await play(waiting)
      const ends = await Promise.all(
        [running, over, waiting].map(async (key) => (await user(key)).key_expires),
      )
      expect(ends).toEqual([START + HOUR + DAY, START + DAY, START + HOUR + DAY])
    })
  })
})
