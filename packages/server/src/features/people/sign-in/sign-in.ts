/** Signs users in with a password, signs them out, and confirms their identity again. */

import { Refused, refuse } from '../../../api/refusals.ts'
import type { Queries } from '../../../database/engine/db.ts'
import type { Deps } from '../../../deps.ts'
import { networkOf } from '../../../platform/limits/networks.ts'
import { report } from '../../abuse/security-events.ts'
import { SIGN_IN_IDLE_MS, SIGN_IN_MAX_MS } from '../../access/callers.ts'
import { issueOnce, TICKET_MS } from '../../access/single-use.ts'
import { findPersonByEmail, lockPerson } from '../store/people.ts'
import {
  deleteOtherSignIns,
  deleteSignIn,
  listSignIns,
  type PersonRow,
  type SignInRow,
} from '../store/sign-ins.ts'
import { type Busy, isPassword } from './passwords.ts'
import { needsPasskey } from './required-factors.ts'
import { limitCodes, reportedCode, takeCode } from './second-factors.ts'
import { renewSignIn, startSignIn, type Whence } from './start-sign-in.ts'
import { beginTry } from './tries.ts'

export type Entered = { readonly email: string; readonly password: string }
/** A cookie, or a pending-login token for the second step. */
export type Stepped = { readonly cookie: string } | { readonly ticket: string }
type Wrong = Refused<'wrong_credentials'> | Busy

export async function signInWithPassword(
  deps: Deps,
  entered: Entered,
  whence: Whence,
): Promise<Stepped | Wrong | Refused<'passkey_needed'>> {
  const email = entered.email.toLowerCase()
  const person = await findPersonByEmail(deps.db.read, email)
  const proved = await provePassword(deps, { ...entered, email, person }, whence)
  if (proved instanceof Refused) return proved
  return deps.db.transaction(async (tx) => {
    const current = await lockPerson(tx, proved.id)
    const isSame = current?.password_hash === proved.password_hash && current?.disabled === 0
    return isSame ? stepIn(deps, tx, current, whence) : refuse('wrong_credentials')
  })
}

/** A user with an authenticator app must also enter a code. */
export async function stepIn(
  deps: Deps,
  tx: Queries,
  person: PersonRow,
  whence: Whence,
): Promise<Stepped | Refused<'passkey_needed'>> {
  if (await needsPasskey(deps, tx, person)) return refuse('passkey_needed')
  if (person.totp_secret === null) return { cookie: await startSignIn(deps, tx, person, whence) }
  deps.annotateAudit({ actor: { kind: 'person', id: person.id, name: person.email } })
  const ticket = { purpose: 'second_factor', personId: person.id, forMs: TICKET_MS } as const
  return { ticket: await issueOnce(deps, tx, ticket) }
}

type Shown = Entered & { readonly person: PersonRow | undefined }

/**
 * Checks a password. An unknown email address, a disabled user and a wrong password take the same time and
 * get the same error.
 */
export async function provePassword(
  deps: Deps,
  { email, password, person }: Shown,
  whence: Whence,
): Promise<PersonRow | Wrong> {
  const { address } = whence
  const refused = <R extends Refused>(reason: R, why: string): R => {
    report(deps, 'sign_in_refused', { person: person?.id ?? null, network: networkOf(address), why })
    return reason
  }
  const begun = await beginTry(deps, { email, person }, whence)
  if (begun instanceof Refused) return refused(begun, 'too_many_tries')
  const isRight = await isPassword(deps, person?.password_hash, { password, address })
  if (isRight !== false) await begun.wasRight()
  if (isRight instanceof Refused) return refused(isRight, 'busy')
  if (isRight && person?.disabled === 0) return person
  if (!isRight) await begun.wasWrong()
  return refused(refuse('wrong_credentials'), isRight ? 'disabled' : 'wrong_password')
}

export type Proof = { readonly password?: string; readonly code?: string }

/**
 * Confirms the user's identity in the same session, with the password or a second-factor code. Returns the
 * new cookie.
 */
export async function confirmSignIn(
  deps: Deps,
  { signIn, person }: { readonly signIn: SignInRow; readonly person: PersonRow },
  { proof, whence }: { readonly proof: Proof; readonly whence: Whence },
): Promise<string | Wrong | Refused<'wrong_code' | 'unauthorized'>> {
  const { password, code } = proof
  if (password !== undefined) {
    const proved = await provePassword(deps, { email: person.email, password, person }, whence)
    if (proved instanceof Refused) return proved
  } else {
    const limited = await limitCodes(deps, person.id, whence)
    if (limited) return limited
  }
  const cookie = await deps.db.transaction(async (tx) => {
    const current = await lockPerson(tx, person.id)
    if (current === undefined) return refuse('unauthorized')
    if (password === undefined && !(await takeCode(deps, tx, { person: current, code: code ?? '' })))
      return refuse('wrong_code')
    return renewSignIn(deps, tx, signIn, { proved_at: deps.now() })
  })
  return reportedCode(deps, { personId: person.id, whence }, cookie)
}

export async function signOut(deps: Deps, { id, person_id, network }: SignInRow): Promise<void> {
  await deps.db.transaction((tx) => deleteSignIn(tx, person_id, id))
  report(deps, 'signed_out', { person: person_id, network })
}

/** Lists the user's sessions that are still valid. */
export async function ownSignIns({ db, now }: Deps, own: SignInRow) {
  const rows = await listSignIns(db.read, own.person_id, now() - SIGN_IN_IDLE_MS)
  return rows
    .filter(({ created_at }) => now() - created_at < SIGN_IN_MAX_MS)
    .map(({ id, created_at, last_used_at, network, browser }) => ({
      ...{ id, current: id === own.id },
      ...{ created_at, last_used_at, network, browser },
    }))
}

export function endSignIn(
  deps: Deps,
  personId: string,
  id: string,
): Promise<undefined | Refused<'not_found'>> {
  return deps.db.transaction(async (tx) =>
    (await deleteSignIn(tx, personId, id)) ? undefined : refuse('not_found'),
  )
}

export async function endOtherSignIns(deps: Deps, { id, person_id }: SignInRow): Promise<void> {
  const count = await deps.db.transaction((tx) => deleteOtherSignIns(tx, person_id, id))
  deps.annotateAudit({ count })
}
