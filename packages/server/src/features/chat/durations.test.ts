/** Durations in commands and responses. */
import { expect, test } from 'vitest'
import { Problem } from './act.ts'
import { countText, durationText, readDuration, shortDuration } from './durations.ts'

const DAY = 86_400_000

test.each([
  ['3d', 3 * DAY],
  [' 1D 12h ', 1.5 * DAY],
  ['90m', 5_400_000],
  ['2w', 14 * DAY],
  ['100y', 36_500 * DAY],
])('%s is read, whatever its case and spaces', (text, ms) => {
  expect(readDuration(text)).toBe(ms)
})

test.each(['', 'soon', '3', '0d', '0.1s', '-3d'])('"%s" gets an answer with examples', (text) => {
  const read = readDuration(text)
  expect(read).toBeInstanceOf(Problem)
  expect(JSON.stringify(read)).toContain('Use a form such as 3d, 1d12h or 90m.')
})

test('more than a hundred years is too long', () => {
  expect(JSON.stringify(readDuration('101y'))).toContain('too long')
  expect(JSON.stringify(readDuration(`${'9'.repeat(30)}y`))).toContain('too long')
})

test.each([
  [3 * DAY, '3 days'],
  [1.5 * DAY, '1 day 12 hours'],
  [5_400_000, '1 hour 30 minutes'],
  [90_000, '1 minute 30 seconds'],
  [3 * DAY - 1, '2 days 23 hours'],
  [10, '1 second'],
])('%d ms are shown as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})

test('a short duration is read as the same duration', () => {
  expect(readDuration(shortDuration(1.5 * DAY))).toBe(1.5 * DAY)
})

test('numbers have a noun that fits', () => {
  expect([countText(1, 'key'), countText(0, 'key'), countText(1204, 'key')]).toEqual([
    '1 key',
    '0 keys',
    '1,204 keys',
  ])
})
