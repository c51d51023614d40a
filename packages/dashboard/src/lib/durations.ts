/** Converts durations to and from a number and a unit. */

import { text } from '../messages/text.ts'
import { LOCALE } from './format.ts'

export const UNIT_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const
export type Unit = keyof typeof UNIT_MS
const UNITS = Object.keys(UNIT_MS) as Unit[]
const SECOND_MS = 1_000

/** Splits a duration into a number and the largest unit that divides it. */
export function parted(ms: number): { amount: number; unit: Unit } {
  const unit = [...UNITS].reverse().find((each) => ms % UNIT_MS[each] === 0) ?? 'minute'
  return { amount: ms / UNIT_MS[unit], unit }
}

/** Formats a duration, such as `24 hours`, `7 days` or `12 seconds`. */
export function durationText(ms: number): string {
  const unit = ms < UNIT_MS.minute ? 'second' : ms < UNIT_MS.hour ? 'minute' : parted(ms).unit
  const size = unit === 'second' ? SECOND_MS : UNIT_MS[unit]
  const style = { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(LOCALE, style).format(ms / size)
}

/** Formats the remaining time in its largest unit, such as `23 hours`. */
export function aboutText(ms: number): string {
  const unit = [...UNITS].reverse().find((each) => ms >= UNIT_MS[each]) ?? 'minute'
  const style = { style: 'unit', unit, unitDisplay: 'long' } as const
  return new Intl.NumberFormat(LOCALE, style).format(Math.floor(ms / UNIT_MS[unit]))
}

/** Formats a measured duration in its two largest units, such as `1 hour 12 minutes`. */
export function spanText(ms: number): string {
  const units = [...UNITS].reverse()
  const first = units.findIndex((unit) => ms >= UNIT_MS[unit])
  if (first === -1) return unitText(Math.max(1, Math.round(ms / SECOND_MS)), 'second')
  let left = ms
  const parts = units.slice(first, first + 2).map((unit) => {
    const count = Math.floor(left / UNIT_MS[unit])
    left -= count * UNIT_MS[unit]
    return [count, unit] as const
  })
  return parts.flatMap(([count, unit]) => (count === 0 ? [] : unitText(count, unit))).join(' ')
}

function unitText(count: number, unit: Unit | 'second'): string {
  return new Intl.NumberFormat(LOCALE, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
}

export const unitOptions = () => UNITS.map((each) => [each, text.durations.units[each]] as const)

/** Returns milliseconds, or undefined for invalid input. Accepts a decimal comma. */
export function lengthIn(typed: string, unit: Unit): number | undefined {
  const isNumber = /^\s*\d{1,9}([.,]\d+)?\s*$/.test(typed)
  const length = Math.round(Number(typed.trim().replace(',', '.')) * UNIT_MS[unit])
  return isNumber && length > 0 ? length : undefined
}
