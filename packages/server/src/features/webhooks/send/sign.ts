/**
 * Signs messages according to Standard Webhooks 1.0: `webhook-id`, `webhook-timestamp` and
 * `webhook-signature` over `id.timestamp.body`. The asymmetric signature (`v1a`) is always present, so that
 * no secret has to be shared. Each of the endpoint's secrets adds a symmetric signature (`v1`).
 */
import { createHmac, type KeyObject, sign } from 'node:crypto'
import type { Message, Send } from './send.ts'

export type Signed = { readonly id: string; readonly at: number; readonly body: string }
/** A message. If it has `signing`, it is signed right before it is sent. */
export type Unsigned = Message & {
  readonly signing?: { readonly id: string; readonly at: number; readonly secrets: readonly string[] }
}

/** Sends all messages, and signs those that have `signing`. */
export function signedSend(send: Send, privateKey: KeyObject): Send<Unsigned> {
  return ({ signing, ...message }, stopped) => {
    if (signing === undefined) return send(message, stopped)
    const { secrets, ...rest } = signing
    const signature = signatureHeaders({ ...rest, body: message.body }, privateKey, secrets)
    return send({ ...message, headers: { ...message.headers, ...signature } }, stopped)
  }
}

/**
 * `at` is the time of this attempt in milliseconds. Each secret is a `whsec_…` string and adds a `v1`
 * signature.
 */
export function signatureHeaders(
  { id, at, body }: Signed,
  privateKey: KeyObject,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1000))
  const content = `${id}.${timestamp}.${body}`
  const asymmetric = `v1a,${sign(null, Buffer.from(content), privateKey).toString('base64')}`
  const symmetric = secrets.map((secret) => `v1,${hmac(keyOf(secret), content).toString('base64')}`)
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': [asymmetric, ...symmetric].join(' '),
  }
}

/** Derives the secret of an endpoint from a common secret, so that it doesn't have to be stored. */
export function addressSecret(master: string | KeyObject, projectId: string, kind: string): string {
  return `whsec_${hmac(master, `webhook${projectId}${kind}`).toString('base64')}`
}

/** Returns the public key in the form that receivers get. */
export function publicKeyText(publicKey: Uint8Array): string {
  return `whpk_${Buffer.from(publicKey).toString('base64')}`
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
}

function hmac(key: string | Buffer | KeyObject, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
