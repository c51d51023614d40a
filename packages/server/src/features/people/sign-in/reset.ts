/** Access recovery: a link, sent by email or created by an operator, that lets a user set a new password. */

import { Refused, refuse } from '../../../api/refusals.ts'
import type { Queries } from '../../../database/engine/db.ts'
import type { Deps } from '../../../deps.ts'
import { issueOnce, LINK_MS, linkFor, lookAtOnce, takeOnce } from '../../access/single-use.ts'
import { deletePersonSingleUses } from '../../access/store/single-uses.ts'
import { queueMail } from '../../accounts/mails.ts'
import { passwordChanged } from '../notices.ts'
import { newHash } from '../own-person.ts'
import { deletePersonPasskeys } from '../store/passkeys.ts'
import { findPerson, findPersonByEmail, lockPerson, updatePerson } from '../store/people.ts'
import { deleteRecoveryCodes } from '../store/recovery-codes.ts'
import { deleteOtherSignIns, type PersonRow } from '../store/sign-ins.ts'
import type { Busy } from './passwords.ts'
import { type Stepped, stepIn } from './sign-in.ts'
import type { Whence } from './start-sign-in.ts'
import { proveEmail } from './unproved-email.ts'

const RESET = ['reset'] as const

/** Data stored with a link that an operator created. */
type Waiting = { readonly factors: boolean }

/**
 * Emails a link if a user has this email address. The response never reveals whether such a user exists.
 * Earlier links keep working, because anyone may send this request, and an operator's link can also remove a
 * lost second factor.
 */
export async function requestReset(deps: Deps, given: string): Promise<void> {
  const { unauditedDb, config, limits, now } = deps
  const email = given.toLowerCase()
  if (config.mail === undefined) return
  if ((await limits.signIns.takeAttempt('mailedLink', `reset ${email}`, now())) > 0) return
  await unauditedDb.transaction(async (tx) => {
    const person = await findPersonByEmail(tx, email)
    // An unknown address also causes a write, so that the response time doesn't reveal which addresses are
    // known.
    if (person?.disabled !== 0) return void (await issueOnce(deps, tx, { purpose: 'reset', forMs: 0 }))
    await queueMail(deps, tx, resetMail(email, await issueReset(deps, tx, person, { factors: false })))
  })
}

/**
 * Returns the link, which cannot be read again. Any previous link stops working. With `factors`, the link
 * also removes the authenticator app, recovery codes and passkeys.
 */
export function makeResetLink(
  deps: Deps,
  id: string,
  waiting: Waiting,
): Promise<string | Refused<'not_found'>> {
  return deps.db.transaction(async (tx) => {
    const person = await lockPerson(tx, id)
    if (!person) return refuse('not_found')
    await deletePersonSingleUses(tx, id, 'reset')
    return issueReset(deps, tx, person, waiting)
  })
}

async function issueReset(deps: Deps, tx: Queries, { id }: PersonRow, data: Waiting): Promise<string> {
  const secret = await issueOnce(deps, tx, { purpose: 'reset', personId: id, data, forMs: LINK_MS })
  return linkFor(deps.config, 'reset', secret)
}

/** Ends all of the user's sessions and reset links. An existing second factor is still required. */
export async function resetPassword(
  deps: Deps,
  { link, password }: { readonly link: string; readonly password: string },
  whence: Whence,
): Promise<Stepped | Busy | Refused<'link_gone' | 'invalid_request' | 'passkey_needed'>> {
  const seen = await lookAtOnce(deps, link, RESET)
  const person = seen?.person_id ? await findPerson(deps.db.read, seen.person_id) : undefined
  if (person?.disabled !== 0) return refuse('link_gone')
  const password_hash = await newHash(deps, { password, email: person.email, address: whence.address })
  if (password_hash instanceof Refused) return password_hash
  return deps.db.transaction(async (tx) => {
    const row = await takeOnce(deps, tx, link, RESET)
    const current = row && (await lockPerson(tx, person.id))
    if (!row || current?.disabled !== 0) return refuse('link_gone')
    const waiting = JSON.parse(row.data ?? '{}') as Partial<Waiting>
    if (waiting.factors) await removeFactors(tx, person.id)
    await proveEmail(deps, tx, current)
    const changed = await updatePerson(tx, person.id, { password_hash })
    await deleteOtherSignIns(tx, person.id)
    await deletePersonSingleUses(tx, person.id, 'reset')
    await deletePersonSingleUses(tx, person.id, 'second_factor')
    await queueMail(deps, tx, passwordChanged(person.email))
    return stepIn(deps, tx, changed ?? current, whence)
  })
}

async function removeFactors(tx: Queries, id: string): Promise<void> {
  await updatePerson(tx, id, { totp_secret: null })
  await deleteRecoveryCodes(tx, id)
  await deletePersonPasskeys(tx, id)
}

function resetMail(to: string, link: string) {
  return {
    to,
    subject: 'Reset your Scriptward password',
    text: `Open this link within 30 minutes to choose a new password. It works once:\n\n${link}\n\nIf you didn't request this, you can ignore this email. Your password won't change.\n`,
  }
}
