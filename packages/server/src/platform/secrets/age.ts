/**
 * Encryption of files in the format of `age` (https://age-encryption.org/v1), for a passphrase or for an X25519 public key.
 * It streams: a file that was changed, reordered or cut does not open, and nothing of a chunk is read before it was
 * authenticated.
 */
import { randomBytes } from 'node:crypto'
import { ReadableStream } from 'node:stream/web'
import { x25519Pair } from '@scriptward/client/wire'
import { bech32 } from '@scure/base'
import type { Decrypter, Identity, Stanza } from 'age-encryption'

export type AgeSeal = { readonly passphrase: string } | { readonly publicKey: string }
/** What may open a file; what does not fit is not tried. */
export type AgeKeys = { readonly passphrase?: string | undefined; readonly privateKey?: string | undefined }

/** The file does not open; the message says why and what to do. */
export class AgeFault extends Error {}

const INTRO = 'age-encryption.org/v1'
const KEY_BYTES = 32
const MAX_HEADER_BYTES = 16_384
const DAMAGED = 'the file is damaged, or was changed or cut: use another backup'

/** Loaded with the first file: keys are checked without it, and a service that makes no backups holds none of it. */
const library = () => import('age-encryption')

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
): AsyncGenerator<Uint8Array> {
  const { Encrypter } = await library()
  const encrypter = new Encrypter()
  if ('passphrase' in seal) encrypter.setPassphrase(seal.passphrase)
  else if (isAgePublicKey(seal.publicKey)) encrypter.addRecipient(seal.publicKey)
  else throw new AgeFault('the public key is none of age')
  yield* await encrypter.encrypt(ReadableStream.from(content) as globalThis.ReadableStream<Uint8Array>)
}

/** Throws an {@link AgeFault}, or what reading the file throws. */
export async function* ageDecrypted(
  file: AsyncIterable<Uint8Array>,
  keys: AgeKeys,
): AsyncGenerator<Uint8Array> {
  let failure: unknown
  const source = async function* () {
    try {
      yield* withShortHeader(file)
    } catch (error) {
      failure = error
      throw error
    }
  }
  try {
    const stream = ReadableStream.from(source()) as globalThis.ReadableStream<Uint8Array>
    yield* await (await decrypterFor(keys)).decrypt(stream)
  } catch (error) {
    throw failure ?? (error instanceof AgeFault ? error : new AgeFault(DAMAGED))
  }
}

/** The library reads on until a header ends, however long it is. */
async function* withShortHeader(file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let header: Buffer | undefined = Buffer.alloc(0)
  for await (const part of file) {
    if (header !== undefined) {
      header = Buffer.concat([header, part])
      if (header.includes('\n--- ')) header = undefined
      else if (header.length > MAX_HEADER_BYTES) throw new AgeFault(DAMAGED)
    }
    yield part
  }
}

/** Identities are asked in this order. The first and the last of them open nothing, but know why. */
async function decrypterFor({ passphrase, privateKey }: AgeKeys): Promise<Decrypter> {
  const { Decrypter } = await library()
  const decrypter = new Decrypter()
  decrypter.addIdentity(refusing('it is sealed with a passphrase: give it', passphrase, true))
  decrypter.addIdentity(
    refusing('it is sealed for a public key: name the file with its private key', privateKey, false),
  )
  if (passphrase !== undefined) decrypter.addPassphrase(passphrase)
  if (privateKey !== undefined) decrypter.addIdentity(validated(privateKey))
  decrypter.addIdentity(refusing('the passphrase is wrong', undefined, true))
  decrypter.addIdentity(refusing('the private key is not the one that it is sealed for', undefined, false))
  return decrypter
}

/** Throws the message for a file of this kind, unless the key is there. */
function refusing(message: string, key: string | undefined, isForPassphrase: boolean): Identity {
  return {
    unwrapFileKey(stanzas: Stanza[]) {
      const hasPassphrase = stanzas.some(({ args }) => args[0] === 'scrypt')
      if (key === undefined && hasPassphrase === isForPassphrase) throw new AgeFault(message)
      return null
    },
  }
}

function validated(privateKey: string): string {
  if (readAgePrivateKey(privateKey) !== undefined) return privateKey.trim().toUpperCase()
  throw new AgeFault('the private key is none of age')
}

function keyBytes(prefix: string, text: string): Uint8Array | undefined {
  try {
    const decoded = bech32.decodeToBytes(text)
    return decoded.prefix === prefix && decoded.bytes.length === KEY_BYTES ? decoded.bytes : undefined
  } catch {
    return undefined
  }
}
