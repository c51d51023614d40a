/** Formats times for people, and for date inputs. */

import { text } from '../messages/text.ts'
import { LOCALE } from './format.ts'

const MINUTE = 60_000
const UNITS = [
  ['day', 24 * 60 * MINUTE],
  ['hour', 60 * MINUTE],
  ['minute', MINUTE],
] as const
const RELATIVE_UP_TO = 30 * 24 * 60 * MINUTE
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' })
const day = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' })
const exact = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' })

/** Formats a time as `3 hours ago` or `in 2 days`, and as a date if it is far away. */
export function when(time: number, now = Date.now()): string {
  const distance = time - now
  if (Math.abs(distance) > RELATIVE_UP_TO) return day.format(time)
  const [unit, size] = UNITS.find(([, each]) => Math.abs(distance) >= each) ?? [undefined, MINUTE]
  return unit === undefined ? text.justNow : relative.format(Math.trunc(distance / size), unit)
}

export function exactly(time: number): string {
  return exact.format(time)
}

/** Formats a local time to the minute, for `<input type="datetime-local">`. */
export function localDate(time: number): string {
  const date = new Date(time)
  return new Date(time - date.getTimezoneOffset() * MINUTE).toISOString().slice(0, 16)
}
