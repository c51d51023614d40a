/** Durations as people enter and read them: a number and a unit. */

import { text } from '../messages/text.ts'
import { LOCALE } from './format.ts'

export const UNIT_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const
export type Unit = keyof typeof UNIT_MS
const UNITS = Object.keys(UNIT_MS) as Unit[]
const SECOND_MS = 1_000

/** In the largest unit that divides it. */
export function parted(ms: number): { amount: number; unit: Unit } {
  const unit = [...UNITS].reverse().find((each) => ms % UNIT_MS[each] === 0) ?? 'minute'
  return { amount: ms / UNIT_MS[unit], unit }
}

/** `24 hours`, `7 days`, `12 seconds`. */
export function durationText(ms: number): string {
  const unit = ms < UNIT_MS.minute ? 'second' : ms < UNIT_MS.hour ? 'minute' : parted(ms).unit
  const size = unit === 'second' ? SECOND_MS : UNIT_MS[unit]
  const style = { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(LOCALE, style).format(ms / size)
}

/** `23 hours` of a time that is left, in its largest unit. */
export function aboutText(ms: number): string {
  const unit = [...UNITS].reverse().find((each) => ms >= UNIT_MS[each]) ?? 'minute'
  const style = { style: 'unit', unit, unitDisplay: 'long' } as const
  return new Intl.NumberFormat(LOCALE, style).format(Math.floor(ms / UNIT_MS[unit]))
}

export const unitOptions = () => UNITS.map((each) => [each, text.durations.units[each]] as const)

/** In milliseconds, also of a number as it is written with a comma; undefined when what is typed is no length of time. */
export function lengthIn(typed: string, unit: Unit): number | undefined {
  const isNumber = /^\s*\d{1,9}([.,]\d+)?\s*$/.test(typed)
  const length = Math.round(Number(typed.trim().replace(',', '.')) * UNIT_MS[unit])
  return isNumber && length > 0 ? length : undefined
}
