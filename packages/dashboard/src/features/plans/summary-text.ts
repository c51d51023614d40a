import { durationText } from '../../lib/durations.ts'
import { featureTexts } from '../../lib/plan-texts.ts'
import { text } from '../../messages/text.ts'
import { bodyOf, type Draft, validate } from './draft.ts'

const DAY_MS = 86_400_000

/** Describes a plan in one sentence. Fields with errors are left out. */
export function summaryOf(draft: Draft): string {
  const t = text.plans.sentence
  const wrong = validate(draft)
  const right = <Value>(field: keyof typeof wrong, value: Value) =>
    wrong[field] === undefined ? value : undefined
  const { max_devices, max_instances, max_executions, max_resets, quota, scripts, features } = bodyOf(draft)
  const numbers = [
    right('max_devices', t.devices(max_devices ?? 1)),
    max_instances != null && right('max_instances', text.plans.atOnce(max_instances)),
    max_executions != null && right('max_executions', text.plans.inAll(max_executions)),
    quota != null && right('quota', text.plans.quotaOf[quota.period](quota.count)),
    max_resets != null &&
      right('resets', right('resetsDays', t.resets(max_resets.count, periodText(max_resets.period)))),
  ]
  const content = [
    scripts != null && right('scripts', text.plans.scriptsOf(scripts.length)),
    ...(hasFeatures(draft, wrong) ? featureTexts(features ?? {}) : []),
  ]
  const parts = [right('clock', clockText(draft)), ...numbers, ...content].filter(Boolean)
  return `${parts.join(', ')}.`
}

function clockText(draft: Draft): string {
  const t = text.plans.sentence
  const { duration, basis } = bodyOf(draft).clock ?? { duration: null, basis: 'creation' }
  if (duration === null) return text.clocks.never
  return t.from[basis](durationText(duration))
}

function periodText(period: number): string {
  const t = text.plans.sentence
  const days = Math.round(period / DAY_MS)
  return t.periods[days as keyof typeof t.periods] ?? t.period(durationText(period))
}

/** Errors in incomplete feature rows are keyed by position. */
function hasFeatures({ features }: Draft, wrong: ReturnType<typeof validate>): boolean {
  return features.length > 0 && !Object.keys(wrong).some((name) => name.startsWith('feature') && wrong[name])
}
