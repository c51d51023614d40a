/** Many concurrent visitors each succeed as a single visitor would. */
import { describe, expect, it } from 'vitest'
import { effort } from '../../../../../client/test/effort.ts'
import { crowd } from '../../../../test/ads/crowd.ts'
import { createSystem, sceneOn } from '../../../../test/ads/scene.ts'
import { engines } from '../../../../test/databases.ts'

const SIZE = effort({ day: 20, night: 60 })

describe.each(engines)('on $name', (engine) => {
  const scene = sceneOn(engine)

  it('dozens of concurrent visitors pass providers of three styles and get a key each', async () => {
    const system = await createSystem(scene(), ['a', 'b', 'c'])
    const keys = await crowd(scene().server.clock, system, SIZE)
    expect(new Set(keys).size).toBe(SIZE)
    const { users } = (await system.owner.get(`/projects/${system.project}/users`)).body
    expect(users).toHaveLength(SIZE)
    const { statistics } = (await system.owner.get(`/v1/adsystems/${system.id}/statistics`)).body
    const passed = { total_started: SIZE, total_completed: SIZE, refused: [] }
    expect(statistics).toMatchObject({ total_keys: SIZE, checkpoints: [passed, passed, passed] })
  })
})
