/**
 * Passkey ceremonies. Each one gets a challenge from the API, signs the challenge in the browser, and returns
 * the response.
 */
import { browserSupportsWebAuthn, startAuthentication, startRegistration } from '@simplewebauthn/browser'
import type { Calling } from '../queries/api.ts'
import { auth, type CreationOptions, type SignedIn } from '../queries/auth.ts'
import { NoPasskey } from './no-passkey.ts'

export function canUsePasskeys(): boolean {
  return browserSupportsWebAuthn()
}

export async function signInWithPasskey(call: Calling): Promise<SignedIn> {
  return auth.passkeyFinish(call, await askPasskey(call))
}

/** Confirms the identity of the signed-in user. */
export async function proveWithPasskey(call: Calling): Promise<unknown> {
  return auth.passkeyConfirm(call, await askPasskey(call))
}

async function askPasskey(call: Calling) {
  const { ticket, options } = await auth.passkeyBegin(call)
  return { ticket, response: await orNone(startAuthentication({ optionsJSON: options })) }
}

/** Returns the request body for the endpoint that finishes the ceremony. */
export async function makePasskey({ ticket, options }: CreationOptions) {
  return { ticket, response: await orNone(startRegistration({ optionsJSON: options })) }
}

function orNone<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error) => {
    throw new NoPasskey('no passkey', { cause: error })
  })
}
