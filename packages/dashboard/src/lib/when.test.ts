import { expect, it } from 'vitest'
import { when } from './when.ts'

const NOW = new Date(2026, 10, 30, 12).getTime()
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

it.each([
  [30 * DAY - MINUTE, 'in 30 days'],
  [2 * DAY + 14 * HOUR, 'in 3 days'],
  [DAY, 'tomorrow'],
  [90 * MINUTE + 1, 'in 2 hours'],
  [5 * MINUTE - 1, 'in 5 minutes'],
  [MINUTE - 1, 'just now'],
])('a time in %i ms is rounded: %s', (ahead, words) => expect(when(NOW + ahead, NOW)).toBe(words))

it.each([
  [MINUTE - 1, 'just now'],
  [3 * HOUR - 1, '2 hours ago'],
  [2 * DAY - 1, 'yesterday'],
  [30 * DAY, '30 days ago'],
])('a time %i ms ago counts complete units: %s', (ago, words) => expect(when(NOW - ago, NOW)).toBe(words))

it.each([-31, 31])('a time more than 30 days away is a date (%i days)', (days) =>
  expect(when(NOW + days * DAY, NOW)).toMatch(/2026$/),
)
