/**
 * Sends the login attempts for `fairness.ts` at a fixed rate per second, for the given number of
 * milliseconds. Each attempt uses a different network and email address, so that no per-client limit applies.
 * Reports the status of each attempt.
 */
import { setTimeout as wait } from 'node:timers/promises'

const [url = '', perSecond = '', forMs = ''] = process.argv.slice(2)
const STEP_MS = 10

const statuses: Promise<number>[] = []
process.send?.('ready')
process.once('message', async () => {
  const start = performance.now()
  for (let passed = 0; passed < Number(forMs); passed = performance.now() - start) {
    const due = (passed / 1000) * Number(perSecond)
    while (statuses.length < due) statuses.push(attempt(statuses.length))
    await wait(STEP_MS)
  }
  process.send?.(await Promise.all(statuses))
  process.disconnect()
})

async function attempt(n: number): Promise<number> {
  const headers = {
    'content-type': 'application/json',
    'x-forwarded-for': `10.${(n >> 8) & 255}.${n & 255}.1`,
  }
  const body = JSON.stringify({ email: `nobody-${n}@example.com`, password: 'a wrong password' })
  return fetch(url, { method: 'POST', headers, body }).then(
    async (response) => {
      await response.text()
      return response.status
    },
    () => 0,
  )
}
