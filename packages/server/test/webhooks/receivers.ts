/** Receivers of one test, which are closed when it ends. */
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
