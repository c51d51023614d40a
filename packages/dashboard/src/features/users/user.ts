import type { UserStatus } from '@scriptward/client/user-statuses'
import type { V1UserDevicesListResponse, V1UsersGetResponse } from '@scriptward/sdk'
import type { Tone } from '../../components/badge.tsx'
import { customerName } from '../../lib/customer-name.ts'
import { aboutText } from '../../lib/durations.ts'
import { exactly, when } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { clockText } from '../../queries/plans.ts'

export type User = V1UsersGetResponse['user']
export type Device = V1UserDevicesListResponse['devices'][number]
export const TONES: Readonly<Record<UserStatus, Tone>> = {
  active: 'good',
  issued: 'plain',
  unused: 'plain',
  not_started: 'plain',
  quota_spent: 'warn',
  grace: 'warn',
  paused: 'plain',
  locked: 'warn',
  expired: 'warn',
  blacklisted: 'bad',
}

const DAY_MS = 24 * 60 * 60 * 1000
const NEAR_MS = 7 * DAY_MS

export function isNearExpiry({ status, key_expires }: User, now = Date.now()): boolean {
  const isUsable = status !== 'expired' && status !== 'blacklisted' && status !== 'paused'
  return isUsable && key_expires !== null && key_expires > now && key_expires - now < NEAR_MS
}

/** Formats an expiry, such as `in 3 days (Nov 27, 2026, 8:00 PM)`. */
export function expiryWords(time: number | null): string {
  if (time === null) return text.userList.never
  const [words, exact] = [when(time), exactly(time)]
  return exact.startsWith(words) ? exact : text.userList.whenExactly(words, exact)
}

/** Whether the key expires, either on a fixed date or some time after its clock has started. */
export function isEnding({ key_expires, clock }: Pick<User, 'key_expires' | 'clock'>): boolean {
  return key_expires !== null || (clock !== null && clock.duration !== null)
}

/** Describes the expiry. Supports paused keys and keys whose clock hasn't started. */
export function endWords({ key_expires, clock, clock_extra, paused }: User): string {
  if (paused !== null && paused.left !== null) return text.userList.left(aboutText(paused.left))
  if (key_expires === null && clock !== null) return waitingText({ clock, clock_extra })
  return expiryWords(key_expires)
}

/** Describes a clock that starts on first use, including any added time. */
export function waitingText({ clock: { basis, duration }, clock_extra }: WaitingClock): string {
  return clockText({ basis, duration: duration === null ? null : duration + clock_extra })
}

type WaitingClock = { readonly clock: NonNullable<User['clock']>; readonly clock_extra: number }

/** Returns a short display name: the note, the Discord account, or the key. */
export function nameOf({ note, chat_id, key }: Pick<User, 'note' | 'chat_id' | 'key'>): string {
  return customerName({ user_key: key, note, chat_id })
}
