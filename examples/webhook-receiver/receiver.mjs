// Receives webhooks and prints those with a valid signature. Rejects all others with status 401. Requires
// Node 20 or newer, and no packages. SCRIPTWARD_URL is the URL of your server, and PORT is the port to listen
// on. Webhooks are sent only to https URLs, so put a TLS proxy in front. To try it on one machine, set
// SCRIPTWARD_WEBHOOK_ALLOW_HTTP=true and SCRIPTWARD_WEBHOOK_ALLOW_CIDR=127.0.0.0/8 on the server instead.
import { createPublicKey, verify } from 'node:crypto'
import { createServer } from 'node:http'

const service = process.env.SCRIPTWARD_URL ?? 'http://127.0.0.1:8080'
const MAX_AGE_S = 300
const MAX_BYTES = 1_000_000
/**
 * Events may be delivered more than once, with the same ID. A real receiver stores the IDs of processed
 * events for as long as they must not be processed again.
 */
const seen = new Set()
let keys = []

async function readKeys() {
  const answer = await fetch(`${service}/.well-known/webhook-keys.json`)
  keys = (await answer.json()).keys.map(({ whpk }) => {
    const x = Buffer.from(whpk.slice('whpk_'.length), 'base64').toString('base64url')
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  })
}

function isSigned(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': list = '' } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(at)) <= MAX_AGE_S)) return false
  const content = Buffer.from(`${id}.${at}.${body}`)
  const signatures = [...list.matchAll(/(?:^| )v1a,(\S+)/g)].map(([, text]) => Buffer.from(text, 'base64'))
  return signatures.some((signature) => keys.some((key) => verify(null, content, key, signature)))
}

async function receive(request, response) {
  let body = ''
  for await (const piece of request.setEncoding('utf8')) {
    body += piece
    if (body.length > MAX_BYTES) return response.writeHead(413).end()
  }
  // The server may have rotated its keys since they were fetched.
  if (!isSigned(request.headers, body)) await readKeys()
  if (!isSigned(request.headers, body)) return response.writeHead(401).end()
  response.writeHead(204).end()
  const { id, type, data } = JSON.parse(body)
  if (!seen.has(id)) console.log(`${type} ${data.project?.name ?? ''}`)
  seen.add(id)
}

const server = createServer((request, response) => {
  receive(request, response).catch((error) => {
    console.error(error.message)
    response.destroy()
  })
})
server.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`)
})
