/**
 * Announces expiring and expired keys to webhooks. Each project with a subscribed endpoint has a watch, which
 * is a position among its keys sorted by expiry date. All keys up to that position have been announced. Each
 * expiry is therefore announced once, and only announced again if the expiry date moves past the position.
 */

import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { runsUntil } from '../key-validity/clocks.ts'
import {
  deleteWatches,
  type EndEvent,
  type EndingUser,
  type EndPlace,
  insertWatches,
  LAST_SEQ,
  listChangedWatches,
  listEndingUsers,
  lockWatch,
  updateWatch,
} from '../key-validity/store/expiry-cursors.ts'
import { addEvents, eventUser } from '../webhooks/events/events.ts'

type Telling = Pick<Deps, 'db' | 'now' | 'random' | 'secrets'>

/** Maximum number of users per transaction. On SQLite, a transaction blocks all other writes. */
const SLICE = 200

/**
 * Creates up to `limit` watches and deletes up to `limit`, according to the project settings. Returns whether
 * there may be more to create or delete.
 */
export async function updateWatches({ db, now }: Telling, type: EndEvent, limit: number): Promise<boolean> {
  const { added, ended } = await listChangedWatches(db.read, type, limit)
  if (added.length + ended.length === 0) return false
  await db.transaction(async (tx) => {
    await insertWatches(tx, type, { ids: added, now: now() })
    await deleteWatches(tx, type, ended)
  })
  return Math.max(added.length, ended.length) === limit
}

/** Announces a project's next due expiries. Returns whether more expiries may be due. */
export function announceNextEnds(deps: Telling, type: EndEvent, projectId: string): Promise<boolean> {
  return deps.db.transaction(async (tx) => {
    const watch = await lockWatch(tx, type, projectId)
    if (!watch) return false
    const now = deps.now()
    const until = now + watch.lead
    const after = type === 'user.expiring' ? notBefore(watch, now) : watch
    const users = await listEndingUsers(tx, projectId, { after, until, now, limit: SLICE })
    const told = users.filter((user) => user.told === 1)
    await tell(tx, deps, { type, projectId }, told)
    const last = users[SLICE - 1]
    await updateWatch(tx, type, projectId, last ? placeOf(last) : furthest(after, until))
    return last !== undefined
  })
}

async function tell(
  tx: Queries,
  deps: Telling,
  { type, projectId: project_id }: { readonly type: EndEvent; readonly projectId: string },
  users: readonly EndingUser[],
): Promise<void> {
  const ofUsers = users.map((user) => ({ user: eventUser(user), actor: 'service' as const }))
  if (type === 'user.expiring') return addEvents(tx, deps, { type, project_id }, ofUsers)
  const data = users.map(({ key_expires, grace }, i) => ({
    ...(ofUsers[i] as (typeof ofUsers)[number]),
    runs_until: runsUntil(key_expires, grace) ?? key_expires,
  }))
  return addEvents(tx, deps, { type, project_id }, data)
}

/** Skips keys that have already expired, because `user.expiring` no longer applies to them. */
function notBefore({ done_to, done_seq }: EndPlace, now: number): EndPlace {
  return done_to < now ? { done_to: now, done_seq: LAST_SEQ } : { done_to, done_seq }
}

/** Never moves the watch backward, even if the lead time is shortened or the clock is set back. */
function furthest({ done_to, done_seq }: EndPlace, until: number): EndPlace {
  return done_to > until ? { done_to, done_seq } : { done_to: until, done_seq: LAST_SEQ }
}

function placeOf({ key_expires, seq }: EndingUser): EndPlace {
  return { done_to: key_expires, done_seq: seq }
}
