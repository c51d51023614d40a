/** Lists, edits and removes members of an account, and lets members leave. `invitations.ts` adds members. */

import { Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../access/caller.ts'
import { lockRights, type Own } from '../access/own-rights.ts'
import type { Role } from '../access/roles.ts'
import { ALL_SCOPES, type Scope, withIncluded } from '../access/scopes.ts'
import { beyond, listIn, projectsIn, rightsOf, type SeatRow } from '../access/seats.ts'
import { deleteTokensById, listTokensMadeBy } from '../access/store/tokens.ts'
import { lockAccount } from '../accounts/quotas.ts'
import type { CustomerRow } from '../accounts/store/customers.ts'
import { deleteViewsOfLeaver } from '../views/store.ts'
import { isProtected, letObject } from './owners.ts'
import {
  type GivingRefused,
  mayStillGive,
  ownWith,
  readSeat,
  refuseGiving,
  type SeatDraft,
} from './seat-drafts.ts'
import { deleteInvitation, listInvitationsBy } from './store/invitations.ts'
import {
  deleteMember,
  findMember,
  findMemberOf,
  hasOtherOwner,
  type ListedMember,
  listMembers,
  updateMember,
} from './store/members.ts'
import { type MemberRow, type SignedIn, updateSignInsOfLeaver } from './store/sign-ins.ts'

/** The account to change and the caller who changes it. */
export type Giver = { readonly customer: CustomerRow; readonly caller: Caller }
type Lost = Refused<'unauthorized' | 'forbidden'>

export async function membersOf({ db }: Deps, customer: CustomerRow) {
  const rows = await listMembers(db.read, customer.id)
  return rows.map((row) => describeMember(row, customer))
}

/** Omitted fields keep their value. A new role resets the scopes and the key limit to the given values. */
export async function editMember(
  deps: Deps,
  { customer, caller }: Giver,
  id: string,
  edit: Partial<SeatDraft>,
): Promise<
  | undefined
  | Lost
  | GivingRefused
  | Refused<'last_owner' | 'owner_protected' | 'not_found' | 'cannot_edit_nothing'>
> {
  if (Object.keys(edit).length === 0) return refuse('cannot_edit_nothing')
  return deps.db.transaction(async (tx) => {
    const own = await lockRights(tx, customer.id, caller, 'members:write')
    if (own instanceof Refused) return own
    const row = await findMember(tx, customer.id, id)
    if (!row) return refuse('not_found')
    const { projects: kept } = edited(row, {})
    const seat = refuseGiving(own, row, 'member_id') ?? (await readSeat(tx, own, edited(row, edit), kept))
    if (seat instanceof Refused) return seat
    const refused =
      seat.role === 'owner'
        ? undefined
        : (refuseProtected(deps, row, caller) ?? (await endOwner(deps, tx, row)))
    if (refused) return refused
    deps.annotateAudit({ before: edited(row, {}), isNullValue: true })
    await updateMember(tx, id, seat)
    await endExcess(tx, row, ownWith(own, rightsOf(seat, own.customer)))
    return undefined
  })
}

export async function removeMember(
  deps: Deps,
  { customer, caller }: Giver,
  id: string,
): Promise<
  | undefined
  | Lost
  | Refused<'last_owner' | 'owner_protected' | 'owners_only' | 'beyond_own_rights' | 'not_found'>
> {
  return deps.db.transaction(async (tx) => {
    const own = await lockRights(tx, customer.id, caller, 'members:write')
    if (own instanceof Refused) return own
    const row = await findMember(tx, customer.id, id)
    if (!row) return refuse('not_found')
    const refused = refuseGiving(own, row, 'member_id') ?? refuseProtected(deps, row, caller)
    return refused ?? end(deps, tx, row)
  })
}

/** Removes the user from the account that the dashboard session currently shows. */
export async function leaveAccount(
  deps: Deps,
  { person, seat }: SignedIn,
): Promise<undefined | Refused<'last_owner' | 'forbidden' | 'unauthorized'>> {
  const customerId = seat?.customer.id
  if (customerId === undefined) return refuse('forbidden', { needs: 'an account' })
  return deps.db.transaction(async (tx) => {
    const account = await lockAccount(tx, customerId)
    if (account instanceof Refused) return account
    const row = await findMemberOf(tx, customerId, person.id)
    return row ? end(deps, tx, row) : refuse('forbidden', { needs: 'an account' })
  })
}

export function describeSeat(row: SeatRow, customer: CustomerRow) {
  const { scopes } = rightsOf(row, customer)
  return {
    role: row.role as Role,
    scopes: ALL_SCOPES.filter((one) => scopes.has(one)),
    projects: row.projects === null ? null : listIn(row.projects),
    max_keys: row.max_keys,
  }
}

function describeMember(row: ListedMember, customer: CustomerRow) {
  const { id, person_id, email, name, created_at, last_sign_in_at, has_second_factor } = row
  const person = { id: person_id, email, name }
  return { id, person, ...describeSeat(row, customer), created_at, last_sign_in_at, has_second_factor }
}

function edited(row: MemberRow, edit: Partial<SeatDraft>): SeatDraft {
  const role = edit.role ?? (row.role as Role)
  const isSame = role === row.role
  const projects = row.projects === null ? null : listIn(row.projects)
  return {
    role,
    scopes: edit.scopes ?? (isSame ? (listIn(row.scopes) as Scope[]) : []),
    projects: edit.projects === undefined ? projects : edit.projects,
    max_keys: edit.max_keys === undefined ? (isSame ? row.max_keys : null) : edit.max_keys,
  }
}

/** The caller must have locked the account. */
async function end(deps: Deps, tx: Queries, row: MemberRow): Promise<undefined | Refused<'last_owner'>> {
  const refused = await endOwner(deps, tx, row)
  if (refused) return refused
  await deleteMember(tx, row.id)
  await updateSignInsOfLeaver(tx, row.person_id, row.customer_id)
  await deleteViewsOfLeaver(tx, row.person_id, row.customer_id)
  await endExcess(tx, row, undefined)
  return undefined
}

/** An owner restored by an objection is protected from others for a while, but can still leave. */
function refuseProtected(
  { now }: Deps,
  row: MemberRow,
  { actor }: Caller,
): Refused<'owner_protected'> | undefined {
  const isOther = actor.id !== row.person_id
  return isOther && isProtected(row, now()) ? refuse('owner_protected') : undefined
}

/** Owners who leave can object too, because someone else may have used their dashboard session to leave. */
async function endOwner(deps: Deps, tx: Queries, row: MemberRow): Promise<undefined | Refused<'last_owner'>> {
  if (row.role !== 'owner') return undefined
  if (!(await hasOtherOwner(tx, row.customer_id, row.id))) return refuse('last_owner')
  await letObject(deps, tx, row)
  return undefined
}

/** Revokes the tokens and invitations that a user created and that exceed their current permissions. */
async function endExcess(
  tx: Queries,
  { customer_id, person_id }: MemberRow,
  own: Own | undefined,
): Promise<void> {
  const tokens = await listTokensMadeBy(tx, customer_id, person_id)
  const excess = tokens.filter(({ scopes, projects }) => {
    const held = withIncluded(listIn(scopes) as Scope[])
    const token = { scopes: held, projects: projectsIn(projects), isOwner: false }
    return own === undefined || beyond(token, own.rights).length > 0
  })
  await deleteTokensById(
    tx,
    excess.map(({ id }) => id),
  )
  for (const inviter of [person_id, ...tokens.map(({ id }) => id)])
    for (const invitation of await listInvitationsBy(tx, customer_id, inviter))
      if (!mayStillGive(invitation, own)) await deleteInvitation(tx, invitation.id)
}
