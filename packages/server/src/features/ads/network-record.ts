/**
 * Recent behavior of visitors from a network. Visitors without a known cookie are judged by it,
 * because a bot can discard its cookie before each start. A visitor with a known cookie is judged only by
 * their own behavior.
 */
import type { Deps } from '../../deps.ts'
import { countNetworkAdProgress } from './store/ad-progress.ts'
import { findNetworkConduct, type NetworkConduct } from './store/ad-visitors.ts'

/** `starts` within the last hour, and the behavior of visitors who started in it. */
export type NetworkRecord = NetworkConduct & { readonly starts: number }

const HOUR_MS = 3_600_000
export const FAILURES_WINDOW_MS = 600_000

/** Undefined when rates are not limited. */
export async function readNetwork(
  { config, db, now: clock }: Pick<Deps, 'config' | 'db' | 'now'>,
  network: string,
): Promise<NetworkRecord | undefined> {
  if (config.adsRates === 0) return undefined
  const now = clock()
  const since = now - HOUR_MS
  const [{ starts }, conduct] = await Promise.all([
    countNetworkAdProgress(db.readPoint, network, { startedSince: since, issuedSince: now }),
    findNetworkConduct(db.readPoint, network, { seenSince: since, failedSince: now - FAILURES_WINDOW_MS }),
  ])
  return { ...conduct, starts: starts.count }
}
