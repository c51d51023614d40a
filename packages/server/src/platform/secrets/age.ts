/**
 * Encryption of files in the format of `age` (https://age-encryption.org/v1), for a passphrase or for an X25519 public key.
 * It streams: the content is in chunks of 64 KiB, each authenticated with its place, and the last one marked, so that a file
 * which was changed, reordered or cut does not open. The primitives are Node's own, because those in JavaScript take twenty
 * times as long for a whole database.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import { type KeyPair, x25519, x25519Pair } from '@scriptward/client/wire'
import { bech32 } from '@scure/base'

export type AgeSeal = { readonly passphrase: string } | { readonly publicKey: string }
/** What may open a file; what does not fit is not tried. */
export type AgeKeys = { readonly passphrase?: string | undefined; readonly privateKey?: string | undefined }

/** The file does not open; the message says why and what to do. */
export class AgeFault extends Error {}

const INTRO = 'age-encryption.org/v1'
const CIPHER = 'chacha20-poly1305'
const FILE_KEY_BYTES = 16
const KEY_BYTES = 32
const NONCE_BYTES = 16
const TAG_BYTES = 16
const CHUNK_BYTES = 65_536
const SALT_BYTES = 16
/** 2^18 rounds take about a second, as `age` chooses. More than 2^22 would be a way to stop who opens a file. */
const WORK_FACTOR = 18
const MAX_WORK_FACTOR = 22
const MAX_HEADER_BYTES = 16_384
const DAMAGED = 'the file is damaged, or was changed or cut: use another backup'

/** A new pair as `age-keygen` writes it. */
export function makeAgeKeys(random = randomBytes): {
  readonly publicKey: string
  readonly privateKey: string
} {
  const secret = random(KEY_BYTES)
  const { publicKey } = x25519Pair(secret)
  return {
    publicKey: bech32.encodeFromBytes('age', publicKey),
    privateKey: bech32.encodeFromBytes('age-secret-key-', secret).toUpperCase(),
  }
}

export function isAgePublicKey(text: string): boolean {
  return keyBytes('age', text) !== undefined
}

/** Takes lines of an identity file too. */
export function readAgePrivateKey(text: string): string | undefined {
  const lines = text.split(/\s*\n\s*/).map((line) => line.trim())
  return lines.find((line) => keyBytes('age-secret-key-', line.toLowerCase()) !== undefined)
}

export function isAgeFile(beginning: Uint8Array): boolean {
  return Buffer.from(beginning.subarray(0, INTRO.length)).toString('latin1') === INTRO
}

export async function* ageEncrypted(
  content: AsyncIterable<Uint8Array>,
  seal: AgeSeal,
): AsyncGenerator<Buffer> {
  const fileKey = randomBytes(FILE_KEY_BYTES)
  const stanza = await ('passphrase' in seal
    ? passphraseStanza(seal.passphrase, fileKey)
    : publicKeyStanza(seal.publicKey, fileKey))
  const head = `${INTRO}\n${stanza}\n---`
  const nonce = randomBytes(NONCE_BYTES)
  yield Buffer.concat([Buffer.from(`${head} ${base64(macOf(fileKey, head))}\n`), nonce])
  const key = derived(fileKey, nonce, 'payload')
  let number = 0
  for await (const { chunk, isLast } of chunksOf(content, CHUNK_BYTES)) {
    const cipher = createCipheriv(CIPHER, key, chunkNonce(number, isLast), { authTagLength: TAG_BYTES })
    yield Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()])
    number += 1
  }
}

/** Throws an {@link AgeFault}; nothing that was not authenticated is ever yielded. */
export async function* ageDecrypted(file: AsyncIterable<Uint8Array>, keys: AgeKeys): AsyncGenerator<Buffer> {
  const { header, nonce, rest } = await readHeader(file)
  const fileKey = await fileKeyOf(header, keys)
  const { head, mac } = header
  if (!timingSafeEqual(mac, macOf(fileKey, head))) throw new AgeFault(DAMAGED)
  const key = derived(fileKey, nonce, 'payload')
  let number = 0
  for await (const { chunk, isLast } of chunksOf(rest, CHUNK_BYTES + TAG_BYTES)) {
    yield openChunk(key, chunkNonce(number, isLast), chunk)
    number += 1
  }
}

function openChunk(key: Buffer, nonce: Buffer, chunk: Buffer): Buffer {
  if (chunk.length < TAG_BYTES) throw new AgeFault(DAMAGED)
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAuthTag(chunk.subarray(-TAG_BYTES))
    const opened = decipher.update(chunk.subarray(0, -TAG_BYTES))
    return Buffer.concat([opened, decipher.final()])
  } catch {
    throw new AgeFault(DAMAGED)
  }
}

type Stanza = { readonly type: string; readonly words: readonly string[]; readonly body: Buffer }
type Header = { readonly head: string; readonly mac: Buffer; readonly stanzas: readonly Stanza[] }
type Opening = { readonly header: Header; readonly nonce: Buffer; readonly rest: AsyncIterable<Buffer> }

async function readHeader(file: AsyncIterable<Uint8Array>): Promise<Opening> {
  const source = file[Symbol.asyncIterator]()
  let read = Buffer.alloc(0)
  for (;;) {
    const end = endOfHeader(read)
    if (end !== undefined && read.length >= end + NONCE_BYTES) {
      const rest = remaining(read.subarray(end + NONCE_BYTES), source)
      const header = parseHeader(read.toString('latin1', 0, end))
      return { header, nonce: Buffer.from(read.subarray(end, end + NONCE_BYTES)), rest }
    }
    const next = await source.next()
    if (next.done || read.length > MAX_HEADER_BYTES) throw new AgeFault(DAMAGED)
    read = Buffer.concat([read, next.value])
  }
}

function endOfHeader(read: Buffer): number | undefined {
  const last = read.indexOf('\n--- ')
  const end = last < 0 ? -1 : read.indexOf('\n', last + 1)
  return end < 0 ? undefined : end + 1
}

async function* remaining(first: Buffer, source: AsyncIterator<Uint8Array>): AsyncGenerator<Buffer> {
  yield first
  for (let next = await source.next(); !next.done; next = await source.next()) yield Buffer.from(next.value)
}

function parseHeader(text: string): Header {
  const lines = text.split('\n').slice(0, -1)
  const mac = lines.at(-1)?.slice('--- '.length) ?? ''
  const head = text.slice(0, text.lastIndexOf('\n--- ') + '\n---'.length)
  if (lines[0] !== INTRO) throw new AgeFault(DAMAGED)
  return { head, mac: exactly(Buffer.from(mac, 'base64'), KEY_BYTES), stanzas: stanzasOf(lines.slice(1, -1)) }
}

function stanzasOf(lines: readonly string[]): Stanza[] {
  const stanzas: (Omit<Stanza, 'body'> & { lines: string[] })[] = []
  for (const line of lines) {
    const [arrow, type = '', ...words] = line.split(' ')
    if (arrow === '->') stanzas.push({ type, words, lines: [] })
    else stanzas.at(-1)?.lines.push(line)
  }
  return stanzas.map(({ type, words, lines: body }) => ({
    type,
    words,
    body: Buffer.from(body.join(''), 'base64'),
  }))
}

async function fileKeyOf({ stanzas }: Header, { passphrase, privateKey }: AgeKeys): Promise<Buffer> {
  const words = stanzas.find(({ type }) => type === 'scrypt')
  if (words !== undefined) return openByPassphrase(words, passphrase)
  if (privateKey === undefined)
    throw new AgeFault('it is sealed for a public key: name the file with its private key')
  const own = pairOf(privateKey)
  for (const stanza of stanzas.filter(({ type }) => type === 'X25519')) {
    const key = openByPrivateKey(stanza, own)
    if (key !== undefined) return key
  }
  throw new AgeFault('the private key is not the one that it is sealed for')
}

async function openByPassphrase({ words, body }: Stanza, passphrase: string | undefined): Promise<Buffer> {
  if (passphrase === undefined) throw new AgeFault('it is sealed with a passphrase: give it')
  const [salt = '', factor = ''] = words
  const rounds = /^[1-9]\d?$/.test(factor) ? Number(factor) : MAX_WORK_FACTOR + 1
  if (rounds > MAX_WORK_FACTOR) throw new AgeFault(DAMAGED)
  const key = await stretched(passphrase, Buffer.from(salt, 'base64'), rounds)
  return unwrapped(key, body) ?? wrongPassphrase()
}

function wrongPassphrase(): never {
  throw new AgeFault('the passphrase is wrong')
}

function openByPrivateKey({ words, body }: Stanza, own: KeyPair): Buffer | undefined {
  const share = exactly(Buffer.from(words[0] ?? '', 'base64'), KEY_BYTES)
  const shared = x25519(own.privateKey, share)
  return shared && unwrapped(wrappingKey(shared, share, own.publicKey), body)
}

async function passphraseStanza(passphrase: string, fileKey: Buffer): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const key = await stretched(passphrase, salt, WORK_FACTOR)
  return `-> scrypt ${base64(salt)} ${WORK_FACTOR}\n${base64(wrapped(key, fileKey))}`
}

function publicKeyStanza(publicKey: string, fileKey: Buffer): string {
  const receiver = keyBytes('age', publicKey)
  const once = x25519Pair(randomBytes(KEY_BYTES))
  const shared = receiver && x25519(once.privateKey, receiver)
  if (receiver === undefined || shared === undefined) throw new AgeFault('the public key is none of age')
  const key = wrappingKey(shared, once.publicKey, receiver)
  return `-> X25519 ${base64(once.publicKey)}\n${base64(wrapped(key, fileKey))}`
}

function wrappingKey(shared: Uint8Array, share: Uint8Array, receiver: Uint8Array): Buffer {
  return derived(shared, Buffer.concat([share, receiver]), `${INTRO}/X25519`)
}

function wrapped(key: Buffer, fileKey: Buffer): Buffer {
  const cipher = createCipheriv(CIPHER, key, Buffer.alloc(12), { authTagLength: TAG_BYTES })
  return Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()])
}

function unwrapped(key: Buffer, body: Buffer): Buffer | undefined {
  try {
    return openChunk(key, Buffer.alloc(12), exactly(body, FILE_KEY_BYTES + TAG_BYTES))
  } catch {
    return undefined
  }
}

function stretched(passphrase: string, salt: Buffer, workFactor: number): Promise<Buffer> {
  const cost = 2 ** workFactor
  // Twice what the blocks take: Node counts its own overhead against the limit.
  const options = { N: cost, r: 8, p: 1, maxmem: 2 * 128 * 8 * cost }
  const salted = Buffer.concat([Buffer.from(`${INTRO}/scrypt`), salt])
  return new Promise((resolve, reject) => {
    scrypt(passphrase, salted, KEY_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

function pairOf(privateKey: string): KeyPair {
  const secret = keyBytes('age-secret-key-', privateKey.toLowerCase())
  if (secret === undefined) throw new AgeFault('the private key is none of age')
  return x25519Pair(secret)
}

function keyBytes(prefix: string, text: string): Uint8Array | undefined {
  try {
    const decoded = bech32.decodeToBytes(text)
    return decoded.prefix === prefix && decoded.bytes.length === KEY_BYTES ? decoded.bytes : undefined
  } catch {
    return undefined
  }
}

function macOf(fileKey: Buffer, head: string): Buffer {
  return createHmac('sha256', derived(fileKey, Buffer.alloc(0), 'header'))
    .update(head)
    .digest()
}

function derived(secret: Uint8Array, salt: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, purpose, KEY_BYTES))
}

function chunkNonce(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(number, 5, 6)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '')
}

function exactly(bytes: Buffer, size: number): Buffer {
  if (bytes.length !== size) throw new AgeFault(DAMAGED)
  return bytes
}

type Chunk = { readonly chunk: Buffer; readonly isLast: boolean }

/** Chunks of `size` bytes; the last one may be shorter, and is empty only where all is. */
async function* chunksOf(content: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Chunk> {
  let waiting: Uint8Array[] = []
  let bytes = 0
  for await (const part of content) {
    waiting.push(part)
    bytes += part.length
    if (bytes <= size) continue
    const all = Buffer.concat(waiting)
    let from = 0
    for (; all.length - from > size; from += size)
      yield { chunk: all.subarray(from, from + size), isLast: false }
    waiting = [all.subarray(from)]
    bytes = all.length - from
  }
  yield { chunk: Buffer.concat(waiting), isLast: true }
}
