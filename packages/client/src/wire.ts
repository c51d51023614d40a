// Framing, keys and encryption for the client protocol (§5–§12), using only node:crypto. Contains everything
// that the server needs, and the parts of the client that Node programs and tests need. The contents of the
// encrypted messages are in messages.ts. Heartbeats and WebSocket frames are in live.ts. Untrusted input
// never causes an exception: for an invalid string, key or tag, functions return undefined or a named
// failure.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  type KeyObject,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto'
import {
  type BootFailure,
  type BootRecord,
  type Denial,
  type Grant,
  MAX_MESSAGE_BYTES,
  PROTOCOL,
  REPLY_BLOCK_BYTES,
  type UnsignedBootRecord,
} from './messages.ts'

export const SUITE = 'LP1_X25519_ChaChaPoly_SHA256'
export const KEY_BYTES = 32
export const TAG_BYTES = 16
export const BOOT_ID_BYTES = 40
export const EXECUTION_ID_BYTES = 16

// ---- base64url ------------------------------------------------------------------------------------------------

export function toB64u(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64url')
}

/**
 * Decodes strictly: no padding, no characters outside the alphabet, no stray bits at the end, and the exact
 * size if one is given.
 */
export function fromB64u(text: string, sizeBytes?: number): Buffer | undefined {
  if (sizeBytes !== undefined && text.length !== Math.ceil((sizeBytes * 4) / 3)) return undefined
  if (text.length % 4 === 1) return undefined
  const bytes = Buffer.from(text, 'base64url')
  // Node skips invalid characters, so a string is canonical only if Node encodes the bytes back to the same
  // string.
  return bytes.toString('base64url') === text ? bytes : undefined
}

// ---- keys -----------------------------------------------------------------------------------------------------

/** A parsed key pair. Keys are parsed only once, because parsing a key takes as long as using it. */
export interface KeyPair {
  readonly publicKey: Buffer
  readonly privateKey: KeyObject
}

/** The server's static key pair, with its key ID in the protocol. */
export interface StaticKey extends KeyPair {
  readonly kid: string
}

/** Derives an X25519 pair from 32 secret bytes. */
export function x25519Pair(secret: Uint8Array): KeyPair {
  return keyPair(X25519_PRIVATE_DER, secret)
}

/** Derives an Ed25519 pair from its 32-byte seed. */
export function ed25519Pair(seed: Uint8Array): KeyPair {
  return keyPair(ED25519_PRIVATE_DER, seed)
}

export function staticKey(secret: Uint8Array): StaticKey {
  const pair = x25519Pair(secret)
  return { ...pair, kid: keyId(pair.publicKey) }
}

/** Returns the first 4 bytes of a static public key's SHA-256, in hex (§5). */
export function keyId(publicKey: Uint8Array): string {
  return createHash('sha256').update(publicKey).digest('hex').slice(0, 8)
}

/**
 * Returns the shared secret, or undefined if the peer's key is not 32 bytes or has a small order (all-zero
 * secret).
 */
export function x25519(privateKey: KeyObject, peer: Uint8Array): Buffer | undefined {
  if (peer.length !== KEY_BYTES) return undefined
  try {
    const shared = diffieHellman({ privateKey, publicKey: importPublic(X25519_PUBLIC_DER, peer) })
    return shared.every((byte) => byte === 0) ? undefined : shared
  } catch {
    // OpenSSL throws for points of small order.
    return undefined
  }
}

// ---- boot record ----------------------------------------------------------------------------------------------

export interface BootId {
  /** 12 random bytes in hex, stored to detect when the ID is used again. */
  readonly nonce: string
  readonly expires: number
}

/**
 * Returns `nonce ‖ H(script_id)[0..4] ‖ u64be(expires) ‖ HMAC(boot_master, …)[0..16]` (§7). `nonce` is 12
 * random bytes.
 */
export function makeBootId(
  bootMaster: Uint8Array,
  { nonce, scriptId, expires }: { nonce: Uint8Array; scriptId: string; expires: number },
): Buffer {
  const id = Buffer.alloc(BOOT_ID_BYTES)
  id.set(nonce.subarray(0, 12), 0)
  id.set(scriptTag(scriptId), 12)
  id.writeBigUInt64BE(BigInt(expires), 16)
  id.set(bootTag(bootMaster, id), 24)
  return id
}

/** Checks a boot ID's authenticity and expiry. The caller ensures that it is used only once. */
export function checkBootId(bootMaster: Uint8Array, boot: Uint8Array, now: number): BootId | BootFailure {
  if (boot.length !== BOOT_ID_BYTES) return 'boot_invalid'
  const id = Buffer.from(boot.buffer, boot.byteOffset, boot.length)
  if (!timingSafeEqual(bootTag(bootMaster, id), id.subarray(24))) return 'boot_invalid'
  const expires = Number(id.readBigUInt64BE(16))
  return now >= expires ? 'boot_expired' : { nonce: id.toString('hex', 0, 12), expires }
}

export function isBootForScript(boot: Uint8Array, scriptId: string): boolean {
  return timingSafeEqual(boot.subarray(12, 16), scriptTag(scriptId))
}

/** Derives the ephemeral pair `E` from the boot ID, so that nothing has to be stored per download (§7). */
export function bootEphemeral(bootMaster: Uint8Array, boot: Uint8Array): KeyPair {
  return x25519Pair(expand(bootMaster, Buffer.concat([BOOT_EPHEMERAL_LABEL, boot]), KEY_BYTES))
}

/**
 * Returns the text that `sig` signs: the label, a zero byte, and the record's JSON with its fields in the
 * order of §7.
 */
export function bootSignatureText(record: UnsignedBootRecord): Buffer {
  const { v, kid, boot, ek, seed, st, sv, minlb, pv, urls } = record
  return Buffer.from(`lp1 boot\0${JSON.stringify({ v, kid, boot, ek, seed, st, sv, minlb, pv, urls })}`)
}

/** Adds `sig` as the last field, so that the signed text is a prefix of the record's JSON. */
export function signBootRecord(ed25519: KeyObject, record: UnsignedBootRecord): BootRecord {
  const { v, kid, boot, ek, seed, st, sv, minlb, pv, urls } = record
  const sig = toB64u(sign(null, bootSignatureText(record), ed25519))
  return { v, kid, boot, ek, seed, st, sv, minlb, pv, urls, sig }
}

export function isBootRecordSigned(ed25519Public: Uint8Array, record: BootRecord): boolean {
  const signature = fromB64u(record.sig, 64)
  if (!signature || ed25519Public.length !== KEY_BYTES) return false
  return verify(null, bootSignatureText(record), importPublic(ED25519_PUBLIC_DER, ed25519Public), signature)
}

// ---- handshake ------------------------------------------------------------------------------------------------

export interface HandshakeKeys {
  /** Transcript hash, used as additional authenticated data for both boxes. */
  readonly h: Buffer
  readonly prk: Buffer
  readonly c2s: Buffer
  readonly s2c: Buffer
}

export interface SessionKeys {
  readonly payload: Buffer
  readonly beat: Buffer
  readonly ws: Buffer
  readonly lease: Buffer
}

/** The data about the server that a client has before the handshake. */
export interface ServerIdentity {
  readonly kid: string
  readonly staticPublic: Uint8Array
  readonly boot: Uint8Array
  readonly ek: Uint8Array
}

export function serverHandshake(
  fixed: StaticKey,
  ephemeral: KeyPair,
  boot: Uint8Array,
  ep: Uint8Array,
): HandshakeKeys | undefined {
  const es = x25519(fixed.privateKey, ep)
  const ee = es && x25519(ephemeral.privateKey, ep)
  if (!es || !ee) return undefined
  return deriveHandshake(transcript(fixed.kid, boot, ephemeral.publicKey, ep), es, ee)
}

export function clientHandshake(server: ServerIdentity, own: KeyPair): HandshakeKeys | undefined {
  const es = x25519(own.privateKey, server.staticPublic)
  const ee = es && x25519(own.privateKey, server.ek)
  if (!es || !ee) return undefined
  return deriveHandshake(transcript(server.kid, server.boot, server.ek, own.publicKey), es, ee)
}

/**
 * Derives the keys after a grant. `gn` is the server's 32 random bytes, so the keys are fresh even if the
 * client's randomness is not.
 */
export function sessionKeys(prk: Uint8Array, gn: Uint8Array): SessionKeys {
  const [payload, beat, ws, lease] = splitKeys(expand(prk, Buffer.concat([SESSION_LABEL, gn]), 4 * KEY_BYTES))
  return { payload, beat, ws, lease } as SessionKeys
}

// ---- encryption
// -----------------------------------------------------------------------------------------------

const CIPHER = 'chacha20-poly1305'
const TAG = { authTagLength: TAG_BYTES }

/**
 * Either 32 bytes, or a key object for long-lived keys, because a slice of derived bytes keeps the entire
 * underlying buffer in memory.
 */
export type SealingKey = Uint8Array | KeyObject

/**
 * Encrypts with ChaCha20-Poly1305 (RFC 8439) and returns the encrypted text with its 16-byte tag. The nonce
 * is 4 zero bytes and u64le(counter).
 */
export function seal(key: SealingKey, counter: number, aad: Uint8Array, text: Uint8Array | string): Buffer {
  const cipher = createCipheriv(CIPHER, keyObject(key), nonceOf(counter), TAG)
  cipher.setAAD(aad, { plaintextLength: Buffer.byteLength(text) })
  const body = typeof text === 'string' ? cipher.update(text, 'utf8') : cipher.update(text)
  cipher.final()
  return Buffer.concat([body, cipher.getAuthTag()])
}

/** Decrypts a box. Returns undefined if any part of it was modified. */
export function open(key: SealingKey, counter: number, aad: Uint8Array, box: Uint8Array): Buffer | undefined {
  if (box.length < TAG_BYTES) return undefined
  const decipher = createDecipheriv(CIPHER, keyObject(key), nonceOf(counter), TAG)
  decipher.setAAD(aad, { plaintextLength: box.length - TAG_BYTES })
  decipher.setAuthTag(box.subarray(box.length - TAG_BYTES))
  const text = decipher.update(box.subarray(0, box.length - TAG_BYTES))
  try {
    decipher.final()
    return text
  } catch {
    return undefined
  }
}

/** Node also accepts bytes here, but checking them takes longer than the encryption itself. */
const keyObject = (key: SealingKey) => (key instanceof Uint8Array ? createSecretKey(key) : key)

/** Returns 4 zero bytes and u64le(counter). */
function nonceOf(counter: number): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64LE(BigInt(counter), 4)
  return nonce
}

/**
 * Returns the additional authenticated data of every payload part. The inline part is part 0; chunk n is part
 * n.
 */
export function payloadAad(exec: string): Buffer {
  return Buffer.from(`lp1 payload${exec}`)
}

export function sealPayload(key: Uint8Array, exec: string, part: number, bytes: Uint8Array): Buffer {
  return seal(key, part, payloadAad(exec), bytes)
}

export function openPayload(
  key: Uint8Array,
  exec: string,
  part: number,
  box: Uint8Array,
): Buffer | undefined {
  return open(key, part, payloadAad(exec), box)
}

// ---- bodies ---------------------------------------------------------------------------------------------------

/** For `unsupported_protocol`, the response is HTTP 426. For the name of an invalid field, it is HTTP 400. */
export type BadBody = 'unsupported_protocol' | 'body' | 'kid' | 'boot' | 'ep' | 'exec' | 'n' | 'box'

export interface ExecRequest {
  readonly kid: string
  readonly boot: Buffer
  readonly ep: Buffer
  readonly box: Buffer
}

/** Parses `lp1.<kid>.<boot>.<ep>.<box>`. The box contains a hello of at most 64 KB and its tag. */
export function parseExec(body: string): ExecRequest | BadBody {
  const fields = splitBody(body, 5)
  if (typeof fields === 'string') return fields
  const [, kid = '', bootText = '', epText = '', boxText = ''] = fields
  if (!/^[0-9a-f]{8}$/.test(kid)) return 'kid'
  const boot = fromB64u(bootText, BOOT_ID_BYTES)
  if (!boot) return 'boot'
  const ep = fromB64u(epText, KEY_BYTES)
  if (!ep) return 'ep'
  const box = parseBox(boxText)
  return box ? { kid, boot, ep, box } : 'box'
}

export function formatExec({ kid, boot, ep, box }: ExecRequest): string {
  return `${PROTOCOL}.${kid}.${toB64u(boot)}.${toB64u(ep)}.${toB64u(box)}`
}

/**
 * Encrypts the reply to `/exec`, padded so that its length does not distinguish a grant from a denial (§8).
 */
export function sealReply(keys: HandshakeKeys, reply: Grant | Denial, payloadBox?: Uint8Array): string {
  return formatReply(sealReplyBox(keys, reply), payloadBox)
}

export function sealReplyBox(keys: HandshakeKeys, reply: Grant | Denial): Buffer {
  return seal(keys.s2c, 0, keys.h, padReply(reply))
}

export function formatReply(replyBox: Uint8Array, payloadBox?: Uint8Array): string {
  const text = `${PROTOCOL}.${toB64u(replyBox)}`
  return payloadBox ? `${text}.${toB64u(payloadBox)}` : text
}

/** The client's counterpart of `sealReply`. Does not validate the decrypted JSON text. */
export function openReply(
  keys: HandshakeKeys,
  body: string,
): { json: string; payloadBox?: Buffer } | undefined {
  const [tag, boxText = '', payloadText, ...rest] = body.split('.')
  const box = fromB64u(boxText)
  if (tag !== PROTOCOL || !box || rest.length > 0) return undefined
  const json = open(keys.s2c, 0, keys.h, box)?.toString('utf8')
  if (json === undefined) return undefined
  if (payloadText === undefined) return { json }
  const payloadBox = fromB64u(payloadText)
  return payloadBox && { json, payloadBox }
}

/** Serializes a reply, with a `_` field that pads it to a multiple of 256 bytes. */
export function padReply(reply: Grant | Denial): string {
  const json = JSON.stringify(reply)
  const bare = Buffer.byteLength(json) + ',"_":""'.length
  const padding = (REPLY_BLOCK_BYTES - (bare % REPLY_BLOCK_BYTES)) % REPLY_BLOCK_BYTES
  return `${json.slice(0, -1)},"_":"${'.'.repeat(padding)}"}`
}

// ---- building blocks of live.ts -------------------------------------------------------------------------------

/** HKDF-Expand with SHA-256 (RFC 5869 §2.3). Node's `hkdf` always extracts first. */
export function expand(prk: Uint8Array, label: Uint8Array, sizeBytes: number): Buffer {
  const key = createSecretKey(prk)
  const blocks: Buffer[] = []
  let previous: Buffer = Buffer.alloc(0)
  for (let n = 1; (n - 1) * HASH_BYTES < sizeBytes; n += 1) {
    previous = createHmac('sha256', key).update(previous).update(label).update(Uint8Array.of(n)).digest()
    blocks.push(previous)
  }
  return Buffer.concat(blocks).subarray(0, sizeBytes)
}

/** Splits derived bytes into 32-byte keys. */
export function splitKeys(keys: Buffer): Buffer[] {
  const parts: Buffer[] = []
  for (let at = 0; at < keys.length; at += KEY_BYTES) parts.push(keys.subarray(at, at + KEY_BYTES))
  return parts
}

/** Splits a body into exactly `count` fields. The first one must be the protocol's tag. */
export function splitBody(body: string, count: number): string[] | BadBody {
  if (!body.startsWith(`${PROTOCOL}.`)) return /^lp\d+\./.test(body) ? 'unsupported_protocol' : 'body'
  const fields = body.split('.', count + 1)
  return fields.length === count ? fields : 'body'
}

/** Parses a box, which has at least a tag and at most 64 KB of text. */
export function parseBox(text: string): Buffer | undefined {
  if (text.length > MAX_BOX_CHARACTERS) return undefined
  const box = fromB64u(text)
  return box && box.length >= TAG_BYTES ? box : undefined
}

// ---- private --------------------------------------------------------------------------------------------------

// Prefixes of a 32-byte raw key in PKCS #8 and in SubjectPublicKeyInfo (RFC 8410).
const X25519_PRIVATE_DER = Buffer.from('302e020100300506032b656e04220420', 'hex')
const ED25519_PRIVATE_DER = Buffer.from('302e020100300506032b657004220420', 'hex')
const X25519_PUBLIC_DER = Buffer.from('302a300506032b656e032100', 'hex')
const ED25519_PUBLIC_DER = Buffer.from('302a300506032b6570032100', 'hex')

const BOOT_EPHEMERAL_LABEL = Buffer.from('lp1 boot eph')
const SESSION_LABEL = Buffer.from('lp1 session')
const HANDSHAKE_LABEL = Buffer.from('lp1 handshake')
const HASH_BYTES = 32
const MAX_BOX_CHARACTERS = Math.ceil(((MAX_MESSAGE_BYTES + TAG_BYTES) * 4) / 3)

function keyPair(prefix: Buffer, secret: Uint8Array): KeyPair {
  const privateKey = createPrivateKey({ key: Buffer.concat([prefix, secret]), format: 'der', type: 'pkcs8' })
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  return { publicKey: spki.subarray(spki.length - KEY_BYTES), privateKey }
}

function importPublic(prefix: Buffer, raw: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([prefix, raw]), format: 'der', type: 'spki' })
}

function scriptTag(scriptId: string): Buffer {
  return createHash('sha256').update(scriptId).digest().subarray(0, 4)
}

function bootTag(bootMaster: Uint8Array, id: Buffer): Buffer {
  return createHmac('sha256', createSecretKey(bootMaster))
    .update('lp1 boot id')
    .update(id.subarray(0, 24))
    .digest()
    .subarray(0, 16)
}

function transcript(kid: string, boot: Uint8Array, ek: Uint8Array, ep: Uint8Array): Buffer {
  return createHash('sha256').update(SUITE).update(kid, 'hex').update(boot).update(ek).update(ep).digest()
}

function deriveHandshake(h: Buffer, es: Buffer, ee: Buffer): HandshakeKeys {
  const prk = createHmac('sha256', createSecretKey(h)).update(es).update(ee).digest()
  const [c2s, s2c] = splitKeys(expand(prk, HANDSHAKE_LABEL, 2 * KEY_BYTES))
  return { h, prk, c2s, s2c } as HandshakeKeys
}
