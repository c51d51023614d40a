// Tests how durations and times are parsed and formatted.

import { expect, test } from 'vitest'
import { dateOf, durationOf, relativeTo, secondsOf, timeOf } from '../src/durations.ts'

const DAY = 86_400_000

test.each([
  ['30d', 30 * DAY],
  ['12h', DAY / 2],
  ['1d12h', 1.5 * DAY],
  ['1.5h', 5_400_000],
  ['90s', 90_000],
  ['2w', 14 * DAY],
])('%s is accepted as a duration', (text, ms) => {
  expect(durationOf(text)).toBe(ms)
  expect(timeOf(text, 1000)).toBe(1000 + ms)
})

test('a time can be a duration from now, a date, or never', () => {
  expect(timeOf('never', 0)).toBeNull()
  expect(dateOf(timeOf('2026-12-24', 0))).toBe('2026-12-24T00:00:00Z')
  expect(dateOf(timeOf('2026-12-24T10:00:00+02:00', 0))).toBe('2026-12-24T08:00:00Z')
})

test.each([
  [0, 'just now'],
  [-12_000, '12 seconds ago'],
  [-3.9 * 3_600_000, '3 hours ago'],
  [30.5 * DAY, 'in 30 days'],
  [-59 * DAY, '59 days ago'],
  [-60 * DAY, '2 months ago'],
  [800 * DAY, 'in 2 years'],
])('%d ms from now is %s', (ms, words) => {
  expect(relativeTo(1_800_000_000_000, 1_800_000_000_000 + ms)).toBe(words)
})

test.each(['', '30', 'd', '30 d', '30x', '-1d', 'tomorrow', '2026-13-45', '2026-02-30'])(
  "'%s' is rejected, and the error shows valid examples",
  (text) => {
    expect(() => timeOf(text, 0)).toThrow("'30d', '12h'")
  },
)

test.each([
  [340, '0.3 s'],
  [9_960, '10 s'],
  [59_400, '59 s'],
  [59_600, '1 min 0 s'],
  [64_000, '1 min 4 s'],
  [119_700, '2 min 0 s'],
])('%i ms are printed as %s', (ms, words) => {
  expect(secondsOf(ms)).toBe(words)
})
