/**
 * Accepts an invitation as the signed-in user, as an existing user who enters their password, or as a new
 * user.
 */

import { newId } from '../../api/ids.ts'
import { Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { hashCredential } from '../access/credential.ts'
import type { Role } from '../access/roles.ts'
import { lockAccount } from '../accounts/quotas.ts'
import { findCustomer } from '../accounts/store/customers.ts'
import { MAX_MEMBERS } from './invitations.ts'
import { newHash } from './own-person.ts'
import { createPerson } from './people.ts'
import type { Busy } from './sign-in/passwords.ts'
import { needsPasskey } from './sign-in/required-factors.ts'
import { withNewPerson } from './sign-in/set-up.ts'
import { provePassword, type Stepped, stepIn } from './sign-in/sign-in.ts'
import { renewSignIn, startSignIn, type Whence } from './sign-in/start-sign-in.ts'
import { markUnproved } from './sign-in/unproved-email.ts'
import { deleteInvitation, findInvitationByHash, type ListedInvitation } from './store/invitations.ts'
import { countMembers, findMemberOf, insertMember, listOwners } from './store/members.ts'
import { findPersonByEmail, lockPerson } from './store/people.ts'
import type { PersonRow, SignedIn } from './store/sign-ins.ts'

export type Acceptance = { readonly link: string; readonly name?: string; readonly password?: string }
export type Accepting = { readonly signedIn: SignedIn | undefined; readonly whence: Whence }

type JoinRefused = Refused<'link_gone' | 'already_member' | 'max_members_reached' | 'unauthorized'>
type AcceptRefused =
  | JoinRefused
  | Busy
  | Refused<
      'invitation_for_another' | 'sign_in_first' | 'wrong_credentials' | 'passkey_needed' | 'invalid_request'
    >

/** Returns an invitation's details, for the page on which it is accepted. */
export async function lookAtInvitation(deps: Deps, link: string) {
  const row = await findWaiting(deps, deps.db.read, link)
  const customer = row && (await findCustomer(deps.db.read, row.customer_id))
  if (!row || !customer) return refuse('link_gone')
  const person = await findPersonByEmail(deps.db.read, row.email)
  const { email, inviter } = row
  const role = row.role as Role
  return { email, account: customer.email, role, invited_by: inviter, has_person: person !== undefined }
}

/**
 * Returns a cookie, or a pending-login token if the password isn't enough. In the latter case, the link stays
 * valid, so that the user can open it again after signing in.
 */
export async function acceptInvitation(
  deps: Deps,
  given: Acceptance,
  { signedIn, whence }: Accepting,
): Promise<Stepped | AcceptRefused> {
  const row = await findWaiting(deps, deps.db.read, given.link)
  if (!row) return refuse('link_gone')
  const to = { ...whence, account: row.customer_id }
  if (signedIn) return acceptSignedIn(deps, row, signedIn)
  const person = await findPersonByEmail(deps.db.read, row.email)
  return person
    ? acceptWithPassword(deps, row, { person, password: given.password, whence: to })
    : acceptAsNew(deps, row, { ...given, whence: to })
}

async function acceptSignedIn(
  deps: Deps,
  row: ListedInvitation,
  { signIn, person }: SignedIn,
): Promise<Stepped | JoinRefused | Refused<'invitation_for_another'>> {
  if (person.email !== row.email) return refuse('invitation_for_another')
  return deps.db.transaction(async (tx) => {
    const refused = await join(deps, tx, row, person)
    if (refused) return refused
    const cookie = await renewSignIn(deps, tx, signIn, { customer_id: row.customer_id })
    return cookie instanceof Refused ? cookie : { cookie }
  })
}

type Known = {
  readonly person: PersonRow
  readonly password: string | undefined
  readonly whence: Whence
}

async function acceptWithPassword(
  deps: Deps,
  row: ListedInvitation,
  { person, password, whence }: Known,
): Promise<Stepped | JoinRefused | Busy | Refused<'sign_in_first' | 'wrong_credentials' | 'passkey_needed'>> {
  if (password === undefined) return refuse('sign_in_first')
  const proved = await provePassword(deps, { email: row.email, password, person }, whence)
  if (proved instanceof Refused) return proved
  return deps.db.transaction(async (tx) => {
    // The account is always locked before the user.
    const account = await lockAccount(tx, row.customer_id)
    if (account instanceof Refused) return account
    const current = await lockPerson(tx, proved.id)
    const isSame = current?.password_hash === proved.password_hash && current?.disabled === 0
    if (!isSame) return refuse('wrong_credentials')
    const needsMore = current.totp_secret !== null || (await needsPasskey(deps, tx, current))
    if (needsMore) return stepIn(deps, tx, current, whence)
    const refused = await join(deps, tx, row, current)
    return refused ?? { cookie: await startSignIn(deps, tx, current, whence) }
  })
}

type Taken = Refused<'email_already_taken'>
type New = Omit<Acceptance, 'link'> & { readonly whence: Whence }

async function acceptAsNew(
  deps: Deps,
  row: ListedInvitation,
  { name, password, whence }: New,
): Promise<Stepped | JoinRefused | Busy | Refused<'sign_in_first' | 'invalid_request'>> {
  if (name === undefined) return refuseMember('name', 'is required for a new user account')
  if (password === undefined) return refuseMember('password', 'is required for a new user account')
  const password_hash = await newHash(deps, { password, email: row.email, address: whence.address })
  if (password_hash instanceof Refused) return password_hash
  const accepted = await withNewPerson(deps, async (tx): Promise<Stepped | JoinRefused> => {
    const account = await lockAccount(tx, row.customer_id)
    if (account instanceof Refused) return account
    const person = await createPerson(deps, tx, { email: row.email, name, password_hash })
    await markUnproved(deps, tx, person.id)
    const refused = await join(deps, tx, row, person)
    return refused ?? { cookie: await startSignIn(deps, tx, person, whence) }
  })
  // Another invitation may have created the user since the first check.
  const isTaken = accepted instanceof Refused && accepted.reason === 'email_already_taken'
  return isTaken ? refuse('sign_in_first') : (accepted as Exclude<typeof accepted, Taken>)
}

/** Consumes the invitation. If two requests use the same link, the second one finds no invitation. */
async function join(
  deps: Deps,
  tx: Queries,
  { id: invitationId, hash, customer_id }: ListedInvitation,
  person: PersonRow,
): Promise<undefined | JoinRefused> {
  const account = await lockAccount(tx, customer_id)
  if (account instanceof Refused) return account
  const now = deps.now()
  const row = await findInvitationByHash(tx, hash)
  if (!row || row.expires_at <= now || !(await deleteInvitation(tx, invitationId))) return refuse('link_gone')
  if (!(await isStillGiven(tx, row))) return refuse('link_gone')
  if (await findMemberOf(tx, customer_id, person.id)) return refuse('already_member')
  if ((await countMembers(tx, customer_id)) >= MAX_MEMBERS) return refuse('max_members_reached')
  const { role, scopes, projects, max_keys } = row
  const id = newId('mem', now, deps.random)
  const seat = { role, scopes, projects, max_keys }
  await insertMember(tx, { id, customer_id, person_id: person.id, ...seat, created_at: now })
  deps.annotateAudit({
    nouns: { invitation_id: invitationId, member_id: id, person_id: person.id },
    actor: { kind: 'person', id: person.id, name: person.email },
    customerId: customer_id,
  })
  return undefined
}

/**
 * Returns whether the inviter could still grant this role. An invitation for an owner is valid only while its
 * inviter is an owner. Only the first owner can be invited with the API key.
 */
async function isStillGiven(
  tx: Queries,
  { role, customer_id, invited_by }: ListedInvitation,
): Promise<boolean> {
  if (role !== 'owner') return true
  const owners = await listOwners(tx, customer_id)
  return owners.length === 0 || owners.some(({ person_id }) => person_id === invited_by)
}

async function findWaiting({ now }: Deps, db: Queries, link: string): Promise<ListedInvitation | undefined> {
  const row = await findInvitationByHash(db, hashCredential(link))
  return row && row.expires_at > now() ? row : undefined
}
