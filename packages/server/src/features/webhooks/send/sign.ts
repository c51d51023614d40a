/**
 * Signatures after Standard Webhooks 1.0: `webhook-id`, `webhook-timestamp` and `webhook-signature` over
 * `id.timestamp.body`. Asymmetric (`v1a`) always, so that there is no secret to hand out; symmetric (`v1`) besides, for each
 * secret of the address.
 */
import { createHmac, type KeyObject, sign } from 'node:crypto'
import type { Message, Send } from './send.ts'

export type Signed = { readonly id: string; readonly at: number; readonly body: string }
/** A message that gets its signature, if any, right before it is sent. */
export type Unsigned = Message & {
  readonly signing?: { readonly id: string; readonly at: number; readonly secrets: readonly string[] }
}

/** Signs messages with `signing`, and sends all of them. */
export function signedSend(send: Send, privateKey: KeyObject): Send<Unsigned> {
  return ({ signing, ...message }, stopped) => {
    if (signing === undefined) return send(message, stopped)
    const { secrets, ...rest } = signing
    const signature = signatureHeaders({ ...rest, body: message.body }, privateKey, secrets)
    return send({ ...message, headers: { ...message.headers, ...signature } }, stopped)
  }
}

/** `at` is the time of this attempt, in milliseconds; each secret, one `whsec_…`, adds a signature `v1`. */
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

/** The secret of one address, derived from one for all addresses, so that none has to be stored. */
export function addressSecret(master: string | KeyObject, projectId: string, kind: string): string {
  return `whsec_${hmac(master, `webhook${projectId}${kind}`).toString('base64')}`
}

/** A public key in the form that receivers are given. */
export function publicKeyText(publicKey: Uint8Array): string {
  return `whpk_${Buffer.from(publicKey).toString('base64')}`
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
}

function hmac(key: string | Buffer | KeyObject, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
