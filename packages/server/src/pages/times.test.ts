/** Times and durations in human-readable form. */
import { expect, it } from 'vitest'
import { countdown, duration, moment, span } from './times.ts'

const NOON = Date.UTC(2026, 5, 15, 12)

it.each([
  [0, '0 s'],
  [1, '1 s'],
  [59_000, '59 s'],
  [60_000, '1 min'],
  [3_599_001, '1 h'],
  [3_600_000, '1 h'],
  [47 * 3_600_000, '47 h'],
  [48 * 3_600_000, '2 d'],
  [49 * 3_600_000 + 1, '2 d 2 h'],
  [-5, '0 s'],
])('%d ms are %s', (ms, words) => {
  expect(span('en', ms)).toBe(words)
})

it('a moment is shown in the language of the reader, and exactly for their browser', () => {
  expect(moment('en', NOON).text).toBe(
    '<time datetime="2026-06-15T12:00:00.000Z">15 Jun 2026, 12:00 UTC</time>',
  )
  expect(moment('de', NOON).text).toContain('15.06.2026, 12:00 UTC')
  expect(moment('en', Number.MAX_SAFE_INTEGER).text).toContain('275760')
})

it('a span has the units of the language', () => {
  expect(span('ru', 61_000)).toBe('1 мин 1 с')
  expect(span('tr', 3_660_000)).toBe('1 sa 1 dk')
  expect(moment('pt', NOON).text).toContain('15 de jun. de 2026, 12:00 UTC')
})

it('a countdown shows a duration and refers to the element it enables', () => {
  expect(countdown('en', 61_000, 'reset').text).toBe(
    '<span data-seconds-left="61" data-units="d h min s" data-frees="reset">1 min 1 s</span>',
  )
})

it.each([
  [86_400_000, '24 hours', '24 Stunden'],
  [7 * 86_400_000, '7 days', '7 Tage'],
  [2.5 * 86_400_000, '2 days 12 hours', '2 Tage 12 Stunden'],
  [90_000, '1 minute 30 seconds', '1 Minute 30 Sekunden'],
  [10_000, '10 seconds', '10 Sekunden'],
  [0, '1 second', '1 Sekunde'],
])('a duration of %d ms reads as %s and %s', (ms, english, german) => {
  expect([duration('en', ms), duration('de', ms)]).toEqual([english, german])
})
