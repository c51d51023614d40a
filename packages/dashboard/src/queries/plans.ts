/** Queries and descriptions of plans. */
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
 * Skipped if the user may neither read nor issue users. Users who may only issue keys get the plans that
 * they may use.
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
  const t = text.plans
  if (duration === null) return t.neverEnds
  const words = durationText(duration)
  return basis === 'creation' ? t.fromCreation(words) : t.fromFirstRun(words)
}

/** Describes features, one string each, such as `turbo` and `slots: 3`. */
export function featureTexts(features: Readonly<Record<string, true | number | string>>): string[] {
  return Object.entries(features).map(([name, value]) => (value === true ? name : `${name}: ${value}`))
}

/** Includes features that are removed from the plan. */
export function ownFeatureTexts(features: Readonly<Record<string, true | number | string | null>>): string[] {
  return Object.entries(features).map(([name, value]) =>
    value === null ? text.plans.takenAway(name) : featureTexts({ [name]: value }).join(''),
  )
}

/** Describes limits, quota, grace period and scripts, one string each. */
export function limitTexts(plan: Plan): string[] {
  const { max_instances, max_executions, max_devices, quota, grace, scripts } = plan
  const t = text.plans
  const all = [
    grace > 0 && t.graceOf(durationText(grace)),
    max_devices > 1 && text.devices.shown(max_devices),
    max_instances !== null && t.atOnce(max_instances),
    max_executions !== null && t.inAll(max_executions),
    quota && t.quotaOf[quota.period](quota.count),
    scripts && t.scriptsOf(scripts.length),
  ]
  return all.filter((each): each is string => typeof each === 'string')
}
