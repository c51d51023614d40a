/** Converts the URL's filters to an API query. */
import { type V1ProjectDenialsFilterData, v1ProjectDenialsList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useFilters } from '../../lib/address.ts'
import { isReason } from '../../lib/denials.ts'
import { useCall } from '../../queries/api.ts'
import { HOUR_MS, lengthOf, type Period, useOutcomes } from '../../queries/outcomes.ts'
import { useProject } from '../../queries/projects.ts'

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

export function useAffectedExecutors(projectId: string) {
  const call = useCall()
  return useQuery({
    queryKey: ['denials', projectId, 'executors'],
    queryFn: async () => {
      const { data } = await v1ProjectDenialsList({ ...call, path: { project_id: projectId } })
      return data.executors_without_device
    },
  })
}

/**
 * Whether a panel above the list is still loading. The list waits for the panels: if they grow while a user
 * clicks a row, the row moves away from the pointer and does not open.
 */
export function useIsMoving(period: Period): boolean {
  const { id } = useProject()
  const [{ script_id }] = useFilters()
  const panels = [useOutcomes(id, period, script_id), useOutcomes(id, period), useAffectedExecutors(id)]
  return panels.some(({ isPending }) => isPending)
}
