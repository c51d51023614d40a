/**
 * Completing the checkpoints earns one key or one extension, within the limits of the system and the tier.
 */
import { describe, expect, it } from 'vitest'
import {
  begin,
  createSystem,
  earn,
  newVisitor,
  passAll,
  passStep,
  type System,
  sceneOn,
} from '../../../../test/ads/scene.ts'
import { keyOf, textOf, type Visitor } from '../../../../test/ads/visitor.ts'
import { anyEngine } from '../../../../test/databases.ts'
import { createProject, createTier } from '../../../../test/nouns.ts'
import { prune } from '../../../jobs/prune.ts'
import type { AdDay } from '../counts.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

describe.each(anyEngine)('on $name', (engine) => {
  const scene = sceneOn(engine)
  const clock = () => scene().server.clock

  const userOf = async ({ owner }: System, key: string) =>
    ((await owner.get(`/v1/users/${key}`)).body as { user: { key_expires: number } }).user
  const again = async (system: System, visitor: Visitor) => {
    clock().now += MINUTE_MS
    return earn(scene(), { ...system, url: `${system.url}?again=1` }, visitor)
  }
  const eventsOf = async ({ owner, project }: System, type: string) => {
    const { deliveries } = (await owner.get(`/v1/projects/${project}/webhooks/deliveries`)).body
    return (deliveries as { type: string }[]).filter((one) => one.type === type)
  }

  it('completing the steps again extends the key by its duration, up to the maximum', async () => {
    const system = await createSystem(scene(), ['a'], { max_duration: 2 * DAY_MS })
    const visitor = newVisitor()
    const key = keyOf(await earn(scene(), system, visitor))
    const { key_expires } = await userOf(system, key)
    expect(keyOf(await again(system, visitor))).toBe(key)
    expect((await userOf(system, key)).key_expires).toBe(key_expires + DAY_MS)
    await again(system, visitor).catch(() => {})
    expect((await userOf(system, key)).key_expires).toBeLessThanOrEqual(clock().now + 2 * DAY_MS)
  })

  it('a visitor whose key cannot be extended further is informed before the first step', async () => {
    const system = await createSystem(scene(), ['a'], { key_duration: DAY_MS, max_duration: DAY_MS })
    const visitor = newVisitor()
    await earn(scene(), system, visitor)
    clock().now += 30_000
    const page = await visitor.open(`${system.url}?again=1`)
    expect(textOf(page.html)).toMatch(/cannot be extended/)
    expect(page.html).not.toContain('/start')
  })

  it('an expired key is extended from now', async () => {
    const system = await createSystem(scene(), ['a'])
    const visitor = newVisitor()
    const key = keyOf(await earn(scene(), system, visitor))
    clock().now += 3 * DAY_MS
    expect(keyOf(await earn(scene(), system, visitor))).toBe(key)
    expect((await userOf(system, key)).key_expires).toBe(clock().now + DAY_MS)
  })

  it('a paused key is extended by its duration, and gains nothing from the pause', async () => {
    const system = await createSystem(scene(), ['a'])
    const visitor = newVisitor()
    const key = keyOf(await earn(scene(), system, visitor))
    const change = (deed: string) => system.owner.post(`/v1/users/${key}/${deed}`, {})
    expect((await change('pause')).status).toBe(200)
    clock().now += 30 * DAY_MS
    expect(keyOf(await earn(scene(), system, visitor))).toBe(key)
    expect((await change('resume')).status).toBe(200)
    expect((await userOf(system, key)).key_expires).toBe(clock().now + 2 * DAY_MS)
  })

  it('without extensions, a paused key still counts toward the limit', async () => {
    const system = await createSystem(scene(), ['a'], { allow_extending: false })
    const visitor = newVisitor()
    const key = keyOf(await earn(scene(), system, visitor))
    await system.owner.post(`/v1/users/${key}/pause`, {})
    clock().now += 30 * DAY_MS
    const page = await visitor.open(`${system.url}?again=1`)
    expect(textOf(page.html)).toContain('reached the key limit')
    expect(textOf(page.html)).toContain('Paused (')
    expect(textOf(page.html)).not.toContain('Expired')
  })

  it('without extensions, a visitor gets as many keys as they may hold at the same time', async () => {
    const system = await createSystem(scene(), ['a'], { allow_extending: false, max_keys: 2 })
    const visitor = newVisitor()
    const keys = [keyOf(await earn(scene(), system, visitor)), keyOf(await again(system, visitor))]
    expect(new Set(keys).size).toBe(2)
    clock().now += MINUTE_MS
    const page = await visitor.open(`${system.url}?again=1`)
    expect(textOf(page.html)).toContain('reached the key limit')
    clock().now += DAY_MS
    expect(keys).not.toContain(keyOf(await earn(scene(), system, visitor)))
  })

  it('a visitor with more keys than allowed can earn another at the time that the page says', async () => {
    const system = await createSystem(scene(), ['a'], { allow_extending: false, max_keys: 2 })
    const visitor = newVisitor()
    await earn(scene(), system, visitor)
    clock().now += DAY_MS / 2
    await earn(scene(), { ...system, url: `${system.url}?again=1` }, visitor)
    expect((await system.owner.post(`/v1/adsystems/${system.id}/edit`, { max_keys: 1 })).status).toBe(200)
    clock().now += MINUTE_MS
    const { html } = await visitor.open(`${system.url}?again=1`)
    expect(html).toContain(`data-seconds-left="${(DAY_MS - MINUTE_MS) / 1000}"`)
    clock().now += DAY_MS - MINUTE_MS
    expect((await visitor.open(`${system.url}?again=1`)).html).toContain('/start"')
  })

  it('after the system moves to another project, visitors earn a new key there', async () => {
    const system = await createSystem(scene(), ['a'])
    const visitor = newVisitor()
    const key = keyOf(await earn(scene(), system, visitor))
    const { key_expires } = await userOf(system, key)
    const project = await createProject(system.owner)
    const moved = await system.owner.post(`/v1/adsystems/${system.id}/edit`, { project_id: project })
    expect(moved.status).toBe(200)
    const next = keyOf(await again(system, visitor))
    expect(next).not.toBe(key)
    expect(await userOf(system, next)).toMatchObject({ project_id: project })
    expect((await userOf(system, key)).key_expires).toBe(key_expires)
    expect(keyOf(await again(system, visitor))).toBe(next)
  })

  it('a visitor is informed before the first step that the account has no keys left', async () => {
    const system = await createSystem(scene(), ['a'])
    const { server } = scene()
    const tier = await createTier(server, { max_ad_users: 1 })
    await server.admin.post(`/v1/admin/customers/${system.owner.id}/edit`, { tier })
    await earn(scene(), system, newVisitor())
    const page = await newVisitor({ agent: 'Other/2' }).open(system.url)
    expect(page.html).not.toContain('/start')
    expect((await system.owner.get('/v1/adsystems')).body.systems).toMatchObject([{ total_keys: 1 }])
  })

  it('keys from ads do not count toward the user limit of the service tier', async () => {
    const system = await createSystem(scene(), ['a'])
    const { server } = scene()
    const tier = await createTier(server, { max_users: 1 })
    await server.admin.post(`/v1/admin/customers/${system.owner.id}/edit`, { tier })
    for (const visitor of [newVisitor(), newVisitor()]) await earn(scene(), system, visitor)
    const create = () => system.owner.post(`/projects/${system.project}/users/new`, {})
    expect((await create()).status).toBe(200)
    expect((await create()).error.type).toBe('max_users_reached')
  })

  it('when many visitors finish concurrently, only as many get a key as the service tier allows', async () => {
    const system = await createSystem(scene(), ['a'])
    const { server } = scene()
    const tier = await createTier(server, { max_ad_users: 3 })
    await server.admin.post(`/v1/admin/customers/${system.owner.id}/edit`, { tier })
    const ready = []
    for (let n = 0; n < 6; n += 1) {
      const visitor = newVisitor()
      ready.push({ visitor, page: await passAll(scene(), system, visitor) })
    }
    await Promise.all(ready.map(({ visitor, page }) => visitor.submit(page, '/claim')))
    const { users } = (await system.owner.get(`/projects/${system.project}/users`)).body
    expect(users).toHaveLength(3)
  })

  it('only one of two hundred concurrent claims gives a key', async () => {
    const system = await createSystem(scene(), ['a'], { max_keys: 100, allow_extending: false })
    const visitor = newVisitor()
    const claim = visitor.formOf(await passAll(scene(), system, visitor), '/claim')
    const answers = await Promise.all(Array.from({ length: 200 }, () => visitor.ask(...claim)))
    for (const answer of answers) expect(answer.status).toBe(303)
    const { users } = (await system.owner.get(`/projects/${system.project}/users`)).body
    expect(users).toHaveLength(1)
    const { body } = await system.owner.get(`/v1/adsystems/${system.id}`)
    expect(body.system).toMatchObject({ total_keys: 1, total_completions: 1 })
  })

  it('a claim without all steps gives nothing', async () => {
    const system = await createSystem(scene(), ['a', 'a'])
    const visitor = newVisitor()
    const form = visitor.formOf(await passAll(scene(), await createSystem(scene(), ['a']), visitor), '/claim')
    const half = await passStep(scene(), visitor, await begin(system, visitor))
    const fields = String((form[1].body as URLSearchParams).get('csrf'))
    await visitor.ask(`${system.url}/claim`, { method: 'POST', body: new URLSearchParams({ csrf: fields }) })
    expect((await system.owner.get(`/projects/${system.project}/users`)).body.users).toEqual([])
    expect(half.status).toBe(200)
  })

  it('the owner gets an event for keys that are earned and extended', async () => {
    const system = await createSystem(scene(), ['a'])
    const hook = { information_webhook: 'https://hooks.example.com/x' }
    await system.owner.post(`/projects/${system.project}/edit`, hook)
    const visitor = newVisitor()
    await earn(scene(), system, visitor)
    await again(system, visitor)
    expect(await eventsOf(system, 'user.key_issued')).toHaveLength(1)
    expect(await eventsOf(system, 'user.key_extended')).toHaveLength(1)
  })

  it('the statistics count the outcomes at each checkpoint', async () => {
    const system = await createSystem(scene(), ['a', 'b'])
    const visitor = newVisitor()
    const page = await begin(system, visitor)
    await visitor.open(await visitor.watch(await visitor.leave(page)))
    for (const one of [newVisitor(), newVisitor()]) await earn(scene(), system, one)
    const { statistics } = (await system.owner.get(`/v1/adsystems/${system.id}/statistics`)).body
    const checkpoints = [
      { total_started: 3, total_completed: 2, refused: [{ reason: 'too_fast', count: 1 }] },
      { total_started: 2, total_completed: 2, refused: [] },
    ]
    expect(statistics).toMatchObject({ total_keys: 2, total_completions: 2, checkpoints })
    const { median_duration } =
      (statistics as { checkpoints: { median_duration: number }[] }).checkpoints[0] ?? {}
    expect(median_duration).toBeGreaterThan(18_000)
    expect(median_duration).toBeLessThan(22_000)
  })
  it('the daily statistics match the totals, for as long as they are stored', async () => {
    const system = await createSystem(scene(), ['a', 'b'])
    const { clock, deps } = scene().server
    clock.now = Math.floor(clock.now / DAY_MS) * DAY_MS + DAY_MS
    const first = clock.now
    const [hurried, visitor] = [newVisitor(), newVisitor()]
    await hurried.open(await hurried.watch(await hurried.leave(await begin(system, hurried))))
    await earn(scene(), system, visitor)
    clock.now = first + 2 * DAY_MS
    await again(system, visitor)
    const read = async (query = '') =>
      (await system.owner.get(`/v1/adsystems/${system.id}/days${query}`)).body.days as AdDay[]
    const [a, b] = system.checkpoints.map(({ id }) => id)
    const once = { started: 1, completed: 1, refused: 0, bypassed: 0 }
    const twice = { started: 2, completed: 1, refused: 1, bypassed: 1 }
    const byStep = (first: object, second: object) => ({
      checkpoints: [
        { checkpoint_id: a, ...first },
        { checkpoint_id: b, ...second },
      ],
      providers: [
        { provider: 'provider_a', ...first },
        { provider: 'provider_b', ...second },
      ],
    })
    const days = [
      { at: first, completions: 1, keys: 1, ...byStep(twice, once) },
      { at: first + DAY_MS, completions: 0, keys: 0, checkpoints: [], providers: [] },
      { at: first + 2 * DAY_MS, completions: 1, keys: 0, ...byStep(once, once) },
    ]
    expect(await read(`?from=${first + 5}`)).toEqual(days)
    expect(await read()).toEqual([...Array.from({ length: 27 }, () => expect.anything()), ...days])
    expect(await read(`?from=${first}&to=${first + DAY_MS}`)).toEqual(days.slice(0, 1))
    const { error } = await system.owner.get(`/v1/adsystems/${system.id}/days?from=5&to=5`)
    expect(error).toMatchObject({ type: 'invalid_request' })

    await system.owner.post(`/v1/adcheckpoints/${b}/remove`)
    expect((await read(`?from=${first}`))[0]?.checkpoints).toEqual(
      byStep(twice, once).checkpoints.slice(0, 1),
    )
    const stored = () => Promise.all([rowsOf('ad_checkpoint_days'), rowsOf('ad_system_days')])
    const rowsOf = async (table: 'ad_checkpoint_days' | 'ad_system_days') =>
      (
        await deps.db.read
          .selectFrom(table)
          .select('day')
          .where('day', '>=', first / DAY_MS)
          .execute()
      ).length
    expect(await stored()).toEqual([2, 2])
    await prune(deps, () => first + 400 * DAY_MS).run(new AbortController().signal)
    expect(await stored()).toEqual([1, 1])
  })
})
