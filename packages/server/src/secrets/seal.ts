/**
 * Encryption at rest (AES-256-GCM), so that the database, Valkey or a cookie alone cannot be read. Each
 * kind of content has its key, and is bound to the id that it belongs to, so that rows cannot be exchanged.
 */
import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'

export type SealingKeys = Readonly<
  Record<'source' | 'provider' | 'answer' | 'instance' | 'page' | 'boot', KeyObject>
>

/** What may be sealed. The ids: of a script, customer, checkpoint or execution; see {@link KINDS}. */
export type SealKind = keyof typeof KINDS

export type Sealer = {
  /** Nonce, ciphertext and tag. */
  seal(kind: SealKind, id: string, content: string | Uint8Array): Buffer
  /** Throws when the bytes were not sealed as this kind, for this id, with this keyring. */
  open(kind: SealKind, id: string, sealed: Uint8Array): Buffer
  /** As `open`, for content that was a text. */
  openText(kind: SealKind, id: string, sealed: Uint8Array): string
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

type Kind = { readonly key: keyof SealingKeys; readonly aad: (id: string) => string }

/** Data at rest depends on these names: changing one makes everything that was sealed with it unreadable. */
const KINDS = {
  source: { key: 'source', aad: (scriptId) => scriptId },
  test: { key: 'source', aad: (scriptId) => `test ${scriptId}` },
  serviceKey: { key: 'source', aad: (scriptId) => `service key ${scriptId}` },
  apiKey: { key: 'source', aad: (customerId) => customerId },
  providerData: { key: 'provider', aad: (checkpointId) => checkpointId },
  storedResponse: { key: 'answer', aad: (customerId) => customerId },
  instanceSecrets: { key: 'instance', aad: (exec) => `instance ${exec} secrets` },
  beatStates: { key: 'instance', aad: (exec) => `instance ${exec} beats` },
  ownVisit: { key: 'page', aad: () => 'key of a visit' },
  // These two live in Valkey for a day at most, under a name that says what they belong to.
  bootSecret: { key: 'boot', aad: () => '' },
  execAnswer: { key: 'answer', aad: () => '' },
} as const satisfies Record<string, Kind>

/** `random` is where nonces come from. */
export function makeSealer(keys: SealingKeys, random: (count: number) => Buffer): Sealer {
  const open = (kind: SealKind, id: string, sealed: Uint8Array): Buffer => {
    const bytes = Buffer.from(sealed)
    const { key, aad } = KINDS[kind]
    const decipher = createDecipheriv(CIPHER, keys[key], bytes.subarray(0, NONCE_BYTES))
    decipher.setAAD(Buffer.from(aad(id))).setAuthTag(bytes.subarray(-TAG_BYTES))
    const opened = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
    return Buffer.concat([opened, decipher.final()])
  }
  return {
    seal: (kind, id, content) => {
      const nonce = random(NONCE_BYTES)
      const { key, aad } = KINDS[kind]
      const cipher = createCipheriv(CIPHER, keys[key], nonce).setAAD(Buffer.from(aad(id)))
      const bytes = typeof content === 'string' ? Buffer.from(content) : content
      const sealed = [nonce, cipher.update(bytes), cipher.final()]
      return Buffer.concat([...sealed, cipher.getAuthTag()])
    },
    open,
    openText: (kind, id, sealed) => open(kind, id, sealed).toString('utf8'),
  }
}
