/** An expiry in forms: never, after a duration, or at a fixed time. */
import { localDate } from '../../../lib/when.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const UNITS = { hours: HOUR_MS, days: DAY_MS, weeks: 7 * DAY_MS, months: 30 * DAY_MS } as const
export type Unit = keyof typeof UNITS
export const UNIT_NAMES = Object.keys(UNITS) as Unit[]

export type Expiry = {
  readonly kind: 'never' | 'in' | 'at'
  readonly amount: string
  readonly unit: Unit
  /** Local time in the format that `<input type="datetime-local">` uses. */
  readonly date: string
}

export const NEVER: Expiry = { kind: 'never', amount: '30', unit: 'days', date: '' }
/** The latest time that the API accepts: the end of the year 9999. */
const LAST_TIME = 253_402_300_799_999

/** Returns milliseconds; 0 means never. Returns undefined if the input is not a time in the future. */
export function timeOf(expiry: Expiry, now = Date.now()): number | undefined {
  if (expiry.kind === 'never') return 0
  const length = lengthOf(expiry)
  const time = expiry.kind === 'in' ? length && now + length : new Date(expiry.date).getTime()
  return time !== undefined && time > now && time <= LAST_TIME ? time : undefined
}

/** Returns the duration in milliseconds; undefined if the input is invalid. */
export function lengthOf({ amount, unit }: Pick<Expiry, 'amount' | 'unit'>): number | undefined {
  const count = Number(amount.trim().replace(',', '.'))
  const length = Math.round(count * UNITS[unit])
  return amount.trim() !== '' && length > 0 && length <= LAST_TIME ? length : undefined
}

export function expiryOf(time: number | null): Expiry {
  return time === null ? NEVER : { ...NEVER, kind: 'at', date: localDate(time) }
}

/** Adds a duration to the expiry, or to the current time if the expiry has passed. */
export function later(expires: number, length: number, now = Date.now()): number {
  return Math.min(Math.max(expires, now) + length, LAST_TIME)
}
