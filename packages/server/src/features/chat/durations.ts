/** Durations in commands and answers. */
import { parseDuration } from '@scriptward/client/durations'
import { Problem, problem } from './act.ts'
import { say, value } from './text.ts'

/** One hundred years in milliseconds. */
const LONGEST_MS = 3_155_760_000_000
/** Maximum length of a typed duration. */
export const LONGEST_TEXT = 40
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** Parses durations such as `3d` or `1d 12h`. Returns milliseconds. */
export function readDuration(text: string): number | Problem {
  const duration = parseDuration(text.toLowerCase().replace(/\s+/g, ''))
  if (duration === undefined || duration < 1000)
    return new Problem(problem(say`“${value(text)}” is not a duration. Use a form such as 3d, 1d12h or 90m.`))
  if (duration > LONGEST_MS)
    return new Problem(problem(say`“${value(text)}” is too long. Use at most 100 years (100y).`))
  return duration
}

/** Formats a duration in whole seconds, so that {@link readDuration} can parse it. */
export function shortDuration(ms: number): string {
  return `${Math.round(ms / 1000)}s`
}

/** Formats a duration with its two largest units, such as "1 day 12 hours". */
export function durationText(ms: number): string {
  const first = UNITS.findIndex(([, size]) => ms >= size)
  if (first === -1) return '1 second'
  let left = ms
  const parts = UNITS.slice(first, first + 2).flatMap(([unit, size]) => {
    const count = Math.floor(left / size)
    left -= count * size
    return count === 0 ? [] : [countText(count, unit)]
  })
  return parts.join(' ')
}

const NUMBER = new Intl.NumberFormat('en')

/** Formats a count, such as "1 key" or "1,204 keys". */
export function countText(count: number, noun: string): string {
  return `${NUMBER.format(count)} ${noun}${count === 1 ? '' : 's'}`
}
