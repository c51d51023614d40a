/** Setup links. A user who opens one becomes the owner of an account that has no users yet. */

import { newId } from '../../../api/ids.ts'
import { Refused, refuse, refuseMissing, shownId } from '../../../api/refusals.ts'
import type { Queries } from '../../../database/engine/db.ts'
import { isUniqueViolation } from '../../../database/engine/dialect.ts'
import type { Deps } from '../../../deps.ts'
import { issueOnce, LINK_MS, linkFor, lookAtOnce, takeOnce } from '../../access/single-use.ts'
import { deleteAccountSingleUses } from '../../access/store/single-uses.ts'
import {
  type CustomerRow,
  findCustomer,
  findCustomerByEmail,
  findFirstAdmin,
  lockCustomer,
} from '../../accounts/store/customers.ts'
import { newHash } from '../own-person.ts'
import { createPerson, type NewPerson } from '../people.ts'
import { countMembers, insertMember } from '../store/members.ts'
import { findPerson } from '../store/people.ts'
import type { Busy } from './passwords.ts'
import { startSignIn, type Whence } from './start-sign-in.ts'

const SET_UP = ['set_up'] as const

/**
 * Creates a link for the account with this ID or email address, or by default for the first operator. Any
 * previous link stops working.
 */
export async function makeSetUpLink(
  deps: Deps,
  account?: string,
): Promise<string | Refused<'not_found' | 'account_has_people'>> {
  const found = await findAccount(deps, account)
  if (!found)
    return refuseMissing(
      account ? `Account ${shownId(account)} does not exist` : 'There is no operator account yet',
    )
  const secret = await deps.db.transaction(async (tx) => {
    if (!(await lockCustomer(tx, found.id))) return refuse('not_found')
    if ((await countMembers(tx, found.id)) > 0) return refuse('account_has_people')
    await deleteAccountSingleUses(tx, found.id, 'set_up')
    return issueOnce(deps, tx, { purpose: 'set_up', customerId: found.id, forMs: LINK_MS })
  })
  return secret instanceof Refused ? secret : linkFor(deps.config, 'set-up', secret)
}

async function findAccount(
  { db }: Pick<Deps, 'db'>,
  account: string | undefined,
): Promise<CustomerRow | undefined> {
  if (account === undefined) return findFirstAdmin(db.read)
  return account.includes('@')
    ? findCustomerByEmail(db.read, account.toLowerCase())
    : findCustomer(db.read, account)
}

export type LookedAt = {
  readonly purpose: 'set_up' | 'reset' | 'owner_objection'
  readonly email: string | null
  readonly account: string | null
}

/** Returns a link's details, for the page on which it is used. */
export async function lookAtLink(deps: Deps, link: string): Promise<LookedAt | Refused<'link_gone'>> {
  const row = await lookAtOnce(deps, link, ['set_up', 'reset', 'owner_objection'])
  if (row === undefined) return refuse('link_gone')
  const { read } = deps.db
  const person = row.person_id === null ? undefined : await findPerson(read, row.person_id)
  const customer = row.customer_id === null ? undefined : await findCustomer(read, row.customer_id)
  const purpose = row.purpose as LookedAt['purpose']
  return { purpose, email: person?.email ?? null, account: customer?.email ?? null }
}

export type SetUp = {
  readonly link: string
  readonly email: string
  readonly name: string
  readonly password: string
}
type SetUpRefused = Refused<'link_gone' | 'account_has_people' | 'email_already_taken'>

/** Returns the cookie of the new owner. The password is hashed only for requests with a valid link. */
export async function setUpOwner(
  deps: Deps,
  { link, password, ...named }: SetUp,
  whence: Whence,
): Promise<string | SetUpRefused | Busy | Refused<'invalid_request'>> {
  if (!(await lookAtOnce(deps, link, SET_UP))) return refuse('link_gone')
  const password_hash = await newHash(deps, { password, email: named.email, address: whence.address })
  if (password_hash instanceof Refused) return password_hash
  return withNewPerson(deps, (tx) =>
    becomeOwner(deps, tx, { link, person: { ...named, password_hash }, whence }),
  )
}

/** Runs in the caller's transaction, which may also add a passkey. */
export async function becomeOwner(
  deps: Deps,
  tx: Queries,
  { link, person, whence }: { readonly link: string; readonly person: NewPerson; readonly whence: Whence },
): Promise<string | Refused<'link_gone' | 'account_has_people'>> {
  const row = await takeOnce(deps, tx, link, SET_UP)
  const customer = row?.customer_id ? await lockCustomer(tx, row.customer_id) : null
  if (!customer) return refuse('link_gone')
  if ((await countMembers(tx, customer.id)) > 0) return refuse('account_has_people')
  const created = await createPerson(deps, tx, person)
  await addOwner(deps, tx, { customerId: customer.id, personId: created.id })
  return startSignIn(deps, tx, created, whence)
}

export async function addOwner(
  { now, random, annotateAudit }: Pick<Deps, 'now' | 'random' | 'annotateAudit'>,
  tx: Queries,
  { customerId, personId }: { readonly customerId: string; readonly personId: string },
): Promise<void> {
  const at = now()
  const id = newId('mem', at, random)
  await insertMember(tx, { id, customer_id: customerId, person_id: personId, role: 'owner', created_at: at })
  annotateAudit({ nouns: { member_id: id, person_id: personId } })
}

/** If two requests claim the same email address at the same time, the database rejects the later one. */
export async function withNewPerson<T>(
  { db }: Pick<Deps, 'db'>,
  change: (tx: Queries) => Promise<T>,
): Promise<T | Refused<'email_already_taken'>> {
  try {
    return await db.transaction(change)
  } catch (error) {
    if (isUniqueViolation(error)) return refuse('email_already_taken')
    throw error
  }
}
