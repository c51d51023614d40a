/** Tests the parser for durations that users type. */
import { expect, test } from 'vitest'
import { parseDuration } from '../src/durations.ts'

const DAY = 86_400_000

test.each([
  ['3d', 3 * DAY],
  ['1d12h', 1.5 * DAY],
  ['90m', 5_400_000],
  ['2w', 14 * DAY],
  ['1.5h', 5_400_000],
  ['1y', 365 * DAY],
  ['0d', 0],
])('%s is read as milliseconds', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

test.each(['', '3', 'd', '3 d', '3x', '-1d', 'soon', '3d!', '1e3d', '３d'])(
  '"%s" is not a duration',
  (text) => {
    expect(parseDuration(text)).toBeUndefined()
  },
)
