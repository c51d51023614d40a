/**
 * The second factor for users with a password: an authenticator app, and recovery codes in case the app is
 * lost. Each code works once, even if two requests use it at the same time.
 */

import { Refused, refuse } from '../../../api/refusals.ts'
import type { Queries } from '../../../database/engine/db.ts'
import type { Deps } from '../../../deps.ts'
import { networkOf, prefixOf } from '../../../platform/limits/networks.ts'
import type { Limit } from '../../../platform/limits/rules.ts'
import { limitAddress } from '../../abuse/attempts.ts'
import { report } from '../../abuse/security-events.ts'
import { hashCredential } from '../../access/credential.ts'
import { issueOnce, TICKET_MS, takeOnce } from '../../access/single-use.ts'
import {
  deletePersonSingleUses,
  findPersonSingleUse,
  type SingleUseRow,
  updateSingleUseTries,
} from '../../access/store/single-uses.ts'
import { queueMail } from '../../accounts/mails.ts'
import { factorsChanged } from '../notices.ts'
import { isKnownBrowser } from '../store/known-browsers.ts'
import { lockPerson, updatePerson, updateTotpStep } from '../store/people.ts'
import { deleteRecoveryCodes } from '../store/recovery-codes.ts'
import type { PersonRow } from '../store/sign-ins.ts'
import { replaceRecoveryCodes, useRecoveryCode } from './recovery-codes.ts'
import { startSignIn, type Whence } from './start-sign-in.ts'
import { newTotpSecret, totpStep, totpUri } from './totp.ts'

const TRIES = 5
const TICKETS = ['second_factor'] as const

/** Returns the secret for the app, which becomes active only after `finishTotp`. */
export async function beginTotp(
  deps: Deps,
  { id, email }: PersonRow,
): Promise<{ readonly secret: string; readonly uri: string }> {
  const secret = newTotpSecret(deps.random)
  const data: Begun = { sealed: deps.secrets.sealText('totp', id, secret) }
  await deps.unauditedDb.transaction(async (tx) => {
    await deletePersonSingleUses(tx, id, 'totp_add')
    await issueOnce(deps, tx, { purpose: 'totp_add', personId: id, data, forMs: TICKET_MS })
  })
  return { secret, uri: totpUri(secret, email) }
}

/** The pending setup, stored until the first correct code. */
type Begun = { readonly sealed: string }

/** Activates the app if the code is correct. Returns the recovery codes, which cannot be read again. */
export async function finishTotp(
  deps: Deps,
  { id, email }: PersonRow,
  code: string,
): Promise<string[] | Refused<'totp_not_begun' | 'wrong_code'>> {
  const now = deps.now()
  return deps.db.transaction(async (tx) => {
    await lockPerson(tx, id)
    const begun = await findPersonSingleUse(tx, id, { purpose: 'totp_add', now })
    if (!begun?.data) return refuse('totp_not_begun')
    const { sealed } = JSON.parse(begun.data) as Begun
    const step = totpStep(deps.secrets.openText('totp', id, sealed), digitsIn(code), now)
    if (step === undefined) return refuse('wrong_code')
    await deletePersonSingleUses(tx, id, 'totp_add')
    await updatePerson(tx, id, { totp_secret: Buffer.from(sealed, 'base64url'), totp_step: step })
    await queueMail(deps, tx, factorsChanged(email, 'An authenticator app was added.'))
    return replaceRecoveryCodes(deps, tx, id)
  })
}

export async function removeTotp(
  deps: Deps,
  { id, email }: PersonRow,
): Promise<Refused<'no_authenticator_app'> | undefined> {
  return deps.db.transaction(async (tx) => {
    const person = await lockPerson(tx, id)
    if (!person?.totp_secret) return refuse('no_authenticator_app')
    await updatePerson(tx, id, { totp_secret: null })
    await deleteRecoveryCodes(tx, id)
    await queueMail(deps, tx, factorsChanged(email, 'The authenticator app was removed.'))
    return undefined
  })
}

export async function renewRecoveryCodes(
  deps: Deps,
  { id }: PersonRow,
): Promise<string[] | Refused<'no_authenticator_app'>> {
  return deps.db.transaction(async (tx) => {
    const person = await lockPerson(tx, id)
    return person?.totp_secret ? replaceRecoveryCodes(deps, tx, id) : refuse('no_authenticator_app')
  })
}

export type WithCode = { readonly ticket: string; readonly code: string }
type CodeRefusal = Refused<'ticket_gone' | 'wrong_code' | 'rate_limited'>

/** Completes the second step of password sign-in. Returns the cookie. */
export async function signInWithCode(
  deps: Deps,
  { ticket, code }: WithCode,
  whence: Whence,
): Promise<string | CodeRefusal> {
  const use = { hash: hashCredential(ticket), purposes: TICKETS, now: deps.now() }
  const tried =
    (await limitAddress(deps, 'authAddress', whence.address)) ??
    (await deps.unauditedDb.transaction((tx) => updateSingleUseTries(tx, use, TRIES))) ??
    refuse('ticket_gone')
  if (tried instanceof Refused) return tried
  const personId = tried.person_id ?? ''
  const limited = await limitCodes(deps, personId, whence)
  if (limited) return limited
  const cookie = await deps.db.transaction(async (tx) => {
    const person = await lockPerson(tx, personId)
    if (person === undefined || person.disabled === 1) return refuse('ticket_gone')
    if (!(await takeCode(deps, tx, { person, code }))) return wrongCode(tried)
    if (!(await takeOnce(deps, tx, ticket, TICKETS))) return refuse('ticket_gone')
    return startSignIn(deps, tx, person, whence)
  })
  return reportedCode(deps, { personId, whence }, cookie)
}

function wrongCode({ tries }: SingleUseRow): Refused<'wrong_code'> {
  return refuse('wrong_code', { tries_left: TRIES - tries })
}

/**
 * Anyone who knows the password can get any number of pending-login tokens, so code attempts are limited per
 * user. No setting turns these limits off. A browser in which the user has signed in before has a separate
 * limit.
 */
export async function limitCodes(
  deps: Deps,
  personId: string,
  whence: Whence,
): Promise<Refused<'rate_limited'> | undefined> {
  const { db, limits, now } = deps
  const { address, known = '' } = whence
  const take = (limit: Limit, who: string) => limits.signIns.takeAttempt(limit, who, now())
  const hash = hashCredential(known)
  const waitMs = (await isKnownBrowser(db.read, personId, hash))
    ? await take('codeBrowser', `${personId} ${hash}`)
    : (await take('codePrefix', `${personId} ${prefixOf(address)}`)) || (await take('codePerson', personId))
  if (waitMs === 0) return undefined
  reportRefused(deps, { personId, whence }, 'too_many_tries')
  return refuse('rate_limited', { retry_after: Math.ceil(waitMs / 1000) })
}

type Tried = { readonly personId: string; readonly whence: Whence }

/** Returns the outcome, after reporting it if the code was wrong. */
export function reportedCode<T>(deps: Deps, tried: Tried, outcome: T): T {
  if (outcome instanceof Refused && outcome.reason === 'wrong_code') reportRefused(deps, tried, 'wrong_code')
  return outcome
}

function reportRefused(deps: Deps, { personId, whence }: Tried, why: string): void {
  report(deps, 'second_factor_refused', { person: personId, network: networkOf(whence.address), why })
}

/**
 * Returns whether the code is a valid code from the app or a valid recovery code, and marks it as used.
 * `person` must have been read in this transaction.
 */
export async function takeCode(
  { secrets, now }: Pick<Deps, 'secrets' | 'now'>,
  tx: Queries,
  { person, code }: { readonly person: PersonRow; readonly code: string },
): Promise<boolean> {
  const { id, totp_secret } = person
  if (totp_secret === null) return false
  const digits = digitsIn(code)
  if (!/^\d{6}$/.test(digits)) return useRecoveryCode(tx, id, code)
  const step = totpStep(secrets.openText('totp', id, totp_secret), digits, now())
  return step !== undefined && updateTotpStep(tx, id, step)
}

/** Removes spaces, because apps show a space in the middle of the code. */
function digitsIn(code: string): string {
  return code.replace(/\s/g, '')
}
