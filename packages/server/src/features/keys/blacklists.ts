/** Blacklists and unblacklists users. `blacklist.ts` decides when a blacklist entry ends. */

import { type Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import { isBlacklisted } from '../key-validity/blacklist.ts'
import type { UserSubject } from '../projects/store/subjects.ts'
import { endSessions, sessionsOf } from '../sessions/sessions.ts'
import { updateUserKicked } from '../sessions/store/instances.ts'
import { addEvent, eventUser } from '../webhooks/events/events.ts'
import { lockUser, type UserRow, updateUser } from './store/users.ts'

/** An `expires` value that is 0 or missing means that the entry is permanent. */
export type Blacklist = { readonly expires?: number; readonly reason?: string | number }

/** Blacklists a user, and ends the user's runs immediately. */
export async function blacklistUser(
  deps: Deps,
  { customer, project, user }: UserSubject,
  { expires = 0, reason = '' }: Blacklist,
): Promise<
  undefined | Refused<'user_already_blacklisted' | 'account_expired' | 'invalid_request' | 'not_found'>
> {
  const now = deps.now()
  if (isAccountExpired(customer, now)) return refuse('account_expired')
  if (expires !== 0 && expires <= now)
    return refuseMember('expires', 'must be in the future, or 0 for no expiry')
  const given = { reason: String(reason).trim() || null, expires: expires || null }
  const refused = await deps.db.transaction(async (tx) => {
    const row = await lockUser(tx, project.id, user.key)
    if (!row) return refuse('not_found')
    if (isBlacklisted(row, now)) return refuse('user_already_blacklisted')
    await updateUser(tx, project.id, row.key, {
      blacklisted: 1,
      blacklist_reason: given.reason,
      blacklist_expires: given.expires,
    })
    await updateUserKicked(tx, row, 'blacklisted')
    const data = { user: eventUser(row), actor: 'owner', ...given } as const
    await addEvent(tx, deps, { type: 'user.blacklisted', project_id: project.id, data })
    return undefined
  })
  if (!refused) await endSessions(deps, sessionsOf(user), 'blacklisted')
  return refused
}

export async function unblacklistUser(
  deps: Deps,
  { customer, project, user }: UserSubject,
): Promise<undefined | Refused<'user_not_blacklisted' | 'account_expired' | 'not_found'>> {
  const now = deps.now()
  if (isAccountExpired(customer, now)) return refuse('account_expired')
  return deps.db.transaction(async (tx) => {
    const row = await lockUser(tx, project.id, user.key)
    if (!row) return refuse('not_found')
    if (!isBlacklisted(row, now)) return refuse('user_not_blacklisted')
    const none = { blacklisted: 0, blacklist_reason: null, blacklist_expires: null } as const
    await updateUser(tx, project.id, row.key, none)
    const data = { user: eventUser(row), actor: 'owner' } as const
    await addEvent(tx, deps, { type: 'user.unblacklisted', project_id: project.id, data })
    return undefined
  })
}

/**
 * Must be called in the transaction that clears an expired blacklist entry. `row` is the user before the
 * change.
 */
export async function reportEndedBlacklist(
  tx: Queries,
  deps: Pick<Deps, 'now' | 'random' | 'secrets'>,
  row: UserRow,
): Promise<void> {
  const data = {
    user: eventUser(row),
    actor: 'service',
    reason: row.blacklist_reason,
    expires: row.blacklist_expires,
  } as const
  await addEvent(tx, deps, { type: 'user.blacklist_expired', project_id: row.project_id, data })
}
