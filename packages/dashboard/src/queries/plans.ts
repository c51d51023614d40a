/** Queries for plans, and the description of a clock. */
import { type V1PlansListResponse, v1PlansList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { durationText } from '../lib/durations.ts'
import { useRefusal } from '../lib/rights.ts'
import { text } from '../messages/text.ts'
import { useCall } from './api.ts'
import { useProject } from './projects.ts'

export type Plan = V1PlansListResponse['plans'][number]
export type Clock = Plan['clock']

/**
 * Sends no request without permission to read users or issue keys. Users who may only issue keys get only the
 * plans that they may use.
 */
export function usePlans() {
  const call = useCall()
  const { id } = useProject()
  const maySee = [useRefusal('users:read'), useRefusal('users:issue')].includes(undefined)
  return useQuery({
    queryKey: ['plans', id],
    queryFn: async () => (await v1PlansList({ ...call, path: { project_id: id } })).data.plans,
    enabled: maySee,
  })
}

/** Describes a clock, such as `30 days from first run`. */
export function clockText({ basis, duration }: Clock): string {
  const t = text.clocks
  if (duration === null) return t.never
  const words = durationText(duration)
  return basis === 'creation' ? t.fromCreation(words) : t.fromFirstRun(words)
}
