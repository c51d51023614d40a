/**
 * Self-service sign-up. Nothing is created before the email address is confirmed. Until then, no response
 * reveals whether an address is known.
 */

import { Refused, refuse } from '../../../api/refusals.ts'
import type { Deps } from '../../../deps.ts'
import { networkOf } from '../../../platform/limits/networks.ts'
import { isProof, makeChallenge, POW_BITS, type Proof, useProof } from '../../abuse/captcha.ts'
import { issueOnce, LINK_MS, linkFor, lookAtOnce, takeOnce } from '../../access/single-use.ts'
import { insertOwnAccount } from '../../accounts/customers.ts'
import { queueMail } from '../../accounts/mails.ts'
import { findCustomerByEmail } from '../../accounts/store/customers.ts'
import { newHash } from '../own-person.ts'
import { createPerson, type NewPerson } from '../people.ts'
import { findPersonByEmail } from '../store/people.ts'
import type { Busy } from './passwords.ts'
import { addOwner, withNewPerson } from './set-up.ts'
import { startSignIn, type Whence } from './start-sign-in.ts'

const SIGN_UP = ['sign_up'] as const

export type SignUp = {
  readonly email: string
  readonly name: string
  readonly password: string
  readonly captcha?: Proof
}

/** Returns the captcha for the sign-up page, or null if none is required or sign-up is off. */
export function signUpCaptcha(deps: Deps, address: string) {
  const { signUp: mode, adsCaptcha: kind, adsVerifier } = deps.config
  if (mode !== 'open' || kind === 'off') return null
  if (kind === 'external') return { kind, challenge: null, bits: null, page: adsVerifier?.page ?? null }
  return { kind, challenge: makeChallenge(deps, ownerOf(address)), bits: POW_BITS, page: null }
}

function ownerOf(address: string): string {
  return `sign-up ${networkOf(address)}`
}

/**
 * Emails a link. If the address is already registered, the email mentions this, because its owner may have
 * forgotten about the registration.
 */
export async function signUp(
  deps: Deps,
  { captcha = {}, password, name, email: given }: SignUp,
  { address }: Whence,
): Promise<undefined | Busy | Refused<'sign_up_closed' | 'captcha_failed' | 'invalid_request'>> {
  const { config, unauditedDb, limits, now } = deps
  if (config.signUp !== 'open') return refuse('sign_up_closed')
  const email = given.toLowerCase()
  const refused = await refuseCaptcha(deps, captcha, address)
  if (refused) return refused
  const password_hash = await newHash(deps, { password, email, address })
  if (password_hash instanceof Refused) return password_hash
  if ((await limits.signIns.takeAttempt('mailedLink', `sign-up ${email}`, now())) > 0) return undefined
  await unauditedDb.transaction(async (tx) => {
    const isKnown = (await findPersonByEmail(tx, email)) ?? (await findCustomerByEmail(tx, email))
    if (isKnown) return queueMail(deps, tx, knownMail(email))
    const data: NewPerson = { email, name, password_hash }
    const secret = await issueOnce(deps, tx, { purpose: 'sign_up', data, forMs: LINK_MS })
    return queueMail(deps, tx, confirmMail(email, linkFor(config, 'confirm', secret)))
  })
  return undefined
}

async function refuseCaptcha(
  deps: Deps,
  proof: Proof,
  address: string,
): Promise<Refused<'captcha_failed'> | undefined> {
  const kind = deps.config.adsCaptcha
  if (kind === 'off') return undefined
  const solver = { owner: ownerOf(address), address, bits: POW_BITS }
  const isGood =
    (await isProof(deps, kind, solver, proof)) &&
    (await deps.unauditedDb.transaction((tx) => useProof(tx, kind, proof, deps.now())))
  return isGood ? undefined : refuse('captcha_failed')
}

/** Creates the account and its user. Returns the cookie. */
export async function confirmSignUp(
  deps: Deps,
  link: string,
  whence: Whence,
): Promise<string | Refused<'link_gone' | 'email_already_taken' | 'unknown_tier'>> {
  if (!(await lookAtOnce(deps, link, SIGN_UP))) return refuse('link_gone')
  return withNewPerson(deps, async (tx) => {
    const row = await takeOnce(deps, tx, link, SIGN_UP)
    if (!row?.data) return refuse('link_gone')
    const wanted = JSON.parse(row.data) as NewPerson
    const { email } = wanted
    const customer = await insertOwnAccount(deps, tx, { email, tier: deps.config.signUpTier })
    if (customer instanceof Refused) return customer
    const person = await createPerson(deps, tx, wanted)
    await addOwner(deps, tx, { customerId: customer.id, personId: person.id })
    return startSignIn(deps, tx, person, whence)
  })
}

function confirmMail(to: string, link: string) {
  return {
    to,
    subject: 'Confirm your email address for Scriptward',
    text: `Open this link within 30 minutes to create your account:\n\n${link}\n\nIf you didn't sign up, you can ignore this email. No account will be created.\n`,
  }
}

function knownMail(to: string) {
  return {
    to,
    subject: 'You already have a Scriptward account',
    text: "Someone tried to sign up for Scriptward with this email address, but it already has an account. Sign in with it, or reset your password on the sign-in page.\n\nIf this wasn't you, you can ignore this email. Nothing was changed.\n",
  }
}
