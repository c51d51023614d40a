/** Converts the URL's filters to an API query. */
import {
  type V1ProjectExecutionsLogData,
  type V1ProjectExecutionsLogResponse,
  v1ProjectExecutionsLog,
} from '@scriptward/sdk'
import { useList } from '../../components/table/use-list.ts'
import { useFilters } from '../../lib/address.ts'
import { isReason } from '../../lib/denials.ts'
import { useCall } from '../../queries/api.ts'
import { HOUR_MS, lengthOf, type Period } from '../../queries/outcomes.ts'
import { useProject } from '../../queries/projects.ts'

export type Run = V1ProjectExecutionsLogResponse['executions'][number]
export type LogQuery = NonNullable<V1ProjectExecutionsLogData['query']>

export const OFFERED = ['24h', '7d', '30d'] as const
export const FILTERS = ['outcome', 'reason', 'script_id', 'version', 'executor', 'user_key', 'from'] as const
export const OUTCOMES = ['granted', 'denied', 'crashed'] as const satisfies readonly Run['outcome'][]

const WHOLE = /^\d{1,15}$/
const PAGE = 100
const LIVE_MS = 3000

export function useLogQuery(period: Period): LogQuery {
  const [{ outcome, reason, script_id, executor, user_key, ...given }] = useFilters()
  const known = OUTCOMES.find((each) => each === outcome)
  const [version, from, to] = [given.version, given.from, given.to].map(numberOf)
  return {
    from: from ?? Math.floor((Date.now() - lengthOf(period)) / HOUR_MS) * HOUR_MS,
    ...(to !== undefined && { to }),
    ...(known !== undefined && { outcome: known }),
    ...(isReason(reason) && { reason }),
    ...(script_id !== undefined && { script_id, ...(version !== undefined && { version }) }),
    ...(executor !== undefined && { executor }),
    ...(user_key !== undefined && { user_key }),
  }
}

export function useRuns(filter: LogQuery, isLive: boolean) {
  const call = useCall()
  const { id } = useProject()
  return useList(
    ['log', id, filter],
    async (after) => {
      const query = { ...filter, limit: PAGE, ...(after !== undefined && { after }) }
      const { data } = await v1ProjectExecutionsLog({ ...call, path: { project_id: id }, query })
      return { rows: data.executions, next: data.next }
    },
    isLive ? { everyMs: LIVE_MS } : undefined,
  )
}

export function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && WHOLE.test(text) ? Number(text) : undefined
}
