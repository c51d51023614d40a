/** Changes to a plan apply to every key on it, even to a key that moves to the plan at the same time. */
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { postgres } from '../../../test/databases.ts'
import { START } from '../../../test/harness.ts'
import { DAY, shopOn } from '../../../test/plans/shop.ts'
import { countLockWaits } from '../../../test/stored.ts'
import { lockUser } from '../keys/store/users.ts'

/** On SQLite, transactions run one at a time. */
describe('on PostgreSQL, while a key moves to a plan', () => {
  const { at, scene, plan, edit, sell, user } = shopOn(postgres)

  /** Moves a key, and holds the transaction open until `change` waits for it. */
  async function moveDuring<T>(key: string, plan_id: string, change: () => Promise<T>): Promise<T> {
    const held = Promise.withResolvers<void>()
    const free = Promise.withResolvers<void>()
    // An entry in the audit log is the last thing that a request writes.
    const holding = at().deps.db.transaction(async (tx) => {
      await sql`lock table audit_entries in share mode`.execute(tx)
      held.resolve()
      await free.promise
    })
    await held.promise
    const moving = scene().owner.post(`/v1/users/${key}/edit`, { plan_id })
    await expect.poll(() => countLockWaits(at())).toBeGreaterThanOrEqual(1)
    const changing = change()
    await expect.poll(() => countLockWaits(at())).toBeGreaterThanOrEqual(2)
    free.resolve()
    await holding
    expect((await moving).status).toBe(200)
    return changing
  }

  it('the plan is not removed', async () => {
    const [id, key] = [await plan(), await sell({})]
    const removed = await moveDuring(key, id, () => scene().owner.post(`/v1/plans/${id}/remove`))
    expect(removed).toMatchObject({ status: 409, error: { type: 'plan_in_use', users: 1 } })
    expect(await user(key)).toMatchObject({ plan_id: id, plan: 'Pro' })
  })

  it("the plan's new clock applies to the key too", async () => {
    const id = await plan({ clock: { basis: 'creation', duration: DAY } })
    const key = await sell({})
    const edited = await moveDuring(key, id, () =>
      edit(id, { clock: { basis: 'creation', duration: 3 * DAY } }),
    )
    expect(edited.status).toBe(200)
    expect(await user(key)).toMatchObject({ plan_id: id, key_expires: START + 3 * DAY })
  })

  it('in bulk, edits of the plan wait without a deadlock', async () => {
    const [id, key] = [await plan({ clock: { basis: 'creation', duration: DAY } }), await sell({})]
    const { db } = at().deps
    const held = Promise.withResolvers<void>()
    const free = Promise.withResolvers<void>()
    // Holds the bulk change back after it has locked the plan.
    const holding = db.transaction(async (tx) => {
      await lockUser(tx, scene().projectId, key)
      held.resolve()
      await free.promise
    })
    await held.promise
    const order = { keys: [key], action: 'plan', plan_id: id }
    const moving = scene().owner.post(`/v1/projects/${scene().projectId}/users/bulk`, order)
    await expect.poll(() => countLockWaits(at())).toBeGreaterThanOrEqual(1)
    const editing = edit(id, { clock: { basis: 'creation', duration: 3 * DAY } })
    await expect.poll(() => countLockWaits(at())).toBeGreaterThanOrEqual(2)
    free.resolve()
    await holding
    expect([(await moving).status, (await editing).status]).toEqual([200, 200])
    expect(await user(key)).toMatchObject({ plan_id: id, key_expires: START + 3 * DAY })
    const counted = sql<{ deadlocks: number }>`select pg_stat_get_db_deadlocks(oid) as deadlocks
      from pg_database where datname = current_database()`
    const { rows } = await counted.execute(db.read)
    expect(Number(rows[0]?.deadlocks)).toBe(0)
  })
})
