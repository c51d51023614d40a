/**
 * Changes of all or many users of a project, each all or nothing: generate, reset, purge, clear, compensate. Imports and
 * exports are in `user-transfer.ts`.
 */
import type { Deps } from '../../deps.ts'
import type { Queries } from '../../store/engine/db.ts'
import { updateProjectKicked } from '../../store/tables/instances.ts'
import { changeUserCount, countCustomerUsers, type UserChange } from '../../store/tables/projects.ts'
import type { ProjectSubject } from '../../store/tables/subjects.ts'
import {
  deleteAllUsers,
  deleteUnusedUsers,
  insertUsers,
  type ListedUser,
  updateAllUnbound,
  updateExpiries,
} from '../../store/tables/user-bulk.ts'
import { deleteProjectFingerprints } from '../../store/tables/user-fingerprints.ts'
import { newUserKey } from '../accounts/credentials.ts'
import { isAccountExpired, isExceeded, lockAccount } from '../accounts/quotas.ts'
import { NEVER } from '../limits.ts'
import { Refused, refuse, refuseCall } from '../refusals.ts'
import { endUserSessions } from '../sessions/sessions.ts'
import { maskKey } from '../webhooks/chat-text.ts'
import { addEvent, NAMED_KEYS } from '../webhooks/events.ts'

/** Rows of one insert. Reading as many entries of an import blocks the event loop for a few milliseconds. */
export const INSERT_BATCH = 2000
/** From this many users on, a change runs off the event loop. */
export const BULK_FROM = 201

export type Generation = {
  readonly amount: number
  readonly keys_expire?: number
  readonly note?: string | number
}

type Expired = Refused<'account_expired'>

export async function generateUsers(
  deps: Deps,
  { customer, project }: ProjectSubject,
  { amount, keys_expire, note }: Generation,
): Promise<string[] | Expired | Refused<'too_many_keys_to_generate' | 'not_found' | 'unauthorized'>> {
  const now = deps.now()
  if (isAccountExpired(customer, now)) return refuse('account_expired')
  if (amount > deps.config.generateLimit)
    return refuseCall('too_many_keys_to_generate', deps.config.generateLimit)
  const place = { projectId: project.id, createdAt: now }
  const user = { ...BLANK, key_expires: keys_expire || null, note: String(note ?? '').trim() || null }
  const transaction = changeMany(deps, amount)
  return transaction(async (tx) => {
    const account = await lockAccount(tx, customer.id)
    if (account instanceof Refused) return account
    if (isAccountExpired(account.customer, now)) return refuse('account_expired')
    const count = async () => (await countCustomerUsers(tx, customer.id)).ordinary + amount
    if (await isExceeded(account.tier.max_users, count)) return refuse('too_many_keys_to_generate')
    if (!(await changeUserCount(tx, customer.id, project.id, { users: amount, fromAds: 0 })))
      return refuse('not_found')
    const keys = newKeys(deps, amount)
    for (let from = 0; from < amount; from += INSERT_BATCH) {
      const rows = keys.slice(from, from + INSERT_BATCH).map((key) => ({ ...user, key }))
      await insertUsers(tx, place, rows)
    }
    const data = { actor: 'owner', count: amount, user_keys: keys.slice(0, NAMED_KEYS).map(maskKey) } as const
    await addEvent(tx, deps, { type: 'users.generated', project_id: project.id, data })
    return keys
  })
}

/** Unbinds every bound user and ends their sessions, like a forced reset of each. */
export async function resetAllFingerprints(
  deps: Deps,
  { customer, project }: ProjectSubject,
): Promise<undefined | Expired> {
  const now = deps.now()
  if (isAccountExpired(customer, now)) return refuse('account_expired')
  await deps.db.bulk(async (tx) => {
    const count = await updateAllUnbound(tx, project.id, now)
    await deleteProjectFingerprints(tx, project.id)
    await updateProjectKicked(tx, project.id, 'fingerprint_reset')
    const data = { actor: 'owner', count } as const
    await addEvent(tx, deps, { type: 'users.fingerprint_reset_all', project_id: project.id, data })
  })
  await endUserSessions(deps, project.id, 'fingerprint_reset')
  return undefined
}

/** Removes every unused user. */
export function purgeUsers(deps: Deps, subject: ProjectSubject): Promise<undefined | Expired> {
  return removeMany(deps, subject, deleteUnusedUsers)
}

/** Removes every user, with their fingerprints and instances. */
export async function clearUsers(deps: Deps, subject: ProjectSubject): Promise<undefined | Expired> {
  const refused = await removeMany(deps, subject, deleteAllUsers)
  if (!refused) await endUserSessions(deps, subject.project.id, 'key_removed')
  return refused
}

/** Keys that never expire stay as they are. */
export async function compensateUsers(
  deps: Deps,
  { customer, project }: ProjectSubject,
  { duration, compensate_expired }: { readonly duration: number; readonly compensate_expired: boolean },
): Promise<undefined | Expired> {
  const now = deps.now()
  if (isAccountExpired(customer, now)) return refuse('account_expired')
  const change = { duration, latest: NEVER, now, expired: compensate_expired }
  await deps.db.bulk(async (tx) => {
    const count = await updateExpiries(tx, project.id, change)
    const data = { actor: 'owner', count, duration, compensate_expired } as const
    await addEvent(tx, deps, { type: 'users.compensated', project_id: project.id, data })
  })
  return undefined
}

/** The transaction for a change of so many users: short ones run with the others, long ones off the event loop. */
export function changeMany(deps: Deps, users: number): Deps['db']['transaction'] {
  return users < BULK_FROM ? deps.db.transaction : deps.db.bulk
}

/** A new user without any data. */
export const BLANK: Omit<ListedUser, 'key'> = {
  chat_id: null,
  key_expires: null,
  note: null,
  executor: null,
  blacklisted: 0,
  blacklist_reason: null,
  blacklist_expires: null,
  fingerprint_assigned: 0,
  fingerprint_display: null,
}

async function removeMany(
  deps: Deps,
  { customer, project }: ProjectSubject,
  remove: (tx: Queries, projectId: string) => Promise<UserChange>,
): Promise<undefined | Expired> {
  if (isAccountExpired(customer, deps.now())) return refuse('account_expired')
  await deps.db.bulk(async (tx) => {
    await changeUserCount(tx, customer.id, project.id, await remove(tx, project.id))
  })
  return undefined
}

function newKeys(deps: Deps, count: number): string[] {
  return Array.from({ length: count }, () => newUserKey(deps.random))
}
