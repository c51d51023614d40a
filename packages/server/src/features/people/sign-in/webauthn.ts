/**
 * WebAuthn ceremonies: creates options for a browser and verifies its response. Devices must verify the user.
 * The passkey identifies the user, so no email address is needed.
 */
import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  WebAuthnCredential,
} from '@simplewebauthn/server'
import type { PasskeyRow } from '../store/passkeys.ts'
import type { RelyingParty } from './relying-party.ts'

const NAME = 'Scriptward'
/** EdDSA, ES256 and RS256 as COSE identifiers. */
const ALGORITHMS = [-8, -7, -257]
export const CEREMONY_MS = 300_000
const MAX_TRANSPORTS = 8
const MAX_TRANSPORT = 32

export type NewCredential = RegistrationResponseJSON
export type Assertion = AuthenticationResponseJSON
export type Options = object

/** A random base64url string that responses must contain. */
export type Challenge = string

type Person = { readonly id: string; readonly email: string; readonly name: string }

/**
 * Loads the library on the first ceremony. Its 350 modules would use memory on every server, although few
 * servers use passkeys.
 */
const library = () => import('@simplewebauthn/server')

/** `known` lists the user's existing passkeys, so that the device doesn't add a second one. */
export async function registrationOptions(
  party: RelyingParty,
  challenge: Challenge,
  { person, known }: { readonly person: Person; readonly known: readonly PasskeyRow[] },
): Promise<Options> {
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: NAME,
    rpID: party.id,
    userID: new Uint8Array(Buffer.from(person.id)),
    userName: person.email,
    userDisplayName: person.name,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: CEREMONY_MS,
    attestationType: 'none',
    excludeCredentials: known.map(({ credential_id, transports }) => ({
      id: credential_id,
      transports: JSON.parse(transports) as string[],
    })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
}

export async function assertionOptions(party: RelyingParty, challenge: Challenge): Promise<Options> {
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: CEREMONY_MS,
    userVerification: 'required',
  })
}

/** Returns undefined if the response is invalid. The reason would not help the sender. */
export async function verifyNewCredential(
  party: RelyingParty,
  challenge: Challenge,
  response: NewCredential,
): Promise<WebAuthnCredential | undefined> {
  const { verifyRegistrationResponse } = await library()
  const verified = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => undefined)
  return verified?.registrationInfo?.credential
}

/**
 * Returns the counter after this use, or undefined if the response is invalid. A counter that has not
 * increased is invalid.
 */
export async function verifyAssertion(
  party: RelyingParty,
  challenge: Challenge,
  { passkey, response }: { readonly passkey: PasskeyRow; readonly response: Assertion },
): Promise<number | undefined> {
  const named = Buffer.from(passkey.person_id).toString('base64url')
  if (response.response.userHandle !== named) return undefined
  const { credential_id: id, public_key, counter } = passkey
  const { verifyAuthenticationResponse } = await library()
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    credential: { id, publicKey: new Uint8Array(public_key), counter },
    requireUserVerification: true,
  }).catch(() => undefined)
  return verified?.verified ? verified.authenticationInfo.newCounter : undefined
}

/** Returns the browser's hints for the next ceremony. At most a few short strings are stored. */
export function transportsOf({ transports = [] }: WebAuthnCredential): string {
  const texts = (transports as unknown[]).filter(
    (one) => typeof one === 'string' && one.length <= MAX_TRANSPORT,
  )
  return JSON.stringify(texts.slice(0, MAX_TRANSPORTS))
}
