/** How long a key is valid, as a single choice: its form state, and the fields to send. */
import type { V1UsersEditData } from '@scriptward/sdk'
import { lengthIn, parted, spanText, type Unit } from '../../../lib/durations.ts'
import { localDate } from '../../../lib/when.ts'
import { recordText } from '../../../messages/en/user-record.ts'
import { text } from '../../../messages/text.ts'
import { clockText } from '../../../queries/plans.ts'
import { expiryWords, type User } from '../user.ts'

type Body = NonNullable<V1UsersEditData['body']>
export type DurationKind = 'plan' | 'lifetime' | 'until' | 'first_use'
export type DurationDraft = {
  readonly kind: DurationKind
  /** Local time in the format that `<input type="datetime-local">` uses. */
  readonly date: string
  /** The number in the duration; empty for no expiry. */
  readonly amount: string
  readonly unit: Unit
  /** The event that starts the clock. */
  readonly basis: 'first_use' | 'creation'
}

const DAY_MS = 86_400_000
const START = { amount: '30', unit: 'day', basis: 'first_use' } as const
const MAX_MS = 3_155_760_000_000
/** The latest time that the API accepts: the end of the year 9999. */
const LAST_TIME = 253_402_300_799_999

export function durationOf({ clock, has_own_clock, plan_id, key_expires }: User): DurationDraft {
  const date = key_expires === null ? '' : localDate(key_expires)
  const common = { ...START, date }
  if (clock === null || (!has_own_clock && plan_id === null))
    return { ...common, kind: key_expires === null ? 'lifetime' : 'until' }
  if (!has_own_clock) return { ...common, kind: 'plan' }
  const length = clock.duration === null ? { amount: '', unit: START.unit } : parted(clock.duration)
  return { ...common, kind: 'first_use', basis: clock.basis, ...length, amount: String(length.amount) }
}

/** Returns the kinds to choose from. The plan's clock is available only with a plan. */
export function kindsFor(user: User, hasPlan: boolean): readonly DurationKind[] {
  const isPlanned = hasPlan || durationOf(user).kind === 'plan'
  return [...(isPlanned ? (['plan'] as const) : []), 'lifetime', 'until', 'first_use']
}

/** Returns the fields to send. An invalid date results in NaN. */
export function durationBody({ kind, date, amount, unit, basis }: DurationDraft): Body {
  if (kind === 'plan') return { clock: { basis: 'plan' } }
  if (kind === 'lifetime') return { key_expires: 0 }
  if (kind === 'until') return { key_expires: new Date(date).getTime() }
  return { clock: { basis, duration: amount.trim() === '' ? null : (lengthIn(amount, unit) ?? 0) } }
}

export function durationError(draft: DurationDraft): string | undefined {
  const { key_expires, clock } = durationBody(draft)
  if (typeof key_expires === 'number' && !(key_expires <= LAST_TIME)) return text.users.noTime
  const length = clock?.duration
  const isWrong = typeof length === 'number' && (length <= 0 || length > MAX_MS)
  return isWrong ? text.plans.durationWrong : undefined
}

/** Adds days to the expiry, or to the current time if the key has expired or has no expiry. */
export function withDays(draft: DurationDraft, days: number, now = Date.now()): DurationDraft {
  const end = new Date(draft.date).getTime() || now
  const from = new Date(Math.max(end, now))
  from.setDate(from.getDate() + days)
  return { ...draft, kind: 'until', date: localDate(from.getTime()) }
}

/** Describes how the expiry changes, such as `7 days later than before`. Undefined if it stays the same. */
export function differenceText(draft: DurationDraft, user: User): string | undefined {
  const t = recordText.duration
  const end = draft.kind === 'until' ? new Date(draft.date).getTime() : Number.NaN
  if (user.key_expires === null || Number.isNaN(end)) return undefined
  // The field has a precision of one minute, so the saved value is compared at the same precision.
  const difference = end - new Date(localDate(user.key_expires)).getTime()
  if (difference === 0) return undefined
  const span = aboutSpan(Math.abs(difference))
  return difference > 0 ? t.laterBy(span) : t.earlierBy(span)
}

/** Formats the saved value. */
export function durationShown({ clock, has_own_clock, key_expires }: User): string {
  if (clock === null) return expiryWords(key_expires)
  return has_own_clock ? text.plans.ownClock(clockText(clock)) : text.plans.clockOfPlan
}

/** Allows for days of 23 or 25 hours, when daylight saving time starts or ends. */
export function aboutSpan(ms: number): string {
  const days = Math.round(ms / DAY_MS)
  const isWhole = days > 0 && Math.abs(ms - days * DAY_MS) <= DAY_MS / 24
  return spanText(isWhole ? days * DAY_MS : ms)
}
