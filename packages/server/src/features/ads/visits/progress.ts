/**
 * A visitor's progress through the checkpoints of a system. Read-only: `steps.ts` and `returns.ts` advance
 * the progress, and `claims.ts` ends it.
 */

import type { Queries } from '../../../database/engine/db.ts'
import type { Deps } from '../../../deps.ts'
import { isOwnerServed } from '../../key-validity/blacklist.ts'
import { type NetworkRecord, readNetwork } from '../network-record.ts'
import { type AdAttemptRow, findLatestAdAttempt } from '../store/ad-attempts.ts'
import { type AdCheckpointRow, listAdCheckpoints } from '../store/ad-checkpoints.ts'
import { type AdProgressRow, findAdProgress, findLatestAdProgress } from '../store/ad-progress.ts'
import { findVisitedAdSystem, type VisitedAdSystem } from '../store/ad-systems.ts'
import type { AdVisitorRow } from '../store/ad-visitors.ts'
import { type Presence, recognize } from './visitors.ts'

/** Everything known about a visitor who requests a system. */
export type Situation = {
  readonly now: number
  readonly system: VisitedAdSystem
  readonly checkpoints: readonly AdCheckpointRow[]
  readonly presence: Presence
  /** Undefined if the visitor has never started any system's steps, or if the cookie was copied. */
  readonly visitor: AdVisitorRow | undefined
  readonly isElsewhere: boolean
  /** Behavior of the network's visitors. Undefined for a visitor who is assessed by their own behavior. */
  readonly network: NetworkRecord | undefined
  readonly progress: AdProgressRow | undefined
  /** The visitor's latest visit to a provider. */
  readonly attempt: AdAttemptRow | undefined
}

export type Phase = 'none' | 'expired' | 'walking' | 'waiting' | 'ready' | 'issued'

/** The visitor's steps and current position, after removed checkpoints are skipped. */
export type Settled = {
  readonly plan: readonly string[]
  readonly pos: number
  readonly isRestarted: boolean
}

export const ATTEMPT_MS = 20 * 60_000
export const WAY_MS = 60 * 60_000
export const READY_MS = 30 * 60_000
/** Maximum wait for a provider's confirmation, in milliseconds. */
export const WAITING_MS = 60_000
/** A limit that exceeds any number of checkpoints and that both database engines accept. */
const ALL = 2 ** 31 - 1

/** Finds a system by its ID or its custom URL. */
export async function findSystem(
  { db }: Pick<Deps, 'db'>,
  name: string,
): Promise<VisitedAdSystem | undefined> {
  const read = async () => (await findVisitedAdSystem(db.readPoint, name)) ?? undefined
  return db.cache.find(`ad system ${name}`, read)
}

/** Returns the situation for this progress, or undefined if the progress belongs to a different visitor. */
export async function findSituationOf(
  deps: Deps,
  progressId: string,
  presence: Presence,
): Promise<Situation | undefined> {
  const progress = await findAdProgress(deps.db.readPoint, progressId)
  const system = progress && (await findVisitedAdSystem(deps.db.readPoint, progress.system_id))
  if (!system) return undefined
  const situation = await readSituation(deps, system, presence)
  return situation.visitor?.id_hash === progress.visitor ? situation : undefined
}

export async function readSituation(
  deps: Deps,
  system: VisitedAdSystem,
  presence: Presence,
): Promise<Situation> {
  const found = await recognize(deps, presence)
  const visitor = found === 'other_browser' ? undefined : found
  const checkpoints = await findCheckpoints(deps, system.id)
  const progress = visitor && (await findLatestAdProgress(deps.db.readPoint, visitor.id_hash, system.id))
  const attempt = progress && (await findLatestAdAttempt(deps.db.readPoint, progress.id))
  return {
    now: deps.now(),
    system,
    checkpoints,
    presence,
    visitor,
    isElsewhere: found === 'other_browser',
    network: visitor ? undefined : await readNetwork(deps, presence.network),
    progress: progress ?? undefined,
    attempt: attempt ?? undefined,
  }
}

/** Cached, because all visitors to a system need the same checkpoints. */
async function findCheckpoints({ db }: Pick<Deps, 'db'>, systemId: string): Promise<AdCheckpointRow[]> {
  const read = () => listCheckpoints(db.readPoint, systemId)
  return (await db.cache.find(`checkpoints of ${systemId}`, read)) ?? []
}

export function listCheckpoints(db: Queries, systemId: string): Promise<AdCheckpointRow[]> {
  return listAdCheckpoints(db, systemId, { from: 0, limit: ALL })
}

export function phaseOf({
  progress,
  attempt,
  checkpoints,
  now,
}: Pick<Situation, 'progress' | 'attempt' | 'checkpoints' | 'now'>): Phase {
  if (progress === undefined) return 'none'
  if (progress.state === 'issued') return 'issued'
  if (now >= progress.expires_at) return 'expired'
  if (progress.state === 'ready') return 'ready'
  const settled = settle(progress, checkpoints)
  const step = settled.plan[settled.pos]
  if (step === undefined) return settled.pos > 0 ? 'ready' : 'none'
  return attempt?.step_id === step && isWaiting(attempt, now) ? 'waiting' : 'walking'
}

/**
 * Skips removed checkpoints, provided that a provider has confirmed another one. Before the first
 * confirmation, the visitor starts over with the remaining checkpoints. Otherwise, the removal of the last
 * checkpoint would give them the key for free.
 */
export function settle(
  progress: Pick<AdProgressRow, 'plan' | 'pos' | 'verified'>,
  checkpoints: readonly Pick<AdCheckpointRow, 'id'>[],
): Settled {
  const plan = planOf(progress)
  const ids = new Set(checkpoints.map(({ id }) => id))
  const isWhole = plan.every((id) => ids.has(id))
  if (progress.verified === 0 && !isWhole) return { plan: [...ids], pos: 0, isRestarted: true }
  let { pos } = progress
  while (pos < plan.length && !ids.has(plan[pos] ?? '')) pos += 1
  return { plan, pos, isRestarted: false }
}

function planOf({ plan }: Pick<AdProgressRow, 'plan'>): string[] {
  return JSON.parse(plan)
}

/** The next checkpoint to complete. */
export function currentCheckpoint({ progress, checkpoints }: Situation): AdCheckpointRow | undefined {
  if (progress === undefined) return undefined
  const { plan, pos } = settle(progress, checkpoints)
  return checkpoints.find(({ id }) => id === plan[pos])
}

export function isWaiting({ state, returned_at }: AdAttemptRow, now: number): boolean {
  return state === 'waiting' && now < (returned_at ?? 0) + WAITING_MS
}

/** Whether the visitor was sent to the provider and may still return. */
export function isOut({ state, started_at }: AdAttemptRow, now: number): boolean {
  return state === 'out' && now < started_at + ATTEMPT_MS
}

/** Whether the owner's account is active and not blacklisted. There is no grace period. */
export function isServed(system: VisitedAdSystem, now: number): boolean {
  return isOwnerServed(system, { now, graceMs: 0 })
}
