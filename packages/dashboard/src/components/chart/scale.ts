/** Positions within a chart, in pixels, and the labels of its axes. */
import { LOCALE } from '../../lib/format.ts'
import type { Series, Step } from './series.ts'

export const HEIGHT = 190
export const LEFT = 40
export const TOP = 20
export const BOTTOM = HEIGHT - 22
const RIGHT = 4
const MAX_TICKS = 4
const HOUR_STEPS = [1, 2, 3, 4, 6, 12, 24, 48] as const
const DAY_STEPS = [1, 2, 3, 5, 7, 14, 28, 56, 112] as const
const LABEL_PX = 64

const DAY = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const LOCAL_DAY = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short' })
const HOUR = new Intl.DateTimeFormat(LOCALE, { hour: 'numeric' })
const DAY_AND_HOUR = new Intl.DateTimeFormat(LOCALE, {
  ...{ day: 'numeric', month: 'short' },
  ...{ hour: 'numeric', minute: '2-digit' },
})

export type Scale = {
  readonly width: number
  readonly count: number
  /** Value at the top of the axis. */
  readonly max: number
}

/** Days are in UTC, hours in local time. */
export function timeText(time: number, step: Step): string {
  return step === 'day' ? DAY.format(time) : DAY_AND_HOUR.format(time)
}

export function bucketPx({ width, count }: Scale): number {
  return Math.max(1, width - LEFT - RIGHT) / Math.max(1, count)
}

/** Position of a bucket's start; `index` can be fractional. */
export function xOf(scale: Scale, index: number): number {
  return LEFT + index * bucketPx(scale)
}

export function yOf({ max }: Scale, value: number): number {
  return BOTTOM - ((BOTTOM - TOP) * value) / max
}

/** The bucket at a position, or the nearest one. */
export function bucketAt(scale: Scale, x: number): number {
  return Math.max(0, Math.min(scale.count - 1, Math.floor((x - LEFT) / bucketPx(scale))))
}

/** Evenly spaced whole numbers, from 0 to the first one that is not below `largest`. */
export function ticksOf(largest: number): number[] {
  const least = Math.max(1, largest) / MAX_TICKS
  const power = 10 ** Math.floor(Math.log10(least))
  const size = Math.max(1, power * ([1, 2, 5, 10].find((each) => each * power >= least) ?? 10))
  return Array.from({ length: Math.ceil(Math.max(1, largest) / size) + 1 }, (_, n) => n * size)
}

/** Returns the largest value that the chart has to fit. */
export function largestOf(series: readonly Series[], isStacked: boolean): number {
  if (!isStacked) return Math.max(0, ...series.flatMap(({ values }) => values))
  const parts = series.filter(({ isBefore }) => !isBefore)
  const count = Math.max(0, ...series.map(({ values }) => values.length))
  const sums = Array.from({ length: count }, (_, i) =>
    parts.reduce((sum, { values }) => sum + (values[i] ?? 0), 0),
  )
  return Math.max(0, ...sums, ...series.flatMap(({ values, isBefore }) => (isBefore ? values : [])))
}

export type AxisLabel = { readonly index: number; readonly words: string }

/** Returns as many labels as fit. The first hour of a day is labeled with the day. */
export function labelsOf(times: readonly number[], step: Step, px: number): AxisLabel[] {
  const steps = step === 'hour' ? HOUR_STEPS : DAY_STEPS
  const every = steps.find((each) => each * px >= LABEL_PX) ?? steps.at(-1) ?? 1
  return times.flatMap((time, index) => {
    if (step === 'day') return index % every === 0 ? [{ index, words: DAY.format(time) }] : []
    const hour = new Date(time).getHours()
    if (hour % Math.min(24, every) !== 0) return []
    return [{ index, words: hour === 0 ? LOCAL_DAY.format(time) : HOUR.format(time) }]
  })
}
