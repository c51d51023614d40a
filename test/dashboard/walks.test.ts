/**
 * Tests entire days on the dashboard as an author, a supporter and an operator, from the first click to the
 * last.
 */
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

describe.each(anyEngine)('a guided tour on $name', (engine) => {
  const at = walkSceneOn(engine)

  it('takes an author from the setup link to keys that sell, buyers who get help, and a traced leak', async () => {
    const author = await setUp(at())
    const [buyer, leaker] = await sellKeys(author)
    await helpBuyer(author, buyer)
    await traceLeak(author, leaker)
    await countEarnings(author)
    await lookBack(author)
  })

  it('takes a supporter from the invitation to users who can run again, and shows nothing else', async ({
    signal,
  }) => {
    const helper = await invite(await openShop(at()))
    await supportUser(helper)
    await extendKey(helper)
    await kickSession(helper, signal)
    await meetLimits(helper)
  })

  it('takes an operator from system health to accounts, their limits and the audit log', async () => {
    const operator = await signIn(at())
    await checkService(operator)
    const customer = await addCustomer(operator)
    await raiseLimit(operator, customer)
    await pauseCustomer(operator, customer)
    await readChanges(operator)
  })

  it('takes an author through a year of moving in, selling with plans, blocking and undoing a mistake', async () => {
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
