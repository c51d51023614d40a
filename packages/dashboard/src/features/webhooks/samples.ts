/** Code samples that verify a signature, including one with this server's public key. */

/** Signature v1a of Standard Webhooks: Ed25519 over id, timestamp and body. */
export function nodeSample(whpk: string): string {
  return `import { createPublicKey, verify } from 'node:crypto'

const whpk = '${whpk}'
const x = Buffer.from(whpk.slice('whpk_'.length), 'base64').toString('base64url')
const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })

// \`body\` is the raw text of the request, before parsing.
export function isGenuine(headers, body) {
  const id = headers['webhook-id']
  const seconds = Number(headers['webhook-timestamp'])
  const signature = /(?:^| )v1a,(\\S+)/.exec(headers['webhook-signature'])?.[1]
  if (!signature || !(Math.abs(Date.now() / 1000 - seconds) < 300)) return false
  const content = Buffer.from(\`\${id}.\${seconds}.\${body}\`)
  return verify(null, content, key, Buffer.from(signature, 'base64'))
}`
}

export function pythonSample(whpk: string): string {
  return `import base64, re, time
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

WHPK = "${whpk}"
KEY = Ed25519PublicKey.from_public_bytes(base64.b64decode(WHPK.removeprefix("whpk_")))

# \`body\` is the bytes as they arrived, before they are parsed.
def is_genuine(headers, body):
    event, seconds = headers["webhook-id"], headers["webhook-timestamp"]
    found = re.search(r"(?:^| )v1a,(\\S+)", headers["webhook-signature"])
    if not found or abs(time.time() - int(seconds)) > 300:
        return False
    try:
        KEY.verify(base64.b64decode(found[1]), f"{event}.{seconds}.".encode() + body)
        return True
    except InvalidSignature:
        return False`
}

/** Signature v1, verified with the Standard Webhooks library. */
export const LIBRARY_SAMPLE = `import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.WEBHOOK_SECRET) // whsec_…

// Throws if the signature is invalid; otherwise returns the event.
const event = webhook.verify(body, headers)`
