import { expect, test } from 'vitest'
import { keysTold, NAMED_LIKELIHOOD, numbersNeeded, WEIGHT_OF_MISS, weightOfMatch } from './certainty.ts'

test('the table in docs/tracing.md is correct', () => {
  const keys = [100, 1000, 10_000, 1_000_000]
  const needed = [2, 10, 40, 2000].map((count) => keys.map((each) => numbersNeeded([count], each)))
  expect(needed).toEqual([
    [18, 22, 26, 33],
    [6, 7, 8, 10],
    [4, 4, 5, 6],
    [2, 2, 3, 3],
  ])
})

test('the required number of numbers identifies one of that many keys, and one number fewer does not', () => {
  for (const count of [2, 10, 2000, 19_998]) {
    for (const keys of [10, 1000, 1e6]) {
      const needed = numbersNeeded([count], keys)
      expect(keysTold(Array(needed).fill(count))).toBeGreaterThanOrEqual(keys)
      expect(keysTold(Array(needed - 1).fill(count))).toBeLessThan(keys)
    }
  }
})

test('the weights follow from two probabilities, and a key is named if the odds allow it', () => {
  for (const chance of [1, 0.5, 0.01, 1 / 2000]) {
    const match = weightOfMatch(chance) * chance
    expect(match + WEIGHT_OF_MISS * (1 - chance)).toBeCloseTo(1, 12)
  }
  const weight = weightOfMatch(1 / 2000) ** 3
  const keys = keysTold([2000, 2000, 2000])
  expect(weight / (weight + keys)).toBeGreaterThanOrEqual(NAMED_LIKELIHOOD)
  expect(weight / (weight + keys + 1)).toBeLessThan(NAMED_LIKELIHOOD)
})
