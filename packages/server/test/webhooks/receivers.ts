/**
 * Starts receivers for one test.
 *
 * After the test, a receiver accepts everything and stays open until the last test of the `describe`. If its
 * port became free, a later test's receiver might get the same port, and with it the earlier test's
 * undelivered events.
 */
import { afterAll, afterEach } from 'vitest'
import { type Answer, ok, startReceiver } from './receiver.ts'

type Started = Awaited<ReturnType<typeof startReceiver>>

export function closedReceivers(): (answer?: Answer) => Promise<Started> {
  const receivers: Started[] = []
  afterEach(() => {
    for (const receiver of receivers) {
      receiver.answer(ok)
      receiver.cut()
    }
  })
  afterAll(async () => {
    for (const receiver of receivers.splice(0)) await receiver.close()
  })
  return async (answer = ok) => {
    const receiver = await startReceiver(answer)
    receivers.push(receiver)
    return receiver
  }
}
