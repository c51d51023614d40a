/** Request figures cover exactly their period, and use a bounded amount of memory. */
import { expect, it } from 'vitest'
import { RequestFigures } from './request-figures.ts'

const START = Date.UTC(2026, 5, 15, 12)
const MINUTE_MS = 60_000
const FIVE = 5 * MINUTE_MS
const HOUR = 60 * MINUTE_MS

function figures() {
  const clock = { now: START }
  return { clock, of: new RequestFigures(() => clock.now) }
}

it('request figures are empty without requests', () => {
  expect(figures().of.within(FIVE)).toEqual({ per_minute: 0, p95_ms: null })
})

it('a process that just started is measured over a minute, not over a second', () => {
  const { of } = figures()
  for (let sent = 0; sent < 30; sent += 1) of.note(4)
  expect(of.within(FIVE).per_minute).toBe(30)
})

it('the rate is that of the period, and requests before it do not count', () => {
  const { clock, of } = figures()
  for (let minute = 0; minute < 55; minute += 1) {
    for (let sent = 0; sent < 60; sent += 1) of.note(4)
    clock.now += MINUTE_MS
  }
  clock.now += 5 * MINUTE_MS - 10_000
  expect(of.within(FIVE)).toEqual({ per_minute: 0, p95_ms: null })
  expect(of.within(HOUR).per_minute).toBeCloseTo((55 * 60) / (60 - 1 / 6), 0)
  clock.now += 2 * HOUR
  expect(of.within(HOUR)).toEqual({ per_minute: 0, p95_ms: null })
})

it('the 95th percentile is interpolated within its bucket', () => {
  const { of } = figures()
  for (let sent = 0; sent < 90; sent += 1) of.note(0.5)
  for (let sent = 0; sent < 10; sent += 1) of.note(80)
  expect(of.within(FIVE).p95_ms).toBe(75)
})

it('a request longer than every bucket counts as the longest', () => {
  const { of } = figures()
  of.note(3_600_000)
  expect(of.within(FIVE).p95_ms).toBe(60_000)
})

it('a clock that is set back does not mix two periods', () => {
  const { clock, of } = figures()
  of.note(4)
  clock.now -= HOUR
  of.note(4)
  expect(of.within(FIVE).per_minute).toBe(1)
})
