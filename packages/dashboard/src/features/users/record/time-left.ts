/** Describes how much time a key has left. */
import { aboutText } from '../../../lib/durations.ts'
import { when } from '../../../lib/when.ts'
import { recordText } from '../../../messages/en/user-record.ts'
import { type User, waitingText } from '../user.ts'
import { dayText } from './days.ts'

export type TimeLeft = {
  readonly value: string
  readonly hint: string
  /** The fraction of the time that is left, from 0 to 1; undefined if the key doesn't expire. */
  readonly share?: number
}

const DAY_MS = 86_400_000

export function timeLeft(user: User, now = Date.now()): TimeLeft {
  const t = recordText.facts
  const { key_expires, clock, clock_extra, paused } = user
  const waiting =
    key_expires === null && clock !== null && clock.duration !== null ? clock.duration + clock_extra : null
  if (paused !== null) {
    const left = paused.left ?? waiting
    return { value: left === null ? t.unlimited : aboutText(left), hint: t.paused }
  }
  if (waiting !== null) return { value: aboutText(waiting), hint: t.fromFirstRun }
  if (key_expires === null)
    return { value: t.unlimited, hint: clock ? waitingText({ clock, clock_extra }) : t.lifetime }
  if (key_expires <= now) return { value: t.expired, hint: t.ended(when(key_expires, now)), share: 0 }
  const left = key_expires - now
  const end = left < DAY_MS ? when(key_expires, now) : dayText(key_expires, now)
  return { value: aboutText(left), hint: t.ends(end), share: left / (key_expires - beginOf(user)) }
}

/** Returns the time when the key's duration started. */
export function beginOf({ clock, created_at, first_used_at, key_expires }: User): number {
  const begin = clock?.basis === 'first_use' ? (first_used_at ?? created_at) : created_at
  return key_expires === null ? begin : Math.min(begin, key_expires - 1)
}
