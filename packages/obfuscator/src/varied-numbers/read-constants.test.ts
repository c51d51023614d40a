import { expect, test } from 'vitest'
import { readConstants } from './read-constants.ts'
import { readLevels } from './read-numbers.ts'
import { numberAt, variationOf } from './variation.ts'

test.each([
  ['local x = 61.25341', 61.25341],
  ['f(-61.25341)', 61.25341],
  ['x=6125341/100000', 61.25341],
  ['x = (25341 + 6100000) / 1e5', 61.25341],
  ['return (v * ((45341 - -6080000)/100000))', 61.25341],
  ['x = 0x3D', 61],
  ["-- it's\nx = 1_000", 1000],
  ['x = 2 * 3 + 4', 10],
  ['x = 10 - (2 + 3)', 5],
  ["t['9'] = 7", 7],
])('%s contains %d', (text, value) => {
  expect([...readConstants(text)].some((each) => Math.abs(each - value) < 1e-9)).toBe(true)
})

test('digits in names, strings and comments are not numbers', () => {
  expect([...readConstants('local x61 = \'62\' .. "63" -- 64\n')]).toEqual([])
})

test('deep and broken texts of a megabyte are read in linear time', () => {
  const size = 1_000_000
  const texts = ['(', '(1+', '-', '1+', '1,', '(1', ')', '1*('].map((each) => each.repeat(size / each.length))
  for (const text of texts) expect(readConstants(text).length).toBeLessThanOrEqual(size)
})

test('all levels of a number are read, and no others', () => {
  for (const [value, tolerance] of [
    [61.25, 0.01],
    [-3.5, 0.001],
    [0, 0.1],
    [1e-9, 1e-11],
  ] as const) {
    const variation = variationOf(value, tolerance, false)
    if (!variation) throw new Error('no numbers')
    const { count, scale } = variation
    for (const level of [0, 1, 777, count - 1]) {
      const number = numberAt(variation, level)
      const levels = readLevels(readConstants(`x = ${number.toPrecision(14)}`), variation)
      expect(levels).toContain(level)
      expect(levels.length).toBeLessThanOrEqual(2)
    }
    const others = [numberAt(variation, 0) - 1 / scale, numberAt(variation, 5) + 0.4 / scale]
    for (const each of others) expect(readLevels(readConstants(`x = ${each}`), variation)).toEqual([])
  }
})
