/** Passkeys in this browser: asks the service what to sign, has the browser sign it, and hands the answer back. */
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

/** Proves once more who is signed in. */
export async function proveWithPasskey(call: Calling): Promise<unknown> {
  return auth.passkeyConfirm(call, await askPasskey(call))
}

async function askPasskey(call: Calling) {
  const { ticket, options } = await auth.passkeyBegin(call)
  return { ticket, response: await orNone(startAuthentication({ optionsJSON: options })) }
}

/** What to hand to the endpoint that finishes. */
export async function makePasskey({ ticket, options }: CreationOptions) {
  return { ticket, response: await orNone(startRegistration({ optionsJSON: options })) }
}

function orNone<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error) => {
    throw new NoPasskey('no passkey', { cause: error })
  })
}
