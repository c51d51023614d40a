/** A user of a project as the pages of this room see it. */
import type { V1UsersGetResponse } from '@scriptward/sdk'
import type { Tone } from '../../parts/badge.tsx'
import { text } from '../../text/text.ts'
import { exactly, when } from '../../when.ts'

export type User = V1UsersGetResponse['user']
export type Status = User['status']

/** In the order of the quick filters. */
export const STATUSES = ['active', 'unused', 'locked', 'expired', 'blacklisted'] as const satisfies Status[]

export const TONES: Readonly<Record<Status, Tone>> = {
  active: 'good',
  unused: 'plain',
  locked: 'warn',
  expired: 'warn',
  blacklisted: 'bad',
}

const DAY_MS = 24 * 60 * 60 * 1000
const SOON_MS = 7 * DAY_MS
const SHOWN = 8

export function isNearExpiry({ status, key_expires }: User, now = Date.now()): boolean {
  const isUsable = status !== 'expired' && status !== 'blacklisted'
  return isUsable && key_expires !== null && key_expires > now && key_expires - now < SOON_MS
}

/** Enough to tell keys apart at a glance. */
export function shortKey(key: string): string {
  return key.length <= SHOWN + 4 ? key : `${key.slice(0, SHOWN)}…${key.slice(-4)}`
}

/** `in 3 days (Nov 27, 2026, 8:00 PM)`. */
export function expiryWords(time: number | null): string {
  if (time === null) return text.users.never
  const [words, exact] = [when(time), exactly(time)]
  return exact.startsWith(words) ? exact : text.users.whenExactly(words, exact)
}

/** How the user is called where there is room for one name only. */
export function nameOf({ note, key }: Pick<User, 'note' | 'key'>): string {
  return note ?? shortKey(key)
}
