/**
 * What the visitors of a network did lately. A visitor without a known cookie is judged by it, because a program can drop its
 * cookie for each start; a visitor with one is judged by their own conduct, whatever their neighbours do.
 */
import type { Deps } from '../../deps.ts'
import { countNetworkAdProgress } from './store/ad-progress.ts'
import { findNetworkConduct, type NetworkConduct } from './store/ad-visitors.ts'

/** `starts` of the last hour; the conduct of visitors who started in it. */
export type NetworkRecord = NetworkConduct & { readonly starts: number }

const HOUR_MS = 3_600_000
export const FAILURES_WINDOW_MS = 600_000

/** Undefined where rates are not limited. */
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
