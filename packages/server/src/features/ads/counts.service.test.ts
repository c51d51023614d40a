/** Comparison of ad providers: bypass attempts per day, and the estimated value of visits. */
import { describe, expect, it } from 'vitest'
import {
  begin,
  createSystem,
  earn,
  newVisitor,
  passStep,
  sceneOn,
  WATCHING_MS,
} from '../../../test/ads/scene.ts'
import { anyEngine } from '../../../test/databases.ts'

describe.each(anyEngine)('on $name', (engine) => {
  const scene = sceneOn(engine)

  it('a visitor who returns too soon or with a used token is a bypass attempt of that provider and day', async () => {
    const system = await createSystem(scene(), ['a', 'c'])
    const { owner, id, checkpoints } = system
    await earn(scene(), system, newVisitor())
    const hurried = newVisitor()
    await hurried.open(await hurried.watch(await hurried.leave(await begin(system, hurried))))
    const honest = newVisitor()
    const out = await honest.leave(await begin(system, honest))
    scene().server.clock.now += WATCHING_MS
    const back = await honest.watch(out)
    await honest.open(back)
    const thief = newVisitor()
    await thief.leave(await begin(system, thief))
    scene().server.clock.now += WATCHING_MS
    await thief.open(back)
    const late = newVisitor()
    const slow = await late.leave(await begin(system, late))
    scene().server.clock.now += 3_000_000
    await late.open(await late.watch(slow))
    const { statistics } = (await owner.get(`/v1/adsystems/${id}/statistics`)).body
    expect(statistics).toMatchObject({
      checkpoints: [
        { provider: 'provider_a', total_completed: 2, bypassed: 2 },
        { provider: 'provider_c', bypassed: 0 },
      ],
      providers: [
        { provider: 'provider_a', name: 'Fake A', total_started: 5, bypassed: 2, bypass_share: 0.5 },
        { provider: 'provider_c', name: 'Fake C', total_completed: 1, bypassed: 0, bypass_share: 0 },
      ],
    })
    const days = (await owner.get(`/v1/adsystems/${id}/days`)).body.days as Record<string, unknown>[]
    const counts = { started: 5, completed: 2, refused: 3, bypassed: 2 }
    expect(days.at(-1)).toMatchObject({
      checkpoints: [{ checkpoint_id: checkpoints[0]?.id, ...counts }, { bypassed: 0 }],
      providers: [
        { provider: 'provider_a', ...counts },
        { provider: 'provider_c', completed: 1 },
      ],
    })
  })

  it('the value of visits is estimated from the value per thousand, for steps that have one', async () => {
    const system = await createSystem(scene(), [
      { style: 'a', changes: { value_per_thousand: 45_000 } },
      'a',
      'c',
    ])
    const { owner, id, checkpoints } = system
    const visitor = newVisitor()
    await passStep(scene(), visitor, await begin(system, visitor))
    const values = async () => {
      const { statistics } = (await owner.get(`/v1/adsystems/${id}/statistics`)).body as {
        statistics: Record<'checkpoints' | 'providers', { value: number | null }[]>
      }
      return [statistics.checkpoints, statistics.providers].map((list) => list.map(({ value }) => value))
    }
    expect(await values()).toEqual([
      [45, null, null],
      [45, null],
    ])
    const edit = (value_per_thousand: number) =>
      owner.post(`/v1/adcheckpoints/${checkpoints[0]?.id}/edit`, { value_per_thousand })
    await edit(100_000)
    expect(await values()).toEqual([
      [100, null, null],
      [100, null],
    ])
    await owner.post(`/v1/adcheckpoints/${checkpoints[0]?.id}/edit`, { name: 'Kept' })
    expect(await values()).toEqual([
      [100, null, null],
      [100, null],
    ])
    await edit(0)
    expect(await values()).toEqual([
      [null, null, null],
      [null, null],
    ])
    expect((await edit(-1)).error).toMatchObject({ failed: [{ field: 'value_per_thousand' }] })
  })
})
