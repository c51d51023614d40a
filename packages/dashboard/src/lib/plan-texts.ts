/** Describes features and limits of plans. */
import { text } from '../messages/text.ts'
import type { Plan } from '../queries/plans.ts'
import { durationText } from './durations.ts'

/** Describes each feature as a string, such as `turbo` or `slots: 3`. */
export function featureTexts(features: Readonly<Record<string, true | number | string>>): string[] {
  return Object.entries(features).map(([name, value]) => (value === true ? name : `${name}: ${value}`))
}

/** Also lists the plan's features that the key removes. */
export function ownFeatureTexts(features: Readonly<Record<string, true | number | string | null>>): string[] {
  return Object.entries(features).map(([name, value]) =>
    value === null ? text.plans.takenAway(name) : featureTexts({ [name]: value }).join(''),
  )
}

/** Describes the limits, the quota, the grace period and the scripts, each as a string. */
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
