/**
 * The process of `fairness.ts` that floods: it sends huge bodies to an address, many at a time, for some milliseconds, and
 * reports how many answers had which status. It has a process of its own, so that it delays the service alone.
 */
const [url = '', senders = '', forMs = ''] = process.argv.slice(2)
const MEMBERS = 125_000
const ATTACKER = '203.0.113.9'

const members = Array.from({ length: MEMBERS }, (_, i) => `"m${i}":1`)
const body = `{${members.join(',')}}`
const statuses: number[] = []
process.send?.('ready')
process.once('message', async () => {
  const until = performance.now() + Number(forMs)
  const sender = async () => {
    while (performance.now() < until) statuses.push(await sendBody())
  }
  await Promise.all(Array.from({ length: Number(senders) }, sender))
  process.send?.(statuses)
  process.disconnect()
})

/** A refusal before the whole body was read may close the connection: 0. */
async function sendBody(): Promise<number> {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': ATTACKER }
  return fetch(url, { method: 'POST', headers, body }).then(
    async (response) => {
      await response.text()
      return response.status
    },
    () => 0,
  )
}
