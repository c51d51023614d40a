/** Starts receivers for one test, and closes them when the test ends. */
import { afterEach } from 'vitest'
import { type Answer, ok, startReceiver } from './receiver.ts'

type Started = Awaited<ReturnType<typeof startReceiver>>

export function closedReceivers(): (answer?: Answer) => Promise<Started> {
  const receivers: Started[] = []
  afterEach(async () => {
    for (const receiver of receivers.splice(0)) await receiver.close()
  })
  return async (answer = ok) => {
    const receiver = await startReceiver(answer)
    receivers.push(receiver)
    return receiver
  }
}
