/**
 * Determines from a run's row in `instances` whether the run is still active, or how it ended. All functions
 * are pure.
 */
import { type KickReason, SILENT_LIFE_MS } from '@scriptward/client/live-messages'
import type { Ending } from '../../database/schema/log-tables.ts'
import type { InstanceRow } from '../sessions/store/instances.ts'

export type RunSigns = Pick<InstanceRow, 'granted_at' | 'last_seen' | 'expires_at' | 'kick'>

/** Runs with heartbeats send their first one within half this time. */
const VANISHED_AFTER_MS = 60_000

/** Returns how a run ended if it is over but did not report its end. */
export function endingOf({ kick, ...signs }: RunSigns): Ending {
  if (kick !== null) return kick
  if (signs.last_seen > signs.granted_at) return 'lost'
  return isSilent(signs) ? 'unknown' : 'vanished'
}

/** Returns how the run ended, as far as is known, or null if it is still running. */
export function currentEnding(signs: RunSigns, now: number): Ending | null {
  const { kick, last_seen, granted_at, expires_at } = signs
  if (kick !== null || expires_at <= now) return endingOf(signs)
  const isUnseen = last_seen === granted_at && !isSilent(signs)
  return isUnseen && now - granted_at >= VANISHED_AFTER_MS ? 'vanished' : null
}

const OWN_ENDINGS = ['finished', 'lost', 'vanished', 'unknown'] as const
export const RUN_STATES = ['running', 'stopped', ...OWN_ENDINGS] as const
export type RunState = (typeof RUN_STATES)[number]

/** Splits an ending into the run's state and the reason the server stopped it. */
export function describeEnding(ending: Ending | null): {
  readonly state: RunState
  readonly stop_reason: KickReason | null
} {
  if (ending === null) return { state: 'running', stop_reason: null }
  const state = OWN_ENDINGS.find((one) => one === ending)
  return state ? { state, stop_reason: null } : { state: 'stopped', stop_reason: ending as KickReason }
}

/**
 * Returns whether the run has neither heartbeats nor a live session, and therefore never signals that it is
 * alive. Such runs have the longest lifetime.
 */
function isSilent({ granted_at, expires_at }: Pick<RunSigns, 'granted_at' | 'expires_at'>): boolean {
  return expires_at - granted_at >= SILENT_LIFE_MS
}
