/** Shows and releases a user's devices. `recognition.ts` recognizes devices. */

import { Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import { isBlacklisted } from '../key-validity/blacklist.ts'
import { countReset, nextReset } from '../key-validity/terms.ts'
import { lockUser, type UserRow, updateUser } from '../keys/store/users.ts'
import { findPlanOf, type PlanRow } from '../plans/store.ts'
import type { ProjectRow } from '../projects/store/projects.ts'
import type { UserSubject } from '../projects/store/subjects.ts'
import { endSessions, sessionsOf } from '../sessions/sessions.ts'
import { updateUserKicked } from '../sessions/store/instances.ts'
import { addEvent, eventUser } from '../webhooks/events/events.ts'
import { type Bound, listDevices } from './bindings.ts'
import { lastUsed } from './recognition.ts'
import { deleteUserDevices, updateDeviceName } from './store/user-devices.ts'

/** Masked at the time of binding. The IP address and executor are not stored anywhere else. */
export type Display = { readonly ip?: string; readonly fingerprint?: string; readonly executor?: string }

type ResetReason = 'fingerprint_resets_disabled' | 'fingerprint_reset_on_cooldown' | 'no_fingerprint_assigned'

/** `actor` performs the reset. `force` ends sessions and ignores the project's cooldown and reset setting. */
export type Reset =
  | { readonly actor: 'owner'; readonly force: boolean }
  | { readonly actor: 'user'; readonly force: false }

/** Releases all devices of a user. The next run binds a device again. */
export function resetFingerprint(deps: Deps, subject: UserSubject, reset: Reset) {
  return release(deps, subject, reset, {
    check: async (tx, row) =>
      (await checkReset(tx, deps, { project: subject.project, row }, reset)) ?? refuseUnbound(row),
    forget: forgetAll,
  })
}

/** Releases one device at the customer's request, under the same rules as for releasing all devices. */
export function releaseDevice(deps: Deps, subject: UserSubject, id: string) {
  const reset = { actor: 'user', force: false } as const
  return release(deps, subject, reset, {
    check: (tx, row) => checkReset(tx, deps, { project: subject.project, row }, reset),
    forget: (tx, row) => forgetOne(tx, row, id),
  })
}

/**
 * Removes one device at the owner's request, without a cooldown. `force` ends the sessions on all devices.
 */
export function removeDevice(
  deps: Deps,
  subject: UserSubject,
  { id, force }: { readonly id: string; readonly force: boolean },
) {
  return release(
    deps,
    subject,
    { actor: 'owner', force },
    {
      check: async () => undefined,
      forget: (tx, row) => forgetOne(tx, row, id),
    },
  )
}

export const MAX_DEVICE_NAME_LENGTH = 60

/**
 * Returns whether a name is valid. It must be a single line. Surrounding spaces don't count, and an empty
 * name removes the current one.
 */
export function isDeviceName(name: string): boolean {
  return !/\p{Cc}/u.test(name) && [...name.trim()].length <= MAX_DEVICE_NAME_LENGTH
}

/** Sets the device's name. An empty name removes the current name. */
export async function renameDevice(
  deps: Deps,
  { customer, user }: UserSubject,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<undefined | Refused<'account_expired' | 'not_found'>> {
  if (isAccountExpired(customer, deps.now())) return refuse('account_expired')
  const device = { id, name: name.trim() || null }
  // PostgreSQL rejects some strings, such as those with null bytes, so malformed IDs are not queried.
  const isId = /^[\w-]{1,128}$/.test(id)
  const isKnown = isId && (await deps.db.transaction((tx) => updateDeviceName(tx, user, device)))
  return isKnown ? undefined : refuse('not_found')
}

const UNBOUND: Bound = { fingerprint_assigned: 0, fingerprint_display: null }

async function forgetAll(tx: Queries, row: UserRow): Promise<Bound> {
  await deleteUserDevices(tx, row)
  return UNBOUND
}

async function forgetOne(tx: Queries, row: UserRow, id: string): Promise<Bound | Refused<'not_found'>> {
  const known = await listDevices(tx, row)
  const left = known.filter((one) => one.id !== id)
  if (left.length === known.length) return refuse('not_found')
  await deleteUserDevices(tx, row, id)
  const last = lastUsed(left)
  return last ? { fingerprint_assigned: 1, fingerprint_display: last.display } : UNBOUND
}

async function checkReset(
  tx: Queries,
  { now: clock }: Pick<Deps, 'now'>,
  { project, row }: { readonly project: ProjectRow; readonly row: UserRow },
  { actor, force }: Reset,
): Promise<undefined | Refused<ResetReason | 'forbidden'>> {
  const now = clock()
  // Blacklisted users are recognized by their bound devices, so they must not be able to release them.
  if (actor === 'user' && isBlacklisted(row, now)) return refuse('forbidden')
  const plan = actor === 'user' ? await findPlanOf(tx, row) : null
  return force ? undefined : refuseReset(project, row, plan, now)
}

type Release<R extends Refused> = {
  /** Called once the user's row is locked. */
  readonly check: (tx: Queries, row: UserRow) => Promise<R | undefined>
  /** Returns the remaining bindings. */
  readonly forget: (tx: Queries, row: UserRow) => Promise<Bound | Refused<'not_found'>>
}

async function release<R extends Refused = never>(
  deps: Deps,
  { customer, project, user }: UserSubject,
  { actor, force }: Reset,
  { check, forget }: Release<R>,
): Promise<undefined | R | Refused<'account_expired' | 'not_found'>> {
  const now = deps.now()
  if (isAccountExpired(customer, now)) return refuse('account_expired')
  const refused = await deps.db.transaction(async (tx) => {
    const row = await lockUser(tx, project.id, user.key)
    if (!row) return refuse('not_found')
    const left = (await check(tx, row)) ?? (await forget(tx, row))
    if (left instanceof Refused) return left
    if (force) await updateUserKicked(tx, row, 'fingerprint_reset')
    const counted = actor === 'user' ? countReset(row, await findPlanOf(tx, row), now) : {}
    const total_fingerprint_resets = row.total_fingerprint_resets + 1
    const changes = { ...left, ...counted, last_reset: now, total_fingerprint_resets }
    await updateUser(tx, project.id, row.key, changes)
    const data = { user: eventUser(row), actor, forced: force } as const
    await addEvent(tx, deps, { type: 'user.fingerprint_reset', project_id: project.id, data })
    return undefined
  })
  if (refused === undefined && force) await endSessions(deps, sessionsOf(user), 'fingerprint_reset')
  return refused
}

/** Three lines, with `none` for unknown values. Empty if no device is bound. */
export function describeFingerprint(row: UserRow): string {
  if (row.fingerprint_assigned === 0) return ''
  const { ip, fingerprint, executor } = readDisplay(row.fingerprint_display)
  return `${ip ?? 'none'} -> ip\n${fingerprint ?? 'none'} -> fingerprint\n${executor ?? 'none'} -> executor`
}

export function readDisplay(display: string | null): Display {
  return JSON.parse(display ?? '{}') as Display
}

/** `plan` limits resets by customers. Null for resets by the owner. */
export function refuseReset(
  project: ProjectRow,
  row: UserRow,
  plan: PlanRow | null,
  now: number,
): Refused<ResetReason> | undefined {
  const ofPlan = nextReset(row, plan, now)
  if (project.allow_fingerprint_resets === 0 || ofPlan === null) return refuse('fingerprint_resets_disabled')
  const ofProject = row.last_reset === 0 ? 0 : row.last_reset + project.fingerprint_reset_cooldown
  const retryAt = Math.max(ofProject, ofPlan)
  return retryAt <= now ? undefined : refuse('fingerprint_reset_on_cooldown', { retry_at: retryAt })
}

function refuseUnbound(row: UserRow): Refused<'no_fingerprint_assigned'> | undefined {
  return row.fingerprint_assigned === 0 ? refuse('no_fingerprint_assigned') : undefined
}
