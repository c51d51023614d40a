/** Percentages add up to 100 for any counts. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { splitShares } from './statistics.ts'

const counts = fc.array(fc.integer({ min: 0, max: 2 ** 40 }), { maxLength: 200 })
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

it('percentages add up to exactly 100.00 when any count is positive, and to 0 otherwise', () => {
  fc.assert(fc.property(counts, (list) => sum(splitShares(list)) === (sum(list) === 0 ? 0 : 10_000)))
})

it('each percentage is off by less than 0.01', () => {
  fc.assert(
    fc.property(counts, (list) => {
      const total = sum(list)
      return splitShares(list).every(
        (share, i) => total === 0 || Math.abs(share - ((list[i] ?? 0) * 10_000) / total) < 1,
      )
    }),
  )
})

it('the remainder goes to the percentages that rounding reduced most', () => {
  expect(splitShares([1, 1, 1])).toEqual([3334, 3333, 3333])
  expect(splitShares([2, 1])).toEqual([6667, 3333])
  expect(splitShares([0, 7])).toEqual([0, 10_000])
  expect(splitShares([])).toEqual([])
})
