/**
 * Validates a role that a caller wants to give to a member: whether its fields are consistent, and whether
 * the caller may grant it.
 */

import { type Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Own } from '../access/own-rights.ts'
import type { Role } from '../access/roles.ts'
import { type Scope, scopesOfAccount } from '../access/scopes.ts'
import { beyond, type Rights, rightsOf, type SeatRow } from '../access/seats.ts'
import { listProjectIds } from '../projects/store/projects.ts'
import type { SeatChanges } from './store/members.ts'

/** Null means all projects or, for the key limit, no limit. */
export type SeatDraft = {
  readonly role: Role
  /** Only for the `custom` role. */
  readonly scopes: readonly Scope[]
  readonly projects: readonly string[] | null
  /** Only for resellers. */
  readonly max_keys: number | null
}

export type GivingRefused = Refused<'invalid_request' | 'owners_only' | 'beyond_own_rights'>

/**
 * Returns the draft's columns if a caller with the permissions `own` may grant it. A member may keep the
 * projects that they are already limited to, even if those were removed.
 */
export async function readSeat(
  tx: Queries,
  own: Own,
  draft: SeatDraft,
  kept: SeatDraft['projects'] = null,
): Promise<SeatChanges | GivingRefused> {
  const { role, scopes, projects, max_keys } = draft
  const unfit = refuseUnfit(own, draft) ?? (await refuseForeign(tx, own, { projects, kept }))
  if (unfit) return unfit
  const seat = {
    role,
    scopes: JSON.stringify([...new Set(scopes)]),
    projects: projects && JSON.stringify([...new Set(projects)]),
    max_keys,
  }
  const field = role === 'custom' ? 'scopes' : 'role'
  return refuseGiving(own, seat, field) ?? refuseBounded(own, field) ?? seat
}

/** `field` is the request field to name in the error. */
export function refuseGiving(
  { customer, rights, changesOwners }: Own,
  seat: SeatRow,
  field: string,
): Refused<'owners_only' | 'beyond_own_rights'> | undefined {
  if (seat.role === 'owner' && !changesOwners)
    return refuse(
      'owners_only',
      failed(field, 'would make someone an owner, which requires a signed-in owner'),
    )
  return refuseBeyond({ customer, rights }, seat, field)
}

export function refuseBeyond(
  { customer, rights }: Pick<Own, 'customer' | 'rights'>,
  seat: SeatRow,
  field: string,
): Refused<'beyond_own_rights'> | undefined {
  const more = beyond(rightsOf(seat, customer), rights)
  return more.length === 0
    ? undefined
    : refuse('beyond_own_rights', failed(field, `grants more than your own permissions: ${more.join(', ')}`))
}

/**
 * Members have no expiry date and no network limits, so a token that has either limit could bypass it by
 * creating a member.
 */
export function refuseBounded(
  { rights: { bounds } }: Own,
  field: string,
): Refused<'beyond_own_rights'> | undefined {
  if (!bounds || (bounds.networks === null && bounds.expiresAt === null)) return undefined
  const fix = 'would have no expiry or network limits, unlike your token. Use a token without these limits'
  return refuse('beyond_own_rights', failed(field, fix))
}

/**
 * Returns whether a caller with these permissions could still grant this role. Undefined means no
 * permissions.
 */
export function mayStillGive(seat: SeatRow, own: Own | undefined): boolean {
  return own !== undefined && refuseGiving(own, seat, 'role') === undefined
}

/** Returns `own` with the given permissions. */
export function ownWith(own: Own, rights: Rights): Own {
  return { ...own, rights, changesOwners: rights.isOwner }
}

function refuseUnfit({ customer }: Own, draft: SeatDraft): Refused<'invalid_request'> | undefined {
  const { role, scopes, projects, max_keys } = draft
  if (role === 'custom' && scopes.length === 0)
    return refuseMember('scopes', 'must list the scopes of a custom role. GET /v1/scopes lists all scopes')
  if (role !== 'custom' && scopes.length > 0)
    return refuseMember('scopes', 'applies only to custom roles. Omit it')
  const unknown = scopes.find((one) => !scopesOfAccount(customer).has(one))
  if (unknown) return refuseMember('scopes', `${unknown} is available only to operator accounts. Omit it`)
  if (role === 'owner' && projects !== null)
    return refuseMember('projects', 'must be null for an owner, who has access to all projects')
  if (role === 'reseller' && projects?.length !== 1)
    return refuseMember('projects', 'must contain exactly one project for a reseller')
  return role !== 'reseller' && max_keys !== null
    ? refuseMember('max_keys', 'applies only to resellers. Omit it')
    : undefined
}

async function refuseForeign(
  tx: Queries,
  { customer }: Own,
  { projects, kept }: Record<'projects' | 'kept', SeatDraft['projects']>,
): Promise<Refused<'invalid_request'> | undefined> {
  const theirs = new Set([...(await listProjectIds(tx, customer.id, projects ?? [])), ...(kept ?? [])])
  const index = (projects ?? []).findIndex((id) => !theirs.has(id))
  return index < 0
    ? undefined
    : refuseMember(`projects.${index}`, 'must be a project of this account. GET /v1/projects lists them')
}

function failed(field: string, error: string) {
  return { failed: [{ field, errors: [error] }] }
}
