/**
 * Reconciles live sessions with their rows in the database: records that they are alive, ends sessions that
 * are no longer allowed, and sends changes to the others. Runs every second in each process that has
 * sessions. Use `reviewSessions` for changes that can't wait a second.
 */
import type { KickReason } from '@scriptward/client/live-messages'
import { SERVER_GRACE_MS } from '@scriptward/client/live-messages'
import type { Deps } from '../../deps.ts'
import type { Content } from '../../protocol/contents.ts'
import type { Session, SessionFilter } from '../../protocol/sessions/session.ts'
import type { Lost } from '../../protocol/sessions/session-hub.ts'
import { sessionRights } from './connect.ts'
import { loadContents } from './contents.ts'
import { changingVariables, largeBytesOf, secondsLeft, selectUpdates } from './instances.ts'
import { findBlacklistedGuests, reasonToStop } from './revocation.ts'
import { updateKicked } from './store/instances.ts'
import { type InstanceState, listInstanceStates, updateSeen } from './store/live-instances.ts'

/**
 * Number of sessions per batch. It limits the size of a statement, and how long a transaction blocks SQLite's
 * writer.
 */
const BATCH_SIZE = 500

/** Reconciles every session of this process. */
export async function reconcileSessions(deps: Deps): Promise<void> {
  const { seen, lost, expired } = deps.sessions.hub.round(deps.now())
  const unheld = await findUnheld(deps, lost)
  if (unheld.length > 0) await deps.db.transaction((tx) => updateKicked(tx, unheld, 'session_lost'))
  for (const some of inBatches(seen)) {
    const rows = some.map(({ exec, last_seen }) => ({ exec, at: last_seen }))
    await deps.db.transaction((tx) => updateSeen(tx, rows, SERVER_GRACE_MS))
    await review(deps, some)
  }
  // The hub's copy of a key's expiry may be stale, so the check reads it from the database.
  for (const some of inBatches(expired)) await review(deps, some)
}

/**
 * Ends matching sessions that are no longer allowed, in this and other processes, and sends changes to the
 * other sessions.
 */
export async function reviewSessions(deps: Deps, filter: SessionFilter): Promise<void> {
  await deps.sessions.network.review(filter)
  await reviewOwnSessions(deps, filter)
}

/** Like `reviewSessions`, but only for this process's sessions. */
export async function reviewOwnSessions(deps: Deps, filter: SessionFilter): Promise<void> {
  const sessions = deps.sessions.hub.list(filter)
  for (const some of inBatches(sessions)) await review(deps, some)
}

/** Finds instances that require a session but have none in any process. */
async function findUnheld({ db }: Deps, lost: readonly Lost[]): Promise<string[]> {
  const required = lost.filter(({ rights }) => rights.required)
  const epochs = new Map(required.map(({ session, epoch }) => [session.exec, epoch]))
  const instances = await listInstanceStates(db.read, [...epochs.keys()])
  return instances.filter(({ exec, ws_epoch }) => ws_epoch === epochs.get(exec)).map(({ exec }) => exec)
}

async function review(deps: Deps, sessions: readonly Session[]): Promise<void> {
  const number = deps.sessions.hub.beginReview()
  const execs = sessions.map(({ exec }) => exec)
  const instances = await listInstanceStates(deps.db.read, execs)
  const known = new Map(instances.map((instance) => [instance.exec, instance]))
  const banned = await findBlacklistedGuests(deps.db.read, instances, deps.now())
  const contents = await loadContents(deps, deps.db.read, instances)
  const stops = new Map(instances.map((instance) => [instance.exec, judge(deps, instance, banned)]))
  await markStopped(deps, stops)
  for (const session of sessions) {
    const instance = known.get(session.exec)
    const reason = instance ? stops.get(session.exec) : 'disconnected'
    if (reason !== undefined) deps.sessions.hub.disconnect(session.id, reason)
    else if (instance && deps.sessions.hub.takeReview(instance.exec, number))
      follow(deps, instance, contents.get(instance.project_id))
  }
}

type Stops = ReadonlyMap<string, KickReason | undefined>

/** Runs before the kicks, which clients don't confirm, so that the runs no longer take up slots. */
async function markStopped({ unauditedDb }: Deps, stops: Stops): Promise<void> {
  const byReason = Map.groupBy(stops, ([, reason]) => reason)
  for (const [reason, stopped] of byReason) {
    if (reason === undefined) continue
    const execs = stopped.map(([exec]) => exec)
    await unauditedDb.transaction((tx) => updateKicked(tx, execs, reason))
  }
}

function judge(deps: Deps, instance: InstanceState, banned: ReadonlySet<string>): KickReason | undefined {
  const isGuestBlacklisted = banned.has(instance.exec)
  const context = { now: deps.now(), graceMs: deps.config.graceMs, isGuestBlacklisted, isHeld: true } as const
  return reasonToStop(instance, context)
}

/**
 * Ends a connection that was replaced by one to another process, or sends the owner's changes to the client.
 */
function follow(deps: Deps, instance: InstanceState, content: Content | undefined): void {
  const { hub } = deps.sessions
  const live = hub.ofInstance(instance.exec)
  if (!live) return
  if (live.connection && live.connection.epoch < instance.ws_epoch) {
    hub.end(instance.exec, 'replaced')
    return
  }
  const now = deps.now()
  const telling = changingVariables(instance, now, content)
  const { digest } = telling
  const rights = { ...sessionRights(instance), variables_digest: digest }
  const { variables_digest: known, runs_until } = live.rights
  const isNew = digest !== known || rights.runs_until !== runs_until
  // A detached client gets the changes when it reconnects.
  if (!isNew || !live.connection) return
  const bytes = largeBytesOf(known, telling)
  if (bytes > 0 && !deps.client.variableBytes.sessions.take(bytes, now)) {
    hub.reviewAgain(instance.exec)
    return
  }
  hub.updateRights(instance.exec, rights)
  live.connection.update({
    ...selectUpdates(known, telling),
    seconds_left: secondsLeft(instance.key_expires, now),
  })
}

function inBatches<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / BATCH_SIZE)
  return Array.from({ length: count }, (_, i) => all.slice(i * BATCH_SIZE, (i + 1) * BATCH_SIZE))
}
