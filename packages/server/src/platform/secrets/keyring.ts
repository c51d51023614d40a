/**
 * The server's secrets, stored in one file that only its owner may read. The file is created on the first
 * startup. The secrets are never printed or stored in the database. `private-file.ts` writes the file safely.
 * The secrets of boot records change daily and are in `protocol/boot-keys.ts`.
 */
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { unlink } from 'node:fs/promises'
import path from 'node:path'
import type { PublicKeys } from '@scriptward/client/messages'
import {
  ed25519Pair,
  fromB64u,
  type KeyPair,
  keyId,
  type StaticKey,
  staticKey,
  toB64u,
} from '@scriptward/client/wire'
import { changePrivate, makeOnce, readPrivate } from './private-file.ts'
import { makeSealer, type Sealer, type SealingKeys } from './seal.ts'

/** One generation of server keys. `notAfter` is null for the current one. */
type Generation = Pairs & { readonly notAfter: number | null }
type Pairs = { readonly exchange: StaticKey; readonly signing: KeyPair }

/** The part of the keyring that the rest of the server uses. */
export type Secrets = Sealer & {
  /** Keys for the client protocol. */
  readonly server: ServerKeys
  /** Ed25519 keys for signing webhooks. */
  readonly webhooks: WebhookKeys
  /** HMAC key for storing fingerprints. */
  readonly fingerprintPepper: Buffer
  /** The secret that each project's watermark key is derived from. */
  readonly watermarkRoot: Buffer
  /** HMAC key for deriving both sides' ratchet input from the instance ID and the heartbeat number. */
  readonly beatKey: KeyObject
  /** HMAC key for forms, pending-login tokens and page challenges. */
  readonly pageKey: KeyObject
  /** HMAC key for the audit log. Rotations don't change it, so that old entries can still be verified. */
  readonly auditKey: KeyObject
  /** Key that derives the secrets of webhook endpoints that don't store one. */
  readonly webhookRoot: KeyObject
  /** Prefix for this server's data in Valkey, which lets two servers share one Valkey instance. */
  readonly name: string
}

export type ServerKeys = {
  /** X25519 key pair that new loaders embed. */
  readonly exchange: StaticKey
  /** Ed25519 key pair that signs boot records. */
  readonly signing: KeyPair
  /**
   * Returns the key pair that a client references by `kid`, or undefined once the pair is no longer accepted.
   */
  findExchange(kid: string, now: number): StaticKey | undefined
  publicKeys(now: number): PublicKeys
  /** Keys to pin in a loader file: the accepted keys and those of the next rotation. */
  pins(now: number): readonly Pin[]
}

type WebhookKeys = {
  readonly signing: WebhookPair
  /**
   * Public keys for verifying webhooks: first the current key, then previous keys while they are accepted.
   */
  accepted(now: number): readonly WebhookKey[]
}

type Pin = Omit<PublicKeys['keys'][number], 'not_after'>

type WebhookPair = KeyPair & { readonly id: string }
/** `notAfter` is null for the current generation. */
type WebhookKey = {
  readonly id: string
  readonly publicKey: Uint8Array
  readonly notAfter: number | null
}

type KeyringFile = {
  version: 1
  generations: (PairsInFile & { not_after: number | null })[]
  /**
   * Keys of the next generation. They are created ahead of time, so that loader files can pin them. Missing
   * in keyrings from earlier versions.
   */
  next?: PairsInFile
  fingerprint_pepper: string
  source_key: string
  /**
   * Versions 1 and later of the secret that encryption keys are derived from. Version 0 is `source_key`. The
   * latest version isn't used yet, so that processes that are still running after a rotation can decrypt data
   * from others. Missing in keyrings from earlier versions. Versions are never removed, because the oldest
   * content needs the oldest version.
   */
  data_keys?: string[]
  watermark_root: string
}

type PairsInFile = { x25519: string; ed25519: string }

/** Location of the keyring: in the data folder, unless a file is specified. */
export type KeyringPlace = { readonly dataDir: string; readonly keyringFile?: string | undefined }

export function keyringFileOf({ dataDir, keyringFile }: KeyringPlace): string {
  return keyringFile ?? path.join(dataDir, 'keyring.json')
}

const SECRET_BYTES = 32
/** Period during which a previous generation is accepted (client protocol §5). */
const FORMER_MS = 7 * 24 * 60 * 60 * 1000

/**
 * Reads the keyring, or creates it if `mayMake`. Throws an Error that explains the fix if the file can't be
 * trusted, or if it is missing while data depends on it.
 */
export async function openKeyring(
  place: KeyringPlace,
  random: (count: number) => Buffer,
  mayMake: boolean,
): Promise<Secrets> {
  const file = keyringFileOf(place)
  const text =
    (await readPrivate(file)) ?? (mayMake ? await makeOnce(file, random, newKeyring(random)) : missing(file))
  return makeSecrets(parseKeyring(file, text), random)
}

/** Returns the content of the keyring file for a backup. Throws the same errors as `openKeyring`. */
export async function readKeyring(place: KeyringPlace): Promise<string> {
  const file = keyringFileOf(place)
  const text = (await readPrivate(file)) ?? missing(file)
  parseKeyring(file, text)
  return text
}

/**
 * Returns a decrypter for data that was encrypted with this keyring. Throws if the string isn't a keyring.
 */
export function sealerOf(text: string, random: (count: number) => Buffer): Sealer {
  return makeSecrets(parseKeyring('keyring.json', text), random)
}

/**
 * Writes a restored keyring to its file, and resolves to a function that removes the file. An identical file
 * is left unchanged. Throws an Error if a different file exists.
 */
export async function putKeyring(
  place: KeyringPlace,
  random: (count: number) => Buffer,
  text: string,
): Promise<() => Promise<void>> {
  const file = keyringFileOf(place)
  const isThere = (await readPrivate(file)) !== undefined
  if ((await makeOnce(file, random, text)) !== text) throw new Error(otherKeyring(file))
  return async () => {
    if (!isThere) await unlink(file)
  }
}

/** Throws an Error if `putKeyring` would. */
export async function refuseOtherKeyring(place: KeyringPlace, text: string): Promise<void> {
  const file = keyringFileOf(place)
  const found = await readPrivate(file)
  if (found !== undefined && found !== text) throw new Error(otherKeyring(file))
}

const otherKeyring = (file: string): string =>
  `${file} already exists and is a different keyring: restore into an empty folder, or move this file away`

/**
 * Adds a generation of server keys and a version of the data key, used by every process that opens the
 * keyring from then on. Clients that use the previous generation are served for another week. Data at rest
 * stays readable, because previous data keys are kept, as are the secrets for recognizing devices and
 * watermarks.
 */
export async function rotateKeyring(
  place: KeyringPlace,
  { random, now }: { readonly random: (count: number) => Buffer; readonly now: number },
): Promise<PublicKeys> {
  const file = keyringFileOf(place)
  const text = await changePrivate(file, (former) => {
    parseKeyring(file, former)
    return rotated(JSON.parse(former) as KeyringFile, now, random)
  })
  const { generations } = parseKeyring(file, text ?? missing(file))
  return { keys: accepted(generations, now).map(describeGeneration) }
}

function rotated(content: KeyringFile, now: number, random: (count: number) => Buffer): string {
  const former = content.generations.map((one) => ({ ...one, not_after: one.not_after ?? now + FORMER_MS }))
  const next = content.next ?? newPairs(random)
  const generations = [...former.filter((one) => now < one.not_after), { ...next, not_after: null }]
  const secret = () => toB64u(random(SECRET_BYTES))
  const known = content.data_keys ?? [secret()]
  return write({ ...content, generations, next: newPairs(random), data_keys: [...known, secret()] })
}

function write(content: KeyringFile): string {
  return `${JSON.stringify(content, null, 2)}\n`
}

function missing(file: string): never {
  throw new Error(
    `${file} is missing, but the database contains accounts: restore the keyring from a backup, or copy it from another ` +
      'process of this server. Without it, sources cannot be decrypted and devices cannot be recognized; a new keyring would lock out every user',
  )
}

function newKeyring(random: (count: number) => Buffer): string {
  const secret = () => toB64u(random(SECRET_BYTES))
  return write({
    version: 1,
    generations: [{ ...newPairs(random), not_after: null }],
    next: newPairs(random),
    fingerprint_pepper: secret(),
    source_key: secret(),
    data_keys: [secret()],
    watermark_root: secret(),
  })
}

function newPairs(random: (count: number) => Buffer): PairsInFile {
  const secret = () => toB64u(random(SECRET_BYTES))
  return { x25519: secret(), ed25519: secret() }
}

/** The validated content of the file. */
type Parsed = {
  readonly generations: readonly Generation[]
  readonly current: Generation
  readonly next: readonly Pairs[]
  readonly fingerprintPepper: Buffer
  readonly sourceKey: Buffer
  readonly dataKeys: readonly Buffer[]
  readonly watermarkRoot: Buffer
}

function parseKeyring(file: string, text: string): Parsed {
  const content = parseJson(file, text)
  const secret = (member: string, value: unknown): Buffer => {
    const bytes = typeof value === 'string' ? fromB64u(value, SECRET_BYTES) : undefined
    return bytes ?? damaged(file, `${member} must be ${SECRET_BYTES} bytes in base64url`)
  }
  if (content.version !== 1) damaged(file, 'version must be 1')
  const generations = readGenerations(file, content.generations, secret)
  const next = content.next === undefined ? [] : [readPairs('next', content.next, secret)]
  return {
    generations,
    current:
      generations.find((one) => one.notAfter === null) ??
      damaged(file, 'it contains no current generation of keys'),
    next,
    fingerprintPepper: secret('fingerprint_pepper', content.fingerprint_pepper),
    sourceKey: secret('source_key', content.source_key),
    dataKeys: readDataKeys(file, content.data_keys ?? [], secret),
    watermarkRoot: secret('watermark_root', content.watermark_root),
  }
}

/** Most keys are derived from one secret, so that a new purpose doesn't need a new field in the file. */
function makeSecrets(parsed: Parsed, random: (count: number) => Buffer): Secrets {
  const { generations, current, next, sourceKey, dataKeys, fingerprintPepper, watermarkRoot } = parsed
  const derive = (purpose: string) => createSecretKey(derived(sourceKey, purpose))
  const versions = [sourceKey, ...dataKeys].map(sealingKeysOf)
  return {
    ...makeSealer({ versions, current: Math.max(0, dataKeys.length - 1) }, random),
    server: {
      exchange: current.exchange,
      signing: current.signing,
      findExchange: (kid, now) =>
        accepted(generations, now).find((one) => one.exchange.kid === kid)?.exchange,
      publicKeys: (now) => ({ keys: accepted(generations, now).map(describeGeneration) }),
      pins: (now) => [...accepted(generations, now), ...next].map(describePairs),
    },
    webhooks: {
      signing: webhookPair(current.signing),
      accepted: (now) => accepted([current, ...formerOf(generations)], now).map(describeWebhookKey),
    },
    fingerprintPepper,
    watermarkRoot,
    beatKey: derive('scriptward steps of beats'),
    pageKey: derive('scriptward pages'),
    auditKey: derive('scriptward audit log'),
    webhookRoot: derive('scriptward webhook secrets'),
    name: derived(sourceKey, 'scriptward name').toString('hex').slice(0, 16),
  }
}

function sealingKeysOf(secret: Buffer): SealingKeys {
  const derive = (purpose: string) => createSecretKey(derived(secret, purpose))
  return {
    source: createSecretKey(secret),
    provider: derive('scriptward ad providers'),
    answer: derive('scriptward kept answers'),
    instance: derive('scriptward running clients'),
    boot: derive('scriptward boot secrets'),
    webhook: derive('scriptward webhook addresses'),
    page: derive('scriptward pages'),
    factor: derive('scriptward second factors'),
  }
}

function derived(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, SECRET_BYTES))
}

/** Creates a separate key pair, so that a webhook signature can never be valid in the client protocol. */
function webhookPair({ privateKey }: KeyPair): WebhookPair {
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-SECRET_BYTES)
  const own = hkdfSync('sha256', seed, Buffer.alloc(0), 'scriptward webhook signing', SECRET_BYTES)
  const pair = ed25519Pair(new Uint8Array(own))
  return { ...pair, id: keyId(pair.publicKey) }
}

/** Newest first. */
function formerOf(generations: readonly Generation[]): Generation[] {
  return generations.filter((one) => one.notAfter !== null).toReversed()
}

function describeWebhookKey({ signing, notAfter }: Generation): WebhookKey {
  const { id, publicKey } = webhookPair(signing)
  return { id, publicKey, notAfter }
}

function parseJson(file: string, text: string): Partial<Record<keyof KeyringFile, unknown>> {
  try {
    const content: unknown = JSON.parse(text)
    if (typeof content === 'object' && content !== null) return content
  } catch {
    // The parser's message is dropped because it could quote a secret.
  }
  return damaged(file, 'it is not a JSON object')
}

type ReadSecret = (member: string, value: unknown) => Buffer

function readGenerations(file: string, value: unknown, secret: ReadSecret): readonly Generation[] {
  const list: unknown[] = Array.isArray(value) ? value : damaged(file, 'generations must be an array')
  return list.map((entry, i) => {
    const one = (entry ?? {}) as Record<string, unknown>
    const notAfter = one.not_after
    if (notAfter !== null && !Number.isSafeInteger(notAfter))
      damaged(file, `generations.${i}.not_after must be a timestamp or null`)
    return {
      ...readPairs(`generations.${i}`, one, secret),
      notAfter: notAfter as number | null,
    }
  })
}

function readDataKeys(file: string, value: unknown, secret: ReadSecret): readonly Buffer[] {
  const list: unknown[] = Array.isArray(value) ? value : damaged(file, 'data_keys must be an array')
  return list.map((one, i) => secret(`data_keys.${i}`, one))
}

function readPairs(path: string, value: unknown, secret: ReadSecret): Pairs {
  const one = (value ?? {}) as Record<string, unknown>
  return {
    exchange: staticKey(secret(`${path}.x25519`, one.x25519)),
    signing: ed25519Pair(secret(`${path}.ed25519`, one.ed25519)),
  }
}

function accepted(generations: readonly Generation[], now: number): Generation[] {
  return generations.filter((one) => one.notAfter === null || now < one.notAfter)
}

function describeGeneration(generation: Generation): PublicKeys['keys'][number] {
  return { ...describePairs(generation), not_after: generation.notAfter }
}

function describePairs({ exchange, signing }: Pairs): Pin {
  return {
    kid: exchange.kid,
    x25519: toB64u(exchange.publicKey),
    ed25519: toB64u(signing.publicKey),
  }
}

function damaged(file: string, what: string): never {
  throw new Error(
    `${file} is damaged: ${what}. Restore the keyring from a backup; without it, sources cannot be decrypted and devices cannot be recognized`,
  )
}
