/**
 * Simulates an authenticator for WebAuthn ceremonies, which can also send responses that a real authenticator
 * would not send.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

export type Options = {
  readonly challenge: string
  readonly rp?: { readonly id: string }
  readonly rpId?: string
  readonly user?: { readonly id: string }
}
/** Errors to introduce into the authenticator's response. */
export type Lie = {
  readonly origin?: string
  readonly challenge?: string
  readonly rpId?: string
  readonly isUnverified?: boolean
  readonly counter?: number
  readonly userHandle?: string
  /** Whether to sign with a different key. */
  readonly isForged?: boolean
}

const PRESENT = 0x01
const VERIFIED = 0x04
const WITH_CREDENTIAL = 0x40

export class Authenticator {
  readonly id = randomBytes(16)
  readonly #origin: string
  readonly #keys = newKeys()
  #rpId = ''
  #user = ''
  #counter = 0

  constructor(origin: string) {
    this.#origin = origin
  }

  /** Behaves like `navigator.credentials.create`. */
  create(options: Options, lie: Lie = {}): object {
    this.#rpId = options.rp?.id ?? ''
    this.#user = options.user?.id ?? ''
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.id.length)
    const credential = [Buffer.alloc(16), length, this.id, coseOf(this.#keys.publicKey)]
    const authData = Buffer.concat([this.#head(WITH_CREDENTIAL, lie), ...credential])
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(authData)],
    ])
    const attestationObject = Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url')
    const clientDataJSON = this.#clientData('webauthn.create', options, lie).toString('base64url')
    return this.#answer({ clientDataJSON, attestationObject, transports: ['internal'] })
  }

  /** Behaves like `navigator.credentials.get`. */
  get(options: Options, lie: Lie = {}): object {
    this.#counter += 1
    const authData = this.#head(0, lie)
    const clientData = this.#clientData('webauthn.get', options, lie)
    const { privateKey } = lie.isForged ? newKeys() : this.#keys
    const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), privateKey)
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: lie.userHandle ?? this.#user,
    })
  }

  #head(flags: number, { isUnverified, counter = this.#counter, rpId = this.#rpId }: Lie): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    const all = flags | PRESENT | (isUnverified ? 0 : VERIFIED)
    return Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([all]), count])
  }

  #clientData(type: string, options: Options, lie: Lie): Buffer {
    const { origin = this.#origin, challenge = options.challenge } = lie
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  }

  #answer(response: object): object {
    const id = this.id.toString('base64url')
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }
}

function newKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

/** An ES256 key encoded as COSE. */
function coseOf(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
  const cose = new Map<number, unknown>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, bytes(x)],
    [-3, bytes(y)],
  ])
  return Buffer.from(isoCBOR.encode(cose as never))
}
