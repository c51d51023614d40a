/** The monthly obfuscation allowance renews without a job. */
import { describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { type Owner, serverOn } from '../../../test/harness.ts'
import { createProject, createScript, createTier, readAccount } from '../../../test/nouns.ts'
import { rowsOf } from '../../../test/stored.ts'
import { Refused } from '../../api/refusals.ts'
import { prune } from '../../jobs/prune.ts'
import {
  ABANDONED_MS,
  keepObfuscation,
  type Reservation,
  releaseAbandonedObfuscations,
  releaseObfuscation,
  reserveObfuscation,
} from './obfuscation-reservations.ts'

describe.each(engines)('monthly obfuscations on $name', (engine) => {
  const { at } = serverOn(engine)

  async function ownerWith(obfuscations: number): Promise<Owner> {
    return at().createCustomer({ tier: await createTier(at(), { obfuscations }) })
  }

  async function take(owner: Owner): Promise<Reservation | undefined> {
    const taken = await reserveObfuscation(at().deps, owner.id)
    return taken instanceof Refused ? undefined : taken
  }

  const used = async (owner: Owner) => (await readAccount(owner)).obfuscations_used

  it('are available again in the first millisecond of the next month in UTC, including at the turn of the year', async () => {
    const owner = await ownerWith(1)
    for (const border of [Date.UTC(2026, 7, 1), Date.UTC(2027, 0, 1), Date.UTC(2028, 2, 1)]) {
      at().clock.now = border - 1
      expect(await take(owner)).toBeDefined()
      expect(await take(owner)).toBeUndefined()
      expect(await used(owner)).toBe(1)
      at().clock.now = border
      expect(await used(owner)).toBe(0)
    }
    expect(await take(owner)).toBeDefined()
  })

  it('of last month are refunded only to last month', async () => {
    const owner = await ownerWith(2)
    at().clock.now = Date.UTC(2026, 8, 30)
    const begun = await take(owner)
    at().clock.now = Date.UTC(2026, 9, 1)
    await take(owner)
    await releaseObfuscation(at().deps, owner.id, begun as Reservation)
    expect(await used(owner)).toBe(1)
  })

  it('come from the bonus when the month has none left, and are refunded to their source', async () => {
    const owner = await ownerWith(1)
    at().clock.now = Date.UTC(2026, 10, 15)
    await at().admin.post(`/v1/admin/customers/${owner.id}/edit`, { bonus_obfuscations_left: 1 })
    const bonus = async () => (await readAccount(owner)).bonus_obfuscations_left
    await take(owner)
    const fromBonus = await take(owner)
    expect([await bonus(), await used(owner), await take(owner)]).toEqual([0, 2, undefined])
    await releaseObfuscation(at().deps, owner.id, fromBonus as Reservation)
    expect([await bonus(), await used(owner)]).toEqual([1, 1])
  })

  it('of an upload whose process crashed are refunded once after 15 minutes', async () => {
    const owner = await ownerWith(1)
    at().clock.now = Date.UTC(2027, 3, 15)
    await at().admin.post(`/v1/admin/customers/${owner.id}/edit`, { bonus_obfuscations_left: 1 })
    const left = async () => {
      const account = await readAccount(owner)
      return [account.obfuscations_used, account.bonus_obfuscations_left]
    }
    const gone = [await take(owner), await take(owner)]
    const tidy = () =>
      Promise.all(
        [1, 2, 3].map(() => prune(at().deps, () => at().clock.now).run(new AbortController().signal)),
      )
    at().clock.now += ABANDONED_MS
    await tidy()
    expect(await left()).toEqual([2, 0])
    at().clock.now += 1
    await tidy()
    expect(await left()).toEqual([0, 1])
    for (const one of gone) await releaseObfuscation(at().deps, owner.id, one as Reservation)
    expect(await left()).toEqual([0, 1])
  })

  it('are counted again when an upload that seemed abandoned succeeds after all', async () => {
    const owner = await ownerWith(2)
    at().clock.now = Date.UTC(2027, 4, 15)
    const late = (await take(owner)) as Reservation
    at().clock.now += ABANDONED_MS + 1
    await at().deps.db.transaction((tx) => releaseAbandonedObfuscations(tx, at().clock.now, 50))
    expect(await used(owner)).toBe(0)
    await at().deps.db.transaction((tx) => keepObfuscation(tx, owner.id, late))
    expect(await used(owner)).toBe(1)
  })

  it('are never refunded after use', async () => {
    const owner = await ownerWith(5)
    at().clock.now = Date.UTC(2027, 5, 15)
    const project = await createProject(owner)
    await createScript(owner, project)
    at().clock.now += ABANDONED_MS + 1
    await at().deps.db.transaction((tx) => releaseAbandonedObfuscations(tx, at().clock.now, 50))
    expect(await used(owner)).toBe(1)
    const kept = await rowsOf(at(), 'obfuscation_reservations', { customer_id: owner.id })
    expect(kept).toEqual([])
  })
})
