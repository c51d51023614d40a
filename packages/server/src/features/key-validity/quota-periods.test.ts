/** Quota periods end at midnight, on Mondays, and on the first of each month, all in UTC. */
import { describe, expect, it } from 'vitest'
import { endOfPeriod } from './quota-periods.ts'

const at = (text: string) => Date.parse(text)

describe('a quota starts again', () => {
  it.each([
    ['day', '2026-11-25T00:00:00Z', '2026-11-26T00:00:00Z'],
    ['day', '2026-11-25T23:59:59.999Z', '2026-11-26T00:00:00Z'],
    ['day', '2028-02-28T12:00:00Z', '2028-02-29T00:00:00Z'],
    ['week', '2026-11-23T00:00:00Z', '2026-11-30T00:00:00Z'],
    ['week', '2026-11-29T23:59:59Z', '2026-11-30T00:00:00Z'],
    ['week', '2026-12-30T10:00:00Z', '2027-01-04T00:00:00Z'],
    ['month', '2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00Z'],
    ['month', '2028-02-29T00:00:00Z', '2028-03-01T00:00:00Z'],
    ['month', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'],
  ] as const)('for the period %s at the next boundary after %s', (period, from, to) => {
    expect(new Date(endOfPeriod(period, at(from))).toISOString()).toBe(new Date(to).toISOString())
  })
})
