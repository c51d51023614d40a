/**
 * Sends the flood of request bodies for `fairness.ts`. Posts huge bodies to a URL concurrently for the given
 * number of milliseconds, then reports how often each status was returned. Runs as a separate process so that
 * its load doesn't slow down the measuring process.
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

/**
 * The server may return an error and close the connection before it has read the entire body. This counts as
 * status 0.
 */
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
