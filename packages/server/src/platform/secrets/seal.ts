/**
 * Encrypts data at rest (AES-256-GCM), so that the database, Valkey or a cookie is unreadable on its own.
 * Each kind of content has its own key, and is bound to the ID that it belongs to, so that rows can't be
 * swapped. Keys are versioned: new content is encrypted with the current version, and content is always
 * decrypted with the version that encrypted it.
 */
import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'

export type SealingKeys = Readonly<
  Record<'source' | 'provider' | 'answer' | 'instance' | 'page' | 'boot' | 'webhook' | 'factor', KeyObject>
>

/** All key versions, and the index of the one used for encryption. */
export type KeyVersions = { readonly versions: readonly SealingKeys[]; readonly current: number }

/**
 * Kinds of encrypted content. IDs are those of a script, account, checkpoint, execution, event or user (see
 * {@link KINDS}).
 */
export type SealKind = keyof typeof KINDS

export type Sealer = {
  /** Returns the key version (from version 1 on), nonce, ciphertext and tag. */
  seal(kind: SealKind, id: string, content: string | Uint8Array): Buffer
  /** Throws unless the bytes were encrypted as this kind, for this ID, with this keyring. */
  open(kind: SealKind, id: string, sealed: Uint8Array): Buffer
  /** Like `seal`, in base64url for string columns. */
  sealText(kind: SealKind, id: string, content: string): string
  /** Like `open`, for string content. Accepts bytes or the result of `sealText`. */
  openText(kind: SealKind, id: string, sealed: Uint8Array | string): string
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const VERSION_BYTES = 2

type Kind = { readonly key: keyof SealingKeys; readonly aad: (id: string) => string }

/**
 * Data at rest depends on these names. Changing a name makes everything that was encrypted with it
 * unreadable.
 */
const KINDS = {
  source: { key: 'source', aad: (scriptId) => scriptId },
  test: { key: 'source', aad: (scriptId) => `test ${scriptId}` },
  files: { key: 'source', aad: (scriptId) => `files ${scriptId}` },
  lineMap: { key: 'source', aad: (scriptId) => `line map ${scriptId}` },
  messages: { key: 'source', aad: (scriptId) => `messages ${scriptId}` },
  /** The ID consists of the script's ID and the function's name. */
  serverFunction: { key: 'source', aad: (id) => `function ${id}` },
  serviceKey: { key: 'source', aad: (scriptId) => `service key ${scriptId}` },
  apiKey: { key: 'source', aad: (customerId) => customerId },
  mail: { key: 'source', aad: (mailId) => `mail ${mailId}` },
  providerData: { key: 'provider', aad: (checkpointId) => checkpointId },
  storedResponse: { key: 'answer', aad: (customerId) => customerId },
  instanceSecrets: { key: 'instance', aad: (exec) => `instance ${exec} secrets` },
  beatStates: { key: 'instance', aad: (exec) => `instance ${exec} beats` },
  /** The ID consists of the project and the kind of the endpoint. */
  webhookAddress: { key: 'webhook', aad: (address) => `address ${address}` },
  webhookSecret: { key: 'webhook', aad: (webhookId) => `secret of ${webhookId}` },
  discordToken: { key: 'webhook', aad: (projectId) => `discord token of ${projectId}` },
  event: { key: 'webhook', aad: (eventId) => `event ${eventId}` },
  /** The URL of one delivery attempt. */
  eventAddress: { key: 'webhook', aad: (eventId) => `address of event ${eventId}` },
  /** TOTP secret of an authenticator app. */
  totp: { key: 'factor', aad: (personId) => `totp ${personId}` },
  setUpLink: { key: 'factor', aad: (personId) => `set-up link ${personId}` },
  ownVisit: { key: 'page', aad: () => 'key of a visit' },
  // These two kinds of content are stored in Valkey for at most a day, under a name that identifies the
  // content.
  bootSecret: { key: 'boot', aad: () => '' },
  execAnswer: { key: 'answer', aad: () => '' },
} as const satisfies Record<string, Kind>

/** `random` generates the nonces. */
export function makeSealer({ versions, current }: KeyVersions, random: (count: number) => Buffer): Sealer {
  const keysOf = (version: number): SealingKeys => {
    const keys = versions[version]
    if (keys === undefined) throw new Error(`the keyring has no data key ${version}`)
    return keys
  }
  const seal: Sealer['seal'] = (kind, id, content) => {
    const { key, aad } = KINDS[kind]
    const sealed = encrypt(keysOf(current)[key], { nonce: random(NONCE_BYTES), aad: aad(id) }, content)
    return current === 0 ? sealed : Buffer.concat([versionBytes(current), sealed])
  }
  const open: Sealer['open'] = (kind, id, sealed) => {
    const { key, aad } = KINDS[kind]
    const bytes = Buffer.from(sealed)
    const version = bytes.readUInt16BE(0)
    if (version > 0 && version < versions.length) {
      const opened = tryDecrypt(keysOf(version)[key], aad(id), bytes.subarray(VERSION_BYTES))
      if (opened !== undefined) return opened
    }
    // Version 0 content has no version number before its nonce, and the nonce may happen to begin with bytes
    // that look like one.
    return decrypt(keysOf(0)[key], aad(id), bytes)
  }
  return {
    seal,
    open,
    sealText: (kind, id, content) => seal(kind, id, content).toString('base64url'),
    openText: (kind, id, sealed) => open(kind, id, bytesOf(sealed)).toString('utf8'),
  }
}

function bytesOf(sealed: Uint8Array | string): Uint8Array {
  return typeof sealed === 'string' ? Buffer.from(sealed, 'base64url') : sealed
}

function versionBytes(version: number): Buffer {
  const bytes = Buffer.alloc(VERSION_BYTES)
  bytes.writeUInt16BE(version)
  return bytes
}

type Bound = { readonly nonce: Buffer; readonly aad: string }

function encrypt(key: KeyObject, { nonce, aad }: Bound, content: string | Uint8Array): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(aad))
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const sealed = [nonce, cipher.update(bytes), cipher.final()]
  return Buffer.concat([...sealed, cipher.getAuthTag()])
}

function decrypt(key: KeyObject, aad: string, bytes: Buffer): Buffer {
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES))
  decipher.setAAD(Buffer.from(aad)).setAuthTag(bytes.subarray(-TAG_BYTES))
  const opened = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
  return Buffer.concat([opened, decipher.final()])
}

function tryDecrypt(key: KeyObject, aad: string, bytes: Buffer): Buffer | undefined {
  try {
    return decrypt(key, aad, bytes)
  } catch {
    return undefined
  }
}
