/** Tests the days of the audit log when the clocks change. */
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { dayBefore, timesOf } from './local-days.ts'

beforeEach(() => {
  vi.stubEnv('TZ', 'America/New_York')
  onTestFinished(() => void vi.unstubAllEnvs())
})

it.each([
  { day: '2026-11-01', hours: 25 },
  { day: '2026-03-08', hours: 23 },
  { day: '2026-11-02', hours: 24 },
])('a range includes exactly the $hours hours of its last day, $day', ({ day, hours }) => {
  const { from = 0, to = 0 } = timesOf({ from: day, to: day })
  expect([from, (to + 1 - from) / 3_600_000]).toEqual([new Date(`${day}T00:00`).getTime(), hours])
})

it('the last 7 days are 7 days, also half an hour after a midnight', () => {
  expect(dayBefore(7, new Date('2026-03-10T00:30').getTime())).toBe('2026-03-04')
  expect(dayBefore(7, new Date('2026-11-05T23:30').getTime())).toBe('2026-10-30')
})
