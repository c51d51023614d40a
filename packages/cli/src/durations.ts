/** Parses and formats durations and times: `30d`, `12h`, `2026-12-24`, `never`. */

import { parseDuration } from '@scriptward/client/durations'
import { usage } from './faults.ts'

const DATE = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/

const EXAMPLES = "'30d', '12h' or '1d12h' (s, m, h, d, w, y)"

/** Converts a duration such as `1d12h` to milliseconds. */
export function durationOf(text: string): number {
  const duration = parseDuration(text)
  if (duration === undefined) throw usage(`'${text}' is not a duration. Use a form such as ${EXAMPLES}.`)
  return duration
}

/** Parses a duration from now, a date, or `never` (null). The result is in milliseconds. */
export function timeOf(text: string, now: number): number | null {
  if (text === 'never') return null
  const duration = parseDuration(text)
  if (duration !== undefined) return now + duration
  const time = isDate(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time))
    throw usage(
      `'${text}' is not a time. Use a duration such as ${EXAMPLES}, a date such as 2026-12-24, or 'never'.`,
    )
  return time
}

/** A day such as 2026-02-30 is not a date, although JavaScript reads it as 2 March. */
function isDate(text: string): boolean {
  const day = text.slice(0, 10)
  const time = DATE.test(text) ? Date.parse(day) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
}

/** Formats a duration, such as `1 min 4 s` or `0.3 s`. */
export function secondsOf(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds >= 60) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${ms < 9_950 ? (ms / 1000).toFixed(1) : seconds} s`
}

const RELATIVE = new Intl.RelativeTimeFormat('en')
/**
 * Each entry has a unit, its length in ms, and the shortest time shown in this unit: "45 days" is more
 * precise than "1 month".
 */
const SPANS = [
  ['year', 365 * 86_400_000, 730 * 86_400_000],
  ['month', 30 * 86_400_000, 60 * 86_400_000],
  ['day', 86_400_000, 86_400_000],
  ['hour', 3_600_000, 3_600_000],
  ['minute', 60_000, 60_000],
  ['second', 1000, 1000],
] as const

/** Formats a relative time, such as `3 hours ago`, `in 30 days` or `just now`. */
export function relativeTo(now: number, time: number): string {
  const ms = time - now
  const found = SPANS.find(([, , least]) => Math.abs(ms) >= least)
  return found === undefined ? 'just now' : RELATIVE.format(Math.trunc(ms / found[1]), found[0])
}

/** Formats a time, such as `2026-12-24T10:00:00Z`; `-` if there is none. */
export function dateOf(time: number | null): string {
  return time === null ? '-' : new Date(time).toISOString().replace(/\.\d+/, '')
}
