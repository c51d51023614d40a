/** Execution outcomes in a period and in the preceding period. */
import { type V1ProjectsOutcomesResponses, v1ProjectsOutcomes } from '@scriptward/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useCall } from './api.ts'

export type Outcome = V1ProjectsOutcomesResponses[200]['outcomes'][number]
type Step = 'hour' | 'day'
export type Totals = {
  readonly granted: number
  readonly denied: number
  readonly reasons: Readonly<Record<string, number>>
}
type Length = { readonly step: Step; readonly steps: number }

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
/** The server stores hourly counts for 48 hours, and daily counts for 400 days. */
const LENGTHS = {
  '24h': { step: 'hour', steps: 24 },
  '7d': { step: 'day', steps: 7 },
  '30d': { step: 'day', steps: 30 },
  '90d': { step: 'day', steps: 90 },
  '200d': { step: 'day', steps: 200 },
} as const satisfies Record<string, Length>
export type Period = keyof typeof LENGTHS

/** The server writes its counts every five seconds. */
const FRESH_MS = 10_000

/** Returns the period from the URL if the page offers that period; otherwise the usual one. */
export function periodIn<Offered extends Period>(
  given: string | undefined,
  offered: readonly Offered[],
  usual: Offered,
): Offered {
  return offered.find((each) => each === given) ?? usual
}

export function lengthOf(period: Period): number {
  const { step, steps } = LENGTHS[period]
  return steps * (step === 'hour' ? HOUR_MS : DAY_MS)
}

/** Both `now` and `before` contain the same number of hours or days, oldest first. */
export function useOutcomes(projectId: string, period: Period, scriptId?: string) {
  const call = useCall()
  const { step, steps } = LENGTHS[period]
  return useQuery({
    queryKey: ['outcomes', projectId, period, scriptId],
    queryFn: async () => {
      const from = step === 'day' ? { from: Date.now() - (2 * steps - 1) * DAY_MS } : {}
      const script = scriptId === undefined ? {} : { script_id: scriptId }
      const query = { step, ...from, ...script }
      const { outcomes } = (await v1ProjectsOutcomes({ ...call, path: { project_id: projectId }, query }))
        .data
      return { step, now: outcomes.slice(-steps), before: outcomes.slice(-2 * steps, -steps) }
    },
    placeholderData: keepPreviousData,
    refetchInterval: FRESH_MS,
  })
}

export function deniedIn({ denied }: Outcome): number {
  return Object.values(denied).reduce((sum, count) => sum + count, 0)
}

export function totalsOf(outcomes: readonly Outcome[]): Totals {
  const reasons: Record<string, number> = {}
  let granted = 0
  let denied = 0
  for (const each of outcomes) {
    granted += each.granted
    denied += deniedIn(each)
    for (const [reason, count] of Object.entries(each.denied))
      reasons[reason] = (reasons[reason] ?? 0) + count
  }
  return { granted, denied, reasons }
}

/** Returns the fraction of denied runs; undefined if there were no runs. */
export function deniedShare({ granted, denied }: Totals): number | undefined {
  return granted + denied === 0 ? undefined : denied / (granted + denied)
}
