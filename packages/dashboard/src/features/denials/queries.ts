/** Converts the URL's filters to an API query. */
import type { V1ProjectDenialsFilterData } from '@scriptward/sdk'
import { useFilters } from '../../lib/address.ts'
import { isReason } from '../../lib/denials.ts'
import { HOUR_MS, lengthOf, type Period } from '../../queries/outcomes.ts'

export const FILTERS = ['reason', 'script_id', 'executor', 'user_key'] as const
export type FilterName = (typeof FILTERS)[number]
export type DenialQuery = NonNullable<V1ProjectDenialsFilterData['query']>

/** Rounds to full hours, so that the cached list can be reused. */
export function sinceOf(period: Period): number {
  return Math.floor((Date.now() - lengthOf(period)) / HOUR_MS) * HOUR_MS
}

export function useDenialQuery(period: Period): DenialQuery {
  const [{ reason, script_id, executor, user_key }] = useFilters()
  return {
    from: sinceOf(period),
    ...(isReason(reason) && { reason }),
    ...(script_id !== undefined && { script_id }),
    ...(executor !== undefined && { executor }),
    ...(user_key !== undefined && { user_key }),
  }
}
