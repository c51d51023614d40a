/** The form state of a key's clock, and the request fields. */
import type { V1UsersEditData } from '@scriptward/sdk'
import { lengthIn, parted, type Unit } from '../../../lib/durations.ts'
import { text } from '../../../messages/text.ts'
import { clockText } from '../../../queries/plans.ts'
import type { User } from '../user.ts'

type Sent = NonNullable<NonNullable<V1UsersEditData['body']>['clock']>

/** `none` means no clock or a manual expiry; `plan` means the plan's clock. */
export type ClockDraft = {
  readonly basis: Sent['basis'] | 'none'
  /** Empty for no expiry. */
  readonly amount: string
  readonly unit: Unit
}

const START = { amount: '30', unit: 'day' } as const
const MAX_MS = 3_155_760_000_000

export function clockDraftOf({ clock, has_own_clock, plan_id }: User): ClockDraft {
  if (!has_own_clock || clock === null)
    return { basis: clock === null || plan_id === null ? 'none' : 'plan', ...START }
  if (clock.duration === null) return { basis: clock.basis, amount: '', unit: START.unit }
  const { amount, unit } = parted(clock.duration)
  return { basis: clock.basis, amount: String(amount), unit }
}

export function clockIn({ basis, amount, unit }: ClockDraft): Sent {
  if (basis === 'plan' || basis === 'none') return { basis: 'plan' }
  return { basis, duration: amount.trim() === '' ? null : (lengthIn(amount, unit) ?? 0) }
}

export function clockError({ clock, key_expires }: NonNullable<V1UsersEditData['body']>): string | undefined {
  if (!clock) return undefined
  if (key_expires !== undefined) return text.plans.clockAndEnd
  const { duration } = clock
  const isWrong = typeof duration === 'number' && (duration <= 0 || duration > MAX_MS)
  return isWrong ? text.plans.durationWrong : undefined
}

/** Returns the options: the current state, the plan's clock if there is a plan, and a separate clock. */
export function clockOptions(user: User, hasPlan: boolean): (readonly [ClockDraft['basis'], string])[] {
  const t = text.plans
  const now = clockDraftOf(user).basis
  const all = [
    now === 'none' && (['none', user.plan_id === null ? t.noClock : t.byHand] as const),
    (hasPlan || now === 'plan') && (['plan', t.clockOfPlan] as const),
    ['first_use', t.ownBases.first_use] as const,
    ['creation', t.ownBases.creation] as const,
  ]
  return all.filter((each) => each !== false)
}

/** Describes the current clock of a user. */
export function clockShown({ clock, has_own_clock, plan_id }: User): string {
  const t = text.plans
  if (clock === null) return plan_id === null ? t.noClock : t.byHand
  return has_own_clock ? t.ownClock(clockText(clock)) : t.clockOfPlan
}
