/**
 * Rate limits for visitors: by network, by browser, and after unconfirmed visits. The counters are in the
 * database, so the limits survive restarts and apply across processes.
 */

import type { Queries } from '../../../database/engine/db.ts'
import type { Deps } from '../../../deps.ts'
import { FAILURES_WINDOW_MS, type NetworkRecord } from '../network-record.ts'
import type { Notice } from '../notices.ts'
import { countNetworkAdProgress, countOwnAdIssues } from '../store/ad-progress.ts'
import { type AdVisitorRow, updateAdVisitor } from '../store/ad-visitors.ts'
import type { Presence } from './visitors.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const COOLDOWN_MS = 60_000
const STARTS_PER_HOUR = 20
const NETWORK_KEYS_PER_DAY = 20
const OWN_KEYS_PER_DAY = 10
const FAILURES = 10
const BLOCK_MS = 600_000

type Limited = Pick<Deps, 'config' | 'now'>
type Asker = {
  readonly presence: Presence
  readonly visitor: AdVisitorRow | undefined
  readonly network: NetworkRecord | undefined
}

/** Returns the reason why this visitor may not start now, or undefined if they may. */
export async function findBlock(
  { config, now: clock }: Limited,
  db: Queries,
  { presence, visitor, network }: Asker,
): Promise<Notice | undefined> {
  const now = clock()
  const factor = config.adsRates
  if (factor === 0) return undefined
  const failed = (visitor && blockOf(visitor, now)) ?? (network && blockOfNetwork(network, now, factor))
  if (failed) return failed
  const own = visitor && (await countOwnAdIssues(db, visitor.id_hash, now - DAY_MS))
  if (own?.last && now < own.last + COOLDOWN_MS)
    return { reason: 'cooldown', allowedAt: own.last + COOLDOWN_MS }
  if (own && own.count >= scaled(OWN_KEYS_PER_DAY, factor))
    return { reason: 'too_many_own_keys', allowedAt: (own.first ?? now) + DAY_MS }
  const times = { startedSince: now - HOUR_MS, issuedSince: now - DAY_MS }
  const { starts, issues } = await countNetworkAdProgress(db, presence.network, times)
  if (issues.count >= scaled(NETWORK_KEYS_PER_DAY, factor))
    return { reason: 'too_many_keys', allowedAt: (issues.first ?? now) + DAY_MS }
  if (starts.count < scaled(STARTS_PER_HOUR, factor)) return undefined
  return { reason: 'too_many_starts', allowedAt: (starts.first ?? now) + HOUR_MS }
}

/** Like `findBlock`, but for visitors who have started. Only unconfirmed visits block them. */
export function blockNow({ config, now }: Limited, visitor: AdVisitorRow): Notice | undefined {
  return config.adsRates === 0 ? undefined : blockOf(visitor, now())
}

function blockOf({ blocked_until }: AdVisitorRow, now: number): Notice | undefined {
  return now < blocked_until ? { reason: 'too_many_failures', allowedAt: blocked_until } : undefined
}

/**
 * Blocks by network, so that visitors can't evade a block by discarding their cookie or using a new one for
 * each failure.
 */
function blockOfNetwork(
  { failures, failures_since, blocked_until }: NetworkRecord,
  now: number,
  factor: number,
): Notice | undefined {
  const isTooMany = failures >= scaled(FAILURES, factor)
  const until = Math.max(blocked_until, isTooMany ? failures_since + FAILURES_WINDOW_MS : 0)
  return now < until ? { reason: 'too_many_failures', allowedAt: until } : undefined
}

/** Counts an unconfirmed visit. `isProgram` is true for behavior seen only in bots. */
export async function countFailure(
  { config, now: clock }: Limited,
  tx: Queries,
  visitor: AdVisitorRow,
  isProgram: boolean,
): Promise<void> {
  const now = clock()
  const isFresh = now - visitor.failures_since >= FAILURES_WINDOW_MS
  const failures = isFresh ? 1 : visitor.failures + 1
  const isTooMany = config.adsRates > 0 && failures >= scaled(FAILURES, config.adsRates)
  await updateAdVisitor(tx, visitor.id_hash, {
    failures: isTooMany ? 0 : failures,
    failures_since: isFresh ? now : visitor.failures_since,
    risk: visitor.risk + (isProgram ? 1 : 0),
    ...(isTooMany ? { blocked_until: now + BLOCK_MS } : {}),
  })
}

function scaled(limit: number, factor: number): number {
  return Math.max(1, Math.floor(limit * factor))
}
