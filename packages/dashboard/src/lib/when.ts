/** Formats times for display and for date inputs. */

import { text } from '../messages/text.ts'
import { LOCALE } from './format.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const UNITS = [
  ['day', DAY],
  ['hour', 60 * MINUTE],
  ['minute', MINUTE],
] as const
const RELATIVE_UP_TO = 30 * DAY
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' })
const day = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' })
const utcDay = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: 'UTC' })
const exact = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' })

/**
 * Formats a time as `3 hours ago` or `in 2 days`, or as a date if it is far away. Past times count complete
 * units. Future times are rounded, so that a new 30-day key expires in 30 days instead of 29.
 */
export function when(time: number, now = Date.now()): string {
  const distance = time - now
  if (Math.abs(distance) > RELATIVE_UP_TO) return day.format(time)
  const [unit, size] = UNITS.find(([, each]) => Math.abs(distance) >= each) ?? [undefined, MINUTE]
  return unit === undefined ? text.justNow : relative.format(inUnits(distance / size), unit)
}

function inUnits(distance: number): number {
  return distance < 0 ? Math.trunc(distance) : Math.round(distance)
}

/** Formats a day as `today`, `yesterday` or a date. Days are in UTC, as in the API. */
export function dayOf(time: number, now = Date.now()): string {
  const ago = Math.floor(now / DAY) - Math.floor(time / DAY)
  const words = ago === 0 || ago === 1 ? relative.format(-ago, 'day') : utcDay.format(time)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function exactly(time: number): string {
  return exact.format(time)
}

/** Formats a local time to the minute, for `<input type="datetime-local">`. */
export function localDate(time: number): string {
  const date = new Date(time)
  return new Date(time - date.getTimezoneOffset() * MINUTE).toISOString().slice(0, 16)
}
