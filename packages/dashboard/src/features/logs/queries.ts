/** Converts the URL's filters to an API query. */
import type { V1ProjectExecutionsLogData, V1ProjectExecutionsLogResponse } from '@scriptward/sdk'
import { useFilters } from '../../lib/address.ts'
import { isReason } from '../../lib/denials.ts'
import { HOUR_MS, lengthOf, type Period } from '../../queries/outcomes.ts'

export type Run = V1ProjectExecutionsLogResponse['executions'][number]
export type LogQuery = NonNullable<V1ProjectExecutionsLogData['query']>

export const FILTERS = ['outcome', 'reason', 'script_id', 'version', 'executor', 'user_key'] as const
export const OUTCOMES = ['granted', 'crashed', 'denied'] as const satisfies readonly Run['outcome'][]

const WHOLE = /^\d{1,15}$/

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

export function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && WHOLE.test(text) ? Number(text) : undefined
}
