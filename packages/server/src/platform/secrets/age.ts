/**
 * Encrypts files in the `age` format (https://age-encryption.org/v1), for a passphrase or an X25519 public
 * key. Files are streamed. A modified, reordered or truncated file can't be decrypted, and no part of a chunk
 * is used before the chunk is authenticated.
 */
import { randomBytes } from 'node:crypto'
import { ReadableStream } from 'node:stream/web'
import { x25519Pair } from '@scriptward/client/wire'
import { bech32 } from '@scure/base'
import type { Decrypter, Identity, Stanza } from 'age-encryption'

export type AgeSeal = { readonly passphrase: string } | { readonly publicKey: string }
/** Keys that may decrypt a file. Keys of the wrong kind are not tried. */
export type AgeKeys = { readonly passphrase?: string | undefined; readonly privateKey?: string | undefined }

/** Thrown if the file can't be decrypted. The message explains why, and how to fix it. */
export class AgeFault extends Error {}

const INTRO = 'age-encryption.org/v1'
const KEY_BYTES = 32
const MAX_HEADER_BYTES = 16_384
const DAMAGED = 'the file was damaged, modified or truncated: use another backup'

/**
 * The library is loaded when the first file is processed. Validating keys, and running a server without
 * backups, don't require it.
 */
const library = () => import('age-encryption')

/** Creates a key pair in the format that `age-keygen` uses. */
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

/** Also accepts the contents of an identity file. */
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
  else throw new AgeFault('not an age public key (age1…)')
  yield* await encrypter.encrypt(ReadableStream.from(content) as globalThis.ReadableStream<Uint8Array>)
}

/** Throws an {@link AgeFault}, or the error that occurs while reading the file. */
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

/** Limits the header, because the library reads headers of any length. */
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

/**
 * The library tries identities in this order. The first and the last decrypt nothing and only throw the right
 * error.
 */
async function decrypterFor({ passphrase, privateKey }: AgeKeys): Promise<Decrypter> {
  const { Decrypter } = await library()
  const decrypter = new Decrypter()
  decrypter.addIdentity(
    refusing(
      'it is encrypted with a passphrase: set SCRIPTWARD_BACKUP_PASSPHRASE, or pass --passphrase-file',
      passphrase,
      true,
    ),
  )
  decrypter.addIdentity(
    refusing('it is encrypted for a public key: pass its private key with --private-key', privateKey, false),
  )
  if (passphrase !== undefined) decrypter.addPassphrase(passphrase)
  if (privateKey !== undefined) decrypter.addIdentity(validated(privateKey))
  decrypter.addIdentity(refusing('the passphrase is wrong', undefined, true))
  decrypter.addIdentity(
    refusing('the private key does not match the public key it was encrypted for', undefined, false),
  )
  return decrypter
}

/**
 * Returns an identity that throws the message if the file needs a key of this kind and the key is missing.
 */
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
  throw new AgeFault('not an age private key (AGE-SECRET-KEY-1…)')
}

function keyBytes(prefix: string, text: string): Uint8Array | undefined {
  try {
    const decoded = bech32.decodeToBytes(text)
    return decoded.prefix === prefix && decoded.bytes.length === KEY_BYTES ? decoded.bytes : undefined
  } catch {
    return undefined
  }
}
