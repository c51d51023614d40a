// Checks a key with a Scriptward service, and accepts only responses that the service signed for this
// request. No dependencies; runs in Node 20 and newer and in browsers whose WebCrypto supports Ed25519.
// See docs/checking-keys.md for usage and the meaning of each answer.

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const TIMEOUT_MS = 15_000

/** There is no trustworthy response: `kind` is `network`, `refused` (with `status`) or `forged`. Never means "denied". */
export class CheckError extends Error {
  constructor(kind, message, status) {
    super(message)
    this.name = 'CheckError'
    this.kind = kind
    this.status = status
  }
}

/**
 * Checks a key. Resolves to the answer, whose `success` indicates whether the key is valid; rejects with a
 * CheckError if there is no trustworthy response.
 *
 * - `url`: base URL of the client protocol, such as `https://ward.example.com/client/v1`.
 * - `publicKeys`: the service's Ed25519 keys in base64url. Hard-code them; never fetch them together with the answer.
 * - `fingerprint`: the result of `deviceComponent` for the device; omit it if devices are not identified.
 * - `claim`: bind the key to this device if it is not bound yet.
 */
export async function checkKey({ url, projectId, publicKeys, key, fingerprint = null, claim = false }) {
  const nonce = encode(globalThis.crypto.getRandomValues(new Uint8Array(24)))
  const question = { project_id: projectId, key, fingerprint, nonce, claim }
  const { text, signature } = await ask(`${url}/check`, JSON.stringify(question))
  return openAnswer({ text, signature, publicKeys, question })
}

/** Returns the answer in `text` if one of the keys signed it for this request; otherwise throws a CheckError. */
export async function openAnswer({ text, signature, publicKeys, question }) {
  const signed = /^ed25519=([A-Za-z0-9_-]{86})$/.exec(signature ?? '')
  if (!signed || !(await isSigned(text, decode(signed[1]), publicKeys))) {
    throw new CheckError('forged', 'the response is not signed by any of the public keys')
  }
  const answer = JSON.parse(text)
  if (answer.nonce !== question.nonce || answer.asked !== (await digestOf(question))) {
    throw new CheckError('forged', 'the response belongs to a different request')
  }
  return answer
}

/** Derives the identifier of a device in one project, so that the raw value never leaves the machine. */
export async function deviceComponent(projectId, value, name = 'machine_id') {
  return encode((await sha256(['lp1 fp', projectId, name, value].join('\0'))).subarray(0, 16))
}

async function ask(url, body) {
  let response
  try {
    // Browsers send plain text to other origins without a preflight request.
    const headers = { 'content-type': 'text/plain' }
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    response = await fetch(url, { method: 'POST', body, headers, signal, redirect: 'error' })
    const text = await response.text()
    if (response.status === 200) return { text, signature: response.headers.get('scriptward-signature') }
  } catch (error) {
    throw new CheckError('network', `the server cannot be reached: ${error.message}`)
  }
  throw new CheckError('refused', `the server responded with status ${response.status}`, response.status)
}

async function isSigned(text, signature, publicKeys) {
  const message = new TextEncoder().encode(`lp1 check\0${text}`)
  for (const publicKey of publicKeys) {
    const bytes = decode(publicKey)
    const key = await globalThis.crypto.subtle.importKey('raw', bytes, { name: 'Ed25519' }, false, ['verify'])
    if (await globalThis.crypto.subtle.verify({ name: 'Ed25519' }, key, signature, message)) return true
  }
  return false
}

async function digestOf({ project_id, key, fingerprint, nonce }) {
  return encode(await sha256(['lp1 asked', project_id, key, fingerprint ?? '', nonce].join('\0')))
}

async function sha256(text) {
  return new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}

function encode(bytes) {
  let text = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const word = (bytes[i] << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
    const count = Math.min(bytes.length - i, 3) + 1
    for (let n = 0; n < count; n += 1) text += BASE64URL[(word >> (18 - 6 * n)) & 63]
  }
  return text
}

function decode(text) {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4))
  let word = 0
  let bits = 0
  let at = 0
  for (const letter of text) {
    word = ((word << 6) | BASE64URL.indexOf(letter)) & 0xffff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    bytes[at] = (word >> bits) & 255
    at += 1
  }
  return bytes
}
