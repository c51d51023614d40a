/** Shows and resets a user's bound fingerprint. How a device is recognised and bound is in `devices.ts`. */
import type { Deps } from '../../deps.ts'
import { updateUserKicked } from '../../store/tables/instances.ts'
import type { ProjectRow } from '../../store/tables/projects.ts'
import type { UserSubject } from '../../store/tables/subjects.ts'
import { deleteUserFingerprint } from '../../store/tables/user-fingerprints.ts'
import { lockUser, type UserRow, updateUser } from '../../store/tables/users.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import { isBlacklisted } from '../blacklist.ts'
import { type Refused, refuse } from '../refusals.ts'
import { endSessions, sessionsOf } from '../sessions/sessions.ts'
import { addEvent, eventUser } from '../webhooks/events.ts'

/** Masked when the device was bound; address and executor are not stored elsewhere. */
export type Display = { readonly ip?: string; readonly fingerprint?: string; readonly executor?: string }

type ResetReason = 'fingerprint_resets_disabled' | 'fingerprint_reset_on_cooldown' | 'no_fingerprint_assigned'

/** Who resets. `force` ignores the project's cooldown and its ban on resets, and ends sessions. */
export type Reset =
  | { readonly actor: 'owner'; readonly force: boolean }
  | { readonly actor: 'user'; readonly force: false }

/** The next execution binds the device again. */
export async function resetFingerprint(
  deps: Deps,
  { customer, project, user }: UserSubject,
  { actor, force }: Reset,
): Promise<undefined | Refused<ResetReason | 'account_expired' | 'forbidden' | 'not_found'>> {
  const now = deps.now()
  if (isAccountExpired(customer, now)) return refuse('account_expired')
  const refused = await deps.db.transaction(async (tx) => {
    const row = await lockUser(tx, project.id, user.key)
    if (!row) return refuse('not_found')
    // A reset would hide that these devices belong to a blacklisted user.
    if (actor === 'user' && isBlacklisted(row, now)) return refuse('forbidden')
    const refused = (force ? undefined : refuseReset(project, row, now)) ?? refuseUnbound(row)
    if (refused) return refused
    await deleteUserFingerprint(tx, project.id, row.key)
    if (force) await updateUserKicked(tx, row, 'fingerprint_reset')
    await updateUser(tx, project.id, row.key, {
      fingerprint_assigned: 0,
      fingerprint_display: null,
      last_reset: now,
      total_fingerprint_resets: row.total_fingerprint_resets + 1,
    })
    const data = { user: eventUser(row), actor, forced: force } as const
    await addEvent(tx, deps, { type: 'user.fingerprint_reset', project_id: project.id, data })
    return undefined
  })
  if (refused === undefined && force) await endSessions(deps, sessionsOf(user), 'fingerprint_reset')
  return refused
}

/** Three lines, `none` for a part that is not known; nothing at all while no device is bound. */
export function describeFingerprint(row: UserRow): string {
  if (row.fingerprint_assigned === 0) return ''
  const { ip, fingerprint, executor } = readDisplay(row)
  return `${ip ?? 'none'} -> ip\n${fingerprint ?? 'none'} -> fingerprint\n${executor ?? 'none'} -> executor`
}

export function readDisplay(row: UserRow): Display {
  return JSON.parse(row.fingerprint_display ?? '{}') as Display
}

export function refuseReset(
  project: ProjectRow,
  row: UserRow,
  now: number,
): Refused<ResetReason> | undefined {
  if (project.allow_fingerprint_resets === 0) return refuse('fingerprint_resets_disabled')
  const retryAt = row.last_reset + project.fingerprint_reset_cooldown
  if (row.last_reset === 0 || retryAt <= now) return undefined
  return refuse('fingerprint_reset_on_cooldown', { retry_at: retryAt })
}

function refuseUnbound(row: UserRow): Refused<'no_fingerprint_assigned'> | undefined {
  return row.fingerprint_assigned === 0 ? refuse('no_fingerprint_assigned') : undefined
}
