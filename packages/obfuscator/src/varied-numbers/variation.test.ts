import { expect, test } from 'vitest'
import { middleOf, numberAt, variationOf } from './variation.ts'

test.each([
  [61.25, 0.01],
  [16, 0.5],
  [0.29, 0.07],
  [-3.5, 0.001],
  [0, 0.1],
  [1e-9, 1e-11],
  [123_456_789.125, 0.01],
  [1 / 3, 0.01],
  [100.5, 5000],
])('the numbers around %d are within %d of it, and all different', (value, tolerance) => {
  const found = variationOf(value, tolerance, false)
  if (!found) throw new Error('no numbers')
  const numbers = Array.from({ length: found.count }, (_, level) => numberAt(found, level))
  expect(new Set(numbers).size).toBe(found.count)
  expect(found.count).toBeGreaterThan(500)
  const most = tolerance * (1 + 1e-9) + Math.abs(value) * 1e-15
  expect(numbers.filter((each) => Math.abs(each - value) > most)).toEqual([])
})

test('the value in the middle is the number that the author wrote', () => {
  for (const value of [61.25, 16, 0.123456789, -7.5, 1e-9, 100.5]) {
    const found = variationOf(value, 0.01, false)
    expect(found && numberAt(found, middleOf(found))).toBe(value)
  }
})

test('variants of whole numbers are whole', () => {
  expect(variationOf(100, 5.5, true)).toEqual({ lowest: 95, count: 11, scale: 1 })
  expect(variationOf(-3, 1, true)).toEqual({ lowest: -4, count: 3, scale: 1 })
})

test('a tolerance without room for other values yields no variants', () => {
  expect(variationOf(61.25, 1e-16, false)).toBeNull()
  expect(variationOf(1e15, 0.01, false)).toBeNull()
  expect(variationOf(100, 0.5, true)).toBeNull()
  expect(variationOf(1e300, 1, true)).toBeNull()
})
