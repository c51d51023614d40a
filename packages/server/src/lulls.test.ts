/** What may wait for a moment in which nobody waits for an answer, and how long. */
import { setImmediate, setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Lulls } from './lulls.ts'

const LONG_MS = 60_000

/** Whether what waits for the next one may go on. */
function waiting(lulls: Lulls, mostMs = LONG_MS): { isTold: boolean } {
  const one = { isTold: false }
  void lulls.next(mostMs).then(() => {
    one.isTold = true
  })
  return one
}

test('a lull is now when nobody waits for an answer', async () => {
  const one = waiting(new Lulls())
  await setImmediate()
  expect(one.isTold).toBe(true)
})

test('a lull comes when the last request has its answer, for all who wait for it', async () => {
  const lulls = new Lulls()
  lulls.begin()
  lulls.begin()
  const both = [waiting(lulls), waiting(lulls)]
  lulls.end()
  await setTimeout(5)
  expect(both).toEqual([{ isTold: false }, { isTold: false }])
  lulls.end()
  await setTimeout(5)
  expect(both).toEqual([{ isTold: true }, { isTold: true }])
})

test('a request that is read in the turn in which the last one ended comes before what waits', async () => {
  const lulls = new Lulls()
  lulls.begin()
  const one = waiting(lulls)
  lulls.end()
  lulls.begin()
  await setTimeout(5)
  expect(one.isTold).toBe(false)
  lulls.end()
  await setTimeout(5)
  expect(one.isTold).toBe(true)
})

test('nobody waits longer for a lull than he said, and who comes later waits anew', async () => {
  const lulls = new Lulls()
  lulls.begin()
  const [patient, impatient] = [waiting(lulls), waiting(lulls, 10)]
  await setTimeout(50)
  expect([impatient.isTold, patient.isTold]).toEqual([true, false])
  const later = waiting(lulls)
  await setTimeout(5)
  expect(later.isTold).toBe(false)
})
