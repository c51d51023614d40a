/**
 * Owners who were removed or demoted can object with a link that makes them owners again. If one of two
 * owners is an intruder, the intruder must not win by removing the other owner first.
 */

import { newId } from '../../api/ids.ts'
import { Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { issueOnce, linkFor, lookAtOnce, takeOnce } from '../access/single-use.ts'
import { deleteObjections, findPersonObjection } from '../access/store/single-uses.ts'
import { queueMail } from '../accounts/mails.ts'
import { lockAccount } from '../accounts/quotas.ts'
import { findCustomer } from '../accounts/store/customers.ts'
import { ownerRemoved, ownerRestored } from './notices.ts'
import { findMemberOf, insertMember, listOwners, updateMember } from './store/members.ts'
import { findPerson } from './store/people.ts'
import type { MemberRow, PersonRow } from './store/sign-ins.ts'

const OBJECTION = ['owner_objection'] as const
const OBJECTION_MS = 7 * 86_400_000
const PROTECTED_MS = 7 * 86_400_000

type Seat = Pick<MemberRow, 'customer_id' | 'person_id'>

/**
 * Must run in the transaction that removes or demotes the owner. If email isn't set up, the objection waits
 * until an operator creates its link.
 */
export async function letObject(deps: Deps, tx: Queries, { customer_id, person_id }: Seat): Promise<void> {
  const customer = await findCustomer(tx, customer_id)
  const person = await findPerson(tx, person_id)
  if (!customer || !person) return
  const link = await issueObjection(deps, tx, { customer_id, person_id }, OBJECTION_MS)
  await queueMail(deps, tx, ownerRemoved(person.email, { account: customer.email, link }))
}

/** Returns the link, which cannot be read again. Any previous link stops working. */
export function makeObjectionLink(
  deps: Deps,
  personId: string,
  account?: string,
): Promise<string | Refused<'not_found' | 'nothing_to_object_to'>> {
  return deps.db.transaction(async (tx) => {
    if (!(await findPerson(tx, personId))) return refuse('not_found')
    const now = deps.now()
    const row = await findPersonObjection(tx, personId, { customerId: account, now })
    if (!row?.customer_id) return refuse('nothing_to_object_to')
    const seat = { customer_id: row.customer_id, person_id: personId }
    return issueObjection(deps, tx, seat, row.expires_at - now)
  })
}

/** Makes the user an owner again. Changes nothing else, not even the user's sign-in methods. */
export async function objectToRemoval(
  deps: Deps,
  link: string,
): Promise<undefined | Refused<'link_gone' | 'unauthorized'>> {
  const seen = await lookAtOnce(deps, link, OBJECTION)
  if (!seen?.customer_id) return refuse('link_gone')
  const customerId = seen.customer_id
  return deps.db.transaction(async (tx) => {
    // The account is always locked first.
    const account = await lockAccount(tx, customerId)
    if (account instanceof Refused) return account
    const row = await takeOnce(deps, tx, link, OBJECTION)
    const person = row?.person_id ? await findPerson(tx, row.person_id) : undefined
    if (person?.disabled !== 0) return refuse('link_gone')
    await deleteObjections(tx, person.id, customerId)
    const others = await listOwners(tx, customerId)
    await restore(deps, tx, customerId, person)
    for (const { email, person_id } of others)
      if (person_id !== person.id)
        await queueMail(
          deps,
          tx,
          ownerRestored(email, { account: account.customer.email, owner: person.email }),
        )
    return undefined
  })
}

/** Returns whether this member is currently protected from changes by others. */
export function isProtected({ role, protected_until }: MemberRow, now: number): boolean {
  return role === 'owner' && protected_until !== null && protected_until > now
}

/** Ignores the member limit, because the member who removed this owner could have filled the account. */
async function restore(deps: Deps, tx: Queries, customerId: string, person: PersonRow): Promise<void> {
  const now = deps.now()
  const seat = {
    role: 'owner',
    scopes: '[]',
    projects: null,
    max_keys: null,
    protected_until: now + PROTECTED_MS,
  }
  const member = await findMemberOf(tx, customerId, person.id)
  const id = member?.id ?? newId('mem', now, deps.random)
  deps.annotateAudit({
    nouns: { member_id: id, person_id: person.id },
    actor: { kind: 'person', id: person.id, name: person.email },
    customerId,
  })
  if (member) return updateMember(tx, id, seat)
  await insertMember(tx, { id, customer_id: customerId, person_id: person.id, ...seat, created_at: now })
}

async function issueObjection(
  deps: Deps,
  tx: Queries,
  { customer_id: customerId, person_id: personId }: Seat,
  forMs: number,
): Promise<string> {
  await deleteObjections(tx, personId, customerId)
  const secret = await issueOnce(deps, tx, { purpose: 'owner_objection', personId, customerId, forMs })
  return linkFor(deps.config, 'objection', secret)
}
