/** A key's terms, from its plan and its own settings: clock, start, pause, features and quota. */
import type { V1UsersEditResponse } from '@scriptward/sdk'
import { addressOf } from '../../lib/address.ts'
import { aboutText, durationText } from '../../lib/durations.ts'
import { number } from '../../lib/format.ts'
import { featureTexts } from '../../lib/plan-texts.ts'
import { when } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { clockText, type Plan, usePlans } from '../../queries/plans.ts'
import { expiryWords, type User } from './user.ts'

export function TermFacts({ user }: { user: User }) {
  const t = text.plans
  const plan = usePlans().data?.find(({ id }) => id === user.plan_id)
  const features = featureLines(user, plan)
  const hasClock = user.plan_id !== null || user.has_own_clock
  return (
    <>
      {user.plan_id !== null && (
        <>
          <dt>{t.plan}</dt>
          <dd>
            <a href={addressOf.project(user.project_id, 'plans')}>{user.plan}</a>
          </dd>
        </>
      )}
      {hasClock && (
        <>
          <dt>{t.clock}</dt>
          <dd>{clockOf(user)}</dd>
        </>
      )}
      {user.starts_at !== null && (
        <>
          <dt>{t.starts}</dt>
          <dd>{expiryWords(user.starts_at)}</dd>
        </>
      )}
      {user.paused !== null && (
        <>
          <dt>{t.paused}</dt>
          <dd>{pauseText(user.paused)}</dd>
        </>
      )}
      {user.quota !== null && (
        <>
          <dt>{t.quota}</dt>
          <dd>{quotaText(user.quota)}</dd>
        </>
      )}
      {features.length > 0 && (
        <>
          <dt>{t.features}</dt>
          <dd>
            {features.map((line) => (
              <div key={line}>{line}</div>
            ))}
          </dd>
        </>
      )}
    </>
  )
}

function clockOf({ clock, clock_extra, has_own_clock }: User): string {
  const t = text.plans
  if (clock === null) return t.byHand
  const words = has_own_clock ? t.ownClock(clockText(clock)) : clockText(clock)
  return clock_extra === 0 ? words : t.withExtra(words, durationText(clock_extra))
}

function pauseText({ since, left }: NonNullable<User['paused']>): string {
  return left === null ? when(since) : text.plans.pausedWith(when(since), aboutText(left))
}

function quotaText({ count, period, used, resets_at }: NonNullable<User['quota']>): string {
  const t = text.plans
  return t.quotaUsed(number(used), t.quotaOf[period](count), when(resets_at))
}

/** Lists each feature, and whether it comes from the plan or the key. */
function featureLines({ features, own_features }: User, plan: Plan | undefined): string[] {
  const t = text.plans
  const lines = Object.entries(features).map(([name, value]) => {
    const words = featureText(name, value)
    const ofPlan = plan?.features[name]
    if (!Object.hasOwn(own_features, name)) return t.ofPlan(words)
    return ofPlan === undefined ? t.ofKey(words) : t.beforePlan(words, featureText(name, ofPlan))
  })
  const taken = Object.keys(own_features).filter((name) => own_features[name] === null)
  return [...lines, ...taken.map((name) => t.takenAway(name))]
}

const featureText = (name: string, value: true | number | string) => featureTexts({ [name]: value }).join('')

type Changed = V1UsersEditResponse['changed'][number]

/** Describes what an edit changed, field by field. */
export function changedText(changed: readonly Changed[]): string {
  const t = text.plans
  return changed
    .map(({ member, from, to }) => t.became(nameOf(member), valueText(member, from), valueText(member, to)))
    .join(' · ')
}

function nameOf(member: string): string {
  return text.plans.terms[member as keyof typeof text.plans.terms] ?? member
}

function valueText(member: string, value: unknown): string {
  const t = text.plans
  if (member === 'key_expires') return expiryWords(value as number | null)
  if (member === 'scripts') return value === null ? t.allScripts : t.scriptsOf((value as string[]).length)
  if (value === null) return t.none
  if (member === 'clock') return clockText(value as Plan['clock'])
  if (member === 'grace') return value === 0 ? t.none : durationText(value as number)
  if (member === 'quota') return quotaOf(value as NonNullable<Plan['quota']>)
  if (member === 'features') return featureTexts(value as Plan['features']).join(', ') || t.none
  return typeof value === 'number' ? number(value) : String(value)
}

function quotaOf({ count, period }: NonNullable<Plan['quota']>): string {
  return text.plans.quotaOf[period](count)
}
