/** Whole days on the dashboard, as an author, a helper and an operator have them, from the first click to the last. */
import { describe, it } from 'vitest'
import { anyEngine } from '../../packages/server/test/databases.ts'
import { countEarnings, helpBuyer, lookBack, sellKeys, setUp, traceLeak } from './walk-author.ts'
import { addCustomer, checkService, pauseCustomer, raiseLimit, readChanges, signIn } from './walk-operator.ts'
import { walkSceneOn } from './walk-scene.ts'
import { extendKey, invite, kickSession, meetLimits, openShop, supportUser } from './walk-supporter.ts'
import {
  banDevice,
  endKey,
  exportAll,
  helpWithDevices,
  moveIn,
  openYear,
  pauseAndResume,
  sellByPlan,
  takeBack,
} from './walk-year.ts'

describe.each(anyEngine)('a day on $name', (engine) => {
  const at = walkSceneOn(engine)

  it('takes an author from the set-up link to keys that sell, buyers who are helped, and a leak that is found', async () => {
    const author = await setUp(at())
    const [buyer, leaker] = await sellKeys(author)
    await helpBuyer(author, buyer)
    await traceLeak(author, leaker)
    await countEarnings(author)
    await lookBack(author)
  })

  it('takes a helper from the invitation to users who run again, and shows nothing that is not theirs', async ({
    signal,
  }) => {
    const helper = await invite(await openShop(at()))
    await supportUser(helper)
    await extendKey(helper)
    await kickSession(helper, signal)
    await meetLimits(helper)
  })

  it('takes an operator from the state of the service to customers, their limits and the audit log', async () => {
    const operator = await signIn(at())
    await checkService(operator)
    const customer = await addCustomer(operator)
    await raiseLimit(operator, customer)
    await pauseCustomer(operator, customer)
    await readChanges(operator)
  })

  it('of many makes the year of an author who moves in, sells by plans, bans and takes a mistake back', async () => {
    const author = await openYear(at())
    await moveIn(author)
    await sellByPlan(author)
    await helpWithDevices(author)
    await pauseAndResume(author)
    await banDevice(author)
    await endKey(author)
    await takeBack(author)
    await exportAll(author)
  })
})
