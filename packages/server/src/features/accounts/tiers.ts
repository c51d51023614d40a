/** Service tiers: their prices and limits, and the tiers of a new database. */

import { DEFAULT_CALLS_PER_MINUTE } from '@scriptward/client/messages'
import { type Refused, refuse } from '../../api/refusals.ts'
import { isForeignKeyViolation } from '../../database/engine/dialect.ts'
import type { Deps } from '../../deps.ts'
import { deleteTier, findTier, insertTier, listTiers as listTierRows, type TierRow } from './store/tiers.ts'

export const UNLIMITED_TIER = 0
/** The default tier of new accounts. */
export const FIRST_TIER = 1

const NO_LIMIT = -1
/** Default retention of the execution log in days, for tiers that don't set one. */
export const DEFAULT_LOG_DAYS = 30
const unlimited = {
  max_users: NO_LIMIT,
  max_projects: NO_LIMIT,
  max_scripts: NO_LIMIT,
  free_for_all: NO_LIMIT,
  obfuscations: NO_LIMIT,
  max_ad_users: NO_LIMIT,
  max_checkpoints: NO_LIMIT,
  max_systems: NO_LIMIT,
  max_calls: DEFAULT_CALLS_PER_MINUTE,
  log_days: DEFAULT_LOG_DAYS,
}

/** Suggested tiers, which operators can replace with `PUT /v1/admin/tiers/:id`. */
export const FIRST_TIERS: readonly TierRow[] = [
  { id: UNLIMITED_TIER, name: 'unlimited', price: 0, ...unlimited },
  {
    id: FIRST_TIER,
    name: 'free',
    price: 0,
    max_users: 100,
    max_projects: 1,
    max_scripts: 3,
    free_for_all: 50,
    obfuscations: 20,
    max_ad_users: 100,
    max_checkpoints: 2,
    max_systems: 1,
    max_calls: DEFAULT_CALLS_PER_MINUTE,
    log_days: DEFAULT_LOG_DAYS,
  },
  {
    id: 2,
    name: 'standard',
    price: 10,
    max_users: 5000,
    max_projects: 5,
    max_scripts: 25,
    free_for_all: 2500,
    obfuscations: 200,
    max_ad_users: 5000,
    max_checkpoints: 5,
    max_systems: 5,
    max_calls: DEFAULT_CALLS_PER_MINUTE,
    log_days: DEFAULT_LOG_DAYS,
  },
  {
    id: 3,
    name: 'large',
    price: 30,
    max_users: 100_000,
    max_projects: 25,
    max_scripts: 150,
    free_for_all: 50_000,
    obfuscations: 2000,
    max_ad_users: 100_000,
    max_checkpoints: 10,
    max_systems: 25,
    max_calls: DEFAULT_CALLS_PER_MINUTE,
    log_days: DEFAULT_LOG_DAYS,
  },
]

export function listTiers(deps: Deps): Promise<TierRow[]> {
  return listTierRows(deps.db.read)
}

export async function getTier(deps: Deps, id: number): Promise<TierRow | Refused<'not_found'>> {
  return (await findTier(deps.db.read, id)) ?? refuse('not_found')
}

/** Creates or replaces a tier. The new limits apply to its accounts immediately. */
export async function putTier(deps: Deps, tier: TierRow): Promise<TierRow> {
  const named = { ...tier, name: tier.name.trim() }
  return deps.db.transaction(async (tx) => {
    const before = await findTier(tx, tier.id)
    if (before) deps.annotateAudit({ before })
    return insertTier(tx, named)
  })
}

/** The database rejects the removal while any account is on the tier, so concurrent assignments are safe. */
export async function removeTier(
  deps: Deps,
  id: number,
): Promise<undefined | Refused<'tier_in_use' | 'not_found'>> {
  try {
    return await deps.db.transaction(async (tx) =>
      (await deleteTier(tx, id)) ? undefined : refuse('not_found'),
    )
  } catch (error) {
    if (isForeignKeyViolation(error)) return refuse('tier_in_use')
    throw error
  }
}
