/**
 * Times for display: points in time in UTC, which the page's script converts to the reader's time zone, and
 * durations.
 */
import { html, type Markup } from './html.ts'
import type { Language } from './language.ts'
import { count, say } from './words.ts'

const STYLE = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const
/** Creating a formatter takes milliseconds, so each is created when a visitor first needs its language. */
const formats = new Map<Language, Intl.DateTimeFormat>()
/** The latest time that a `Date` can represent. */
const LAST_MOMENT = 8_640_000_000_000_000

/** `ms` is the time in milliseconds since 1970. */
export function moment(language: Language, ms: number): Markup {
  const date = new Date(Math.min(ms, LAST_MOMENT))
  return html`<time datetime="${date.toISOString()}">${formatOf(language).format(date)} UTC</time>`
}

/** English without a region would put the month first. */
function formatOf(language: Language): Intl.DateTimeFormat {
  const made = formats.get(language) ?? new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, STYLE)
  formats.set(language, made)
  return made
}

/** Keeps the two largest units and rounds up, so that visitors don't return too early. */
export function span(language: Language, ms: number): string {
  const [day = '', hour = '', minute = '', second = ''] = say(language, 'units').split(' ')
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  if (seconds < 60) return `${seconds} ${second}`
  if (seconds < 3600) return both(seconds, 60, [minute, second])
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 2880) return both(minutes, 60, [hour, minute])
  return both(Math.ceil(minutes / 60), 24, [day, hour])
}

function both(number: number, base: number, [large, small]: readonly [string, string]): string {
  const rest = number % base
  return `${Math.floor(number / base)} ${large}${rest > 0 ? ` ${rest} ${small}` : ''}`
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** A duration in words, such as `24 hours` or `1 minute 30 seconds`. Days are used for two days or more. */
export function duration(language: Language, ms: number): string {
  const units = ms < 2 * UNITS[0][1] ? UNITS.slice(1) : UNITS
  let rest = Math.max(1000, ms)
  const parts: string[] = []
  for (const [unit, unitMs] of units) {
    const number = Math.floor(rest / unitMs)
    rest -= number * unitMs
    if (number > 0 && parts.length < 2) parts.push(count(language, unit, number))
  }
  return parts.join(' ')
}

/**
 * A duration that the page's script counts down. At zero, the element that `frees` names is enabled, or the
 * page is reloaded if `frees` is undefined.
 */
export function countdown(language: Language, ms: number, frees?: string): Markup {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return html`<span data-seconds-left="${seconds}" data-units="${say(language, 'units')}"${frees !== undefined && html` data-frees="${frees}"`}>${span(language, ms)}</span>`
}
