/** An extension adds to a key's time, even if the owner changes the key at the same time. */
import { describe, expect, it } from 'vitest'
import { createSystem, earn, newVisitor, passAll, sceneOn } from '../../../../test/ads/scene.ts'
import { keyOf } from '../../../../test/ads/visitor.ts'
import { postgres } from '../../../../test/databases.ts'
import { countLockWaits, rowOf } from '../../../../test/stored.ts'
import { updateUser } from '../../keys/store/users.ts'

const DAY_MS = 86_400_000

/** On SQLite, transactions run one at a time. */
describe('on PostgreSQL', () => {
  const scene = sceneOn(postgres)

  it('a visitor extends a key by its duration while the owner extends it too', async () => {
    const { server } = scene()
    const system = await createSystem(scene(), ['a'], { max_duration: 30 * DAY_MS })
    const visitor = newVisitor()
    const key = keyOf(await earn(scene(), system, visitor))
    server.clock.now += 60_000
    const page = await passAll(scene(), { ...system, url: `${system.url}?again=1` }, visitor)
    const expiry = async () => Number((await rowOf(server, 'users', { key })).key_expires)
    const before = await expiry()
    const held = Promise.withResolvers<void>()
    const free = Promise.withResolvers<void>()
    const extending = server.deps.db.transaction(async (tx) => {
      await updateUser(tx, system.project, key, { key_expires: before + 2 * DAY_MS })
      held.resolve()
      await free.promise
    })
    await held.promise
    const claiming = visitor.submit(page, '/claim')
    await expect.poll(() => countLockWaits(server)).toBeGreaterThan(0)
    free.resolve()
    await extending
    expect(keyOf(await claiming)).toBe(key)
    expect(await expiry()).toBe(before + 3 * DAY_MS)
  })
})
