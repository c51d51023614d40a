/** Tests the calculations behind a chart. */
import { describe, expect, it } from 'vitest'
import { bucketAt, labelsOf, largestOf, ticksOf, xOf } from './scale.ts'
import { isRunning, positionOf, rangeOf, type Series, within } from './series.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const days = Array.from({ length: 10 }, (_, n) => n * DAY)
const line = (values: number[], more: Partial<Series> = {}): Series => ({
  ...{ title: 'Runs', color: 'accent', values },
  ...more,
})

describe('the axes', () => {
  it('have at most five whole numbers, up to at least the largest value', () => {
    for (const largest of [0, 1, 3, 4, 5, 7, 99, 100, 101, 12_345, 9_999_999]) {
      const ticks = ticksOf(largest)
      expect(ticks.length, String(largest)).toBeLessThanOrEqual(5)
      expect(ticks.every(Number.isInteger)).toBe(true)
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(Math.max(1, largest))
      expect(ticks.at(-2)).toBeLessThan(Math.max(1, largest))
    }
  })

  it('label as many days and hours as fit', () => {
    expect(labelsOf(days, 'day', 100)).toHaveLength(10)
    expect(labelsOf(days, 'day', 10).map(({ index }) => index)).toEqual([0, 7])
    const hours = Array.from({ length: 48 }, (_, n) => n * HOUR)
    expect(labelsOf(hours, 'hour', 12)).toHaveLength(8)
  })

  it('fit the totals of a stack, and each line by itself', () => {
    const all = [line([1, 5]), line([2, 3]), line([9, 0], { isBefore: true })]
    expect(largestOf(all, true)).toBe(9)
    expect(largestOf(all.slice(0, 2), true)).toBe(8)
    expect(largestOf(all.slice(0, 2), false)).toBe(5)
    expect(largestOf([], true)).toBe(0)
  })
})

describe('a position', () => {
  const scale = { width: 1044, count: 10, max: 1 }

  it('is in the bucket that starts before it, or in the nearest one', () => {
    expect([-50, 40, 139, 141, 1044, 5000].map((x) => bucketAt(scale, x))).toEqual([0, 0, 0, 1, 9, 9])
    expect(bucketAt(scale, xOf(scale, 3.5))).toBe(3)
  })

  it('of a time is measured in buckets', () => {
    expect(positionOf(days, 'day', 2.5 * DAY)).toBe(2.5)
  })
})

describe('a range', () => {
  it('contains the last hour or day, in both directions', () => {
    expect(rangeOf(days, 'day', 2, 4)).toEqual({ from: 2 * DAY, to: 5 * DAY })
    expect(rangeOf(days, 'day', 4, 2)).toEqual({ from: 2 * DAY, to: 5 * DAY })
    expect(rangeOf(days, 'day', 3)).toEqual({ from: 3 * DAY, to: 4 * DAY })
  })

  it('limits times and values alike', () => {
    const data = { times: days, series: [line(days.map((_, n) => n))] }
    const part = within(data, rangeOf(days, 'day', 2, 4))
    expect(part.times).toEqual([2 * DAY, 3 * DAY, 4 * DAY])
    expect(part.series[0]?.values).toEqual([2, 3, 4])
    expect(within(data, undefined)).toBe(data)
  })
})

describe('the last hour or day', () => {
  it('is running until it is over', () => {
    expect(isRunning(days, 'day', 9 * DAY)).toBe(true)
    expect(isRunning(days, 'day', 10 * DAY - 1)).toBe(true)
    expect(isRunning(days, 'day', 10 * DAY)).toBe(false)
    expect(isRunning([], 'day', 0)).toBe(false)
  })
})
