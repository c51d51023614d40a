/** Changes that users make to their own credentials, and to which account they have open. */

import { NO_ACCESS, Refused, refuse, refuseMember, refuseMissing, shownId } from '../../api/refusals.ts'
import { isUniqueViolation } from '../../database/engine/dialect.ts'
import type { Deps } from '../../deps.ts'
import { deletePersonSingleUses } from '../access/store/single-uses.ts'
import { queueMail } from '../accounts/mails.ts'
import { findCustomer } from '../accounts/store/customers.ts'
import { emailChanged, passwordChanged } from './notices.ts'
import { type Busy, hashPassword, passwordFault } from './sign-in/passwords.ts'
import { renewSignIn } from './sign-in/start-sign-in.ts'
import { markUnproved } from './sign-in/unproved-email.ts'
import { listMemberships } from './store/members.ts'
import { updatePerson } from './store/people.ts'
import { countRecoveryCodes } from './store/recovery-codes.ts'
import { deleteOtherSignIns, type PersonRow, type SignedIn, type SignInRow } from './store/sign-ins.ts'

export type PersonEdits = { readonly name?: string; readonly language?: string }
type Own = Pick<SignedIn, 'signIn' | 'person'>

export async function editPerson(
  deps: Deps,
  { id }: PersonRow,
  { name, language }: PersonEdits,
): Promise<undefined | Refused<'cannot_edit_nothing'>> {
  if (name === undefined && language === undefined) return refuse('cannot_edit_nothing')
  const changes = {
    ...(name !== undefined && { name: name.trim() }),
    ...(language !== undefined && { language: language === '' ? null : language }),
  }
  await deps.db.transaction((tx) => updatePerson(tx, id, changes))
  return undefined
}

/** Notifies the previous address, so that its owner notices a change made by someone else. */
export async function changeEmail(
  deps: Deps,
  { signIn, person }: Own,
  given: string,
): Promise<string | Refused<'email_already_taken' | 'unauthorized'>> {
  const email = given.toLowerCase()
  try {
    return await deps.db.transaction(async (tx) => {
      await updatePerson(tx, person.id, { email })
      await deletePersonSingleUses(tx, person.id, 'reset')
      await markUnproved(deps, tx, person.id)
      await queueMail(deps, tx, emailChanged(person.email))
      return renewSignIn(deps, tx, signIn)
    })
  } catch (error) {
    if (isUniqueViolation(error)) return refuse('email_already_taken')
    throw error
  }
}

/** Returns the new cookie. Ends all other sessions. */
export async function changePassword(
  deps: Deps,
  { signIn, person }: Own,
  { password, address }: { readonly password: string; readonly address: string },
): Promise<string | Busy | Refused<'invalid_request' | 'unauthorized'>> {
  const password_hash = await newHash(deps, { password, email: person.email, address })
  if (password_hash instanceof Refused) return password_hash
  return deps.db.transaction(async (tx) => {
    await updatePerson(tx, person.id, { password_hash })
    await deleteOtherSignIns(tx, person.id, signIn.id)
    await deletePersonSingleUses(tx, person.id, 'reset')
    await deletePersonSingleUses(tx, person.id, 'second_factor')
    await queueMail(deps, tx, passwordChanged(person.email))
    return renewSignIn(deps, tx, signIn)
  })
}

/** Returns the password's hash, or an error if the password is not acceptable. */
export async function newHash(
  deps: Deps,
  given: { readonly password: string; readonly email: string; readonly address: string },
): Promise<string | Busy | Refused<'invalid_request'>> {
  const fault = await passwordFault(given.password, given.email)
  return fault === undefined
    ? hashPassword(deps, given.password, given.address)
    : refuseMember('password', fault)
}

/**
 * Returns the new cookie. If the user is not a member of the account, fails as if the account did not exist.
 */
export function switchAccount(
  deps: Deps,
  signIn: SignInRow,
  accountId: string,
): Promise<string | Refused<'not_found' | 'unauthorized'>> {
  return deps.db.transaction(async (tx) => {
    const all = await listMemberships(tx, signIn.person_id)
    if (!all.some(({ customer_id }) => customer_id === accountId))
      return refuseMissing(`Account ${shownId(accountId)} does not exist${NO_ACCESS}`)
    return renewSignIn(deps, tx, signIn, { customer_id: accountId })
  })
}

export type OwnAccount = { readonly id: string; readonly email: string; readonly role: string }

export async function accountsOf({ db }: Pick<Deps, 'db'>, personId: string): Promise<OwnAccount[]> {
  const accounts: OwnAccount[] = []
  for (const { customer_id, role } of await listMemberships(db.read, personId)) {
    const customer = await findCustomer(db.read, customer_id)
    if (customer) accounts.push({ id: customer.id, email: customer.email, role })
  }
  return accounts
}

export async function describeOwnPerson({ db }: Pick<Deps, 'db'>, person: PersonRow) {
  const { id, email, name, language } = person
  return {
    ...{ id, email, name, language },
    has_password: person.password_hash !== null,
    has_second_factor: person.totp_secret !== null,
    recovery_codes_left: await countRecoveryCodes(db.read, id),
  }
}
