/**
 * Changes of all or many users of a project, one of a customer at a time: generate and compensate are all or nothing,
 * reset, purge and clear may be continued. Imports and exports are in `transfer.ts`.
 */
import { setImmediate } from 'node:timers/promises'
import type { Deps } from '../../deps.ts'
import type { Queries } from '../../store/engine/db.ts'
import { updateProjectKicked } from '../../store/tables/instances.ts'
import { changeUserCount } from '../../store/tables/projects.ts'
import type { ProjectSubject } from '../../store/tables/subjects.ts'
import {
  deleteAnyUsers,
  deleteListedFingerprints,
  deleteUnusedUsers,
  insertUsers,
  type ListedUser,
  type Some,
  updateExpiries,
  updateSomeUnbound,
} from '../../store/tables/user-bulk.ts'
import { type DeletedUser, findLastUserSeq } from '../../store/tables/users.ts'
import type { Issuer } from '../access/caller.ts'
import { newUserKey } from '../accounts/credentials.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import { NEVER } from '../limits.ts'
import { type Refused, refuse, refuseCall } from '../refusals.ts'
import { endUserSessions } from '../sessions/sessions.ts'
import { maskKey } from '../webhooks/chat-text.ts'
import { addEvent, NAMED_KEYS } from '../webhooks/events.ts'
import { type AdditionRefused, addUsers, changeInTurn, SLICE } from './additions.ts'
import { departed } from './users.ts'

export type Generation = {
  readonly amount: number
  readonly keys_expire?: number
  readonly note?: string | number
}

type Expired = Refused<'account_expired' | 'rate_limited'>

export async function generateUsers(
  deps: Deps,
  subject: ProjectSubject,
  { amount, keys_expire, note }: Generation,
  issuer?: Issuer,
): Promise<string[] | AdditionRefused<'too_many_keys_to_generate'>> {
  if (isAccountExpired(subject.customer, deps.now())) return refuse('account_expired')
  if (amount > deps.config.generateLimit)
    return refuseCall('too_many_keys_to_generate', deps.config.generateLimit)
  const user = { ...BLANK, key_expires: keys_expire || null, note: String(note ?? '').trim() || null }
  const keys = newKeys(deps, amount)
  return addUsers(deps, subject, {
    issuer,
    count: amount,
    tooMany: 'too_many_keys_to_generate',
    insert: async (tx, place, { start, end }) => {
      const rows = keys.slice(start, end).map((key) => ({ ...user, key }))
      await insertUsers(tx, place, rows)
      return rows.length
    },
    report: async (tx, count) => {
      deps.note({ count })
      const user_keys = keys.slice(0, NAMED_KEYS).map(maskKey)
      const data = { actor: 'owner', count, user_keys } as const
      await addEvent(tx, deps, { type: 'users.generated', project_id: subject.project.id, data })
      return keys
    },
  })
}

/** Unbinds every bound user and ends their sessions, like a forced reset of each. */
export async function resetAllFingerprints(
  deps: Deps,
  subject: ProjectSubject,
): Promise<undefined | Expired> {
  const { id } = subject.project
  const now = deps.now()
  const refused = await changeInSlices(deps, subject, {
    change: async (tx, some) => {
      const keys = await updateSomeUnbound(tx, some, now)
      await deleteListedFingerprints(tx, id, keys)
      return keys.length
    },
    finish: async (tx, count) => {
      await updateProjectKicked(tx, id, 'fingerprint_reset')
      const data = { actor: 'owner', count } as const
      await addEvent(tx, deps, { type: 'users.fingerprint_reset_all', project_id: id, data })
    },
  })
  if (!refused) await endUserSessions(deps, id, 'fingerprint_reset')
  return refused
}

/** Removes every unused user. */
export function purgeUsers(deps: Deps, subject: ProjectSubject): Promise<undefined | Expired> {
  return removeMany(deps, subject, deleteUnusedUsers)
}

/** Removes every user, with their fingerprints and instances. */
export async function clearUsers(deps: Deps, subject: ProjectSubject): Promise<undefined | Expired> {
  const refused = await removeMany(deps, subject, deleteAnyUsers)
  if (!refused) await endUserSessions(deps, subject.project.id, 'key_removed')
  return refused
}

/** Keys that never expire stay as they are. In one transaction, since no key may be extended twice. */
export async function compensateUsers(
  deps: Deps,
  subject: ProjectSubject,
  { duration, compensate_expired }: { readonly duration: number; readonly compensate_expired: boolean },
): Promise<undefined | Expired> {
  const now = deps.now()
  if (isAccountExpired(subject.customer, now)) return refuse('account_expired')
  const { id } = subject.project
  const change = { duration, latest: NEVER, now, expired: compensate_expired }
  const extend = async (tx: Queries) => {
    const count = await updateExpiries(tx, id, change)
    deps.note({ count })
    const data = { actor: 'owner', count, duration, compensate_expired } as const
    await addEvent(tx, deps, { type: 'users.compensated', project_id: id, data })
    return undefined
  }
  return changeInTurn(deps, subject, () => deps.db.bulk(extend))
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

function removeMany(
  deps: Deps,
  subject: ProjectSubject,
  remove: (tx: Queries, some: Some) => Promise<DeletedUser[]>,
): Promise<undefined | Expired> {
  const { customer, project } = subject
  return changeInSlices(deps, subject, {
    change: async (tx, some) => {
      const deleted = await remove(tx, some)
      await changeUserCount(tx, customer.id, project.id, departed(deleted))
      return deleted.length
    },
    finish: async () => {},
  })
}

type Slices = {
  /** Returns how many users it changed; none when no more are left. */
  readonly change: (tx: Queries, some: Some) => Promise<number>
  /** Belongs to the last slice; `count` is how many users were changed in all. */
  readonly finish: (tx: Queries, count: number) => Promise<void>
}

/**
 * Changes users until none is left to change. Each slice is whole, and others write in between; what a crash leaves is
 * changed when the request is sent again. A change of few users is one slice.
 */
async function changeInSlices(
  deps: Deps,
  subject: ProjectSubject,
  slices: Slices,
): Promise<undefined | Expired> {
  if (isAccountExpired(subject.customer, deps.now())) return refuse('account_expired')
  const projectId = subject.project.id
  return changeInTurn(deps, subject, async () => {
    const some = { projectId, last: await findLastUserSeq(deps.db.read, projectId), limit: SLICE }
    for (let count = 0; ; await setImmediate()) {
      const slice = await deps.db.bulk((tx) => changeSlice(tx, some, slices, count))
      count += slice.changed
      deps.note({ count })
      if (slice.isLast) return undefined
    }
  })
}

/** `before` is how many users earlier slices changed. */
async function changeSlice(
  tx: Queries,
  some: Some,
  { change, finish }: Slices,
  before: number,
): Promise<{ readonly changed: number; readonly isLast: boolean }> {
  let changed = 0
  while (changed < SLICE) {
    const count = await change(tx, some)
    changed += count
    if (count > 0) continue
    await finish(tx, before + changed)
    return { changed, isLast: true }
  }
  return { changed, isLast: false }
}

function newKeys(deps: Deps, count: number): string[] {
  return Array.from({ length: count }, () => newUserKey(deps.random))
}
