/** Names for the days and times in the timeline. */
import { LOCALE } from '../../../lib/format.ts'
import { recordText } from '../../../messages/en/user-record.ts'
import { startOf } from './timeline.ts'

const WEEK_DAYS = 7
const DAY_MS = 86_400_000
const weekday = new Intl.DateTimeFormat(LOCALE, { weekday: 'long' })
const short = new Intl.DateTimeFormat(LOCALE, { month: 'short', day: 'numeric' })
const long = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' })
const clock = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

/** Returns `Today`, `Yesterday`, a weekday within the last week, or a date. */
export function dayName(day: number, now = Date.now()): string {
  const ago = Math.round((startOf(now) - day) / DAY_MS)
  if (ago === 0) return recordText.today
  if (ago === 1) return recordText.yesterday
  return ago > 0 && ago < WEEK_DAYS ? weekday.format(day) : dayText(day, now)
}

export function dayText(day: number, now = Date.now()): string {
  return new Date(day).getFullYear() === new Date(now).getFullYear() ? short.format(day) : long.format(day)
}

export function clockTime(time: number): string {
  return clock.format(time)
}

export function idleText(from: number, to: number): string {
  return from === to ? recordText.idle(dayText(from)) : recordText.idleFrom(dayText(from), dayText(to))
}
