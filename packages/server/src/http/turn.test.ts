/** When answers are sent that could be sent at once. */
import { setImmediate, setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { atEndOfTurn, whenAllAreTold } from './turn.ts'

test('answers known while requests are read wait for those of the same turn', async () => {
  const seen: string[] = []
  const together = atEndOfTurn()
  together(() => seen.push('first sent'))
  await new Promise<void>((resolve) => process.nextTick(resolve))
  seen.push('second read')
  together(() => seen.push('second sent'))
  await setImmediate()
  expect(seen).toEqual(['second read', 'first sent', 'second sent'])
})

test('answers that a commit makes known are sent together, before a timer that came due meanwhile', async () => {
  const seen: string[] = []
  const together = whenAllAreTold()
  await setImmediate()
  const due = setTimeout(1).then(() => seen.push('timer'))
  const until = performance.now() + 3
  while (performance.now() < until);
  const committed = Promise.resolve()
  for (const name of ['first', 'second'])
    void committed.then(() => {
      seen.push(`${name} told`)
      together(() => seen.push(`${name} sent`))
    })
  await due
  expect(seen).toEqual(['first told', 'second told', 'first sent', 'second sent', 'timer'])
})
