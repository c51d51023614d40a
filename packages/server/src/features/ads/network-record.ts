/**
 * The recent behavior of a network's visitors. It is used to assess visitors without a known cookie, because
 * a bot can discard its cookie before each start. Visitors with a known cookie are assessed only by their own
 * behavior.
 */
import type { Deps } from '../../deps.ts'
import { countNetworkAdProgress } from './store/ad-progress.ts'
import { findNetworkConduct, type NetworkConduct } from './store/ad-visitors.ts'

/**
 * `starts` is the number of starts within the last hour. The other fields describe the visitors seen in that
 * hour.
 */
export type NetworkRecord = NetworkConduct & { readonly starts: number }

const HOUR_MS = 3_600_000
export const FAILURES_WINDOW_MS = 600_000

/** Returns undefined if rate limits are disabled. */
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
