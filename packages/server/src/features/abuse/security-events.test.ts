/** Callers cannot flood the log with the events that they cause. */
import { expect, test } from 'vitest'
import { openLimits } from '../../platform/limits/limits.ts'
import { report, reportLimit } from './security-events.ts'

const MINUTE_MS = 60_000

function reporting() {
  const lines: Readonly<Record<string, unknown>>[] = []
  const clock = { now: 1_767_323_045_678 }
  const write = (members: Readonly<Record<string, unknown>>) => void lines.push(members)
  const limits = openLimits(0, undefined)
  return { lines, clock, deps: { now: () => clock.now, limits, log: { info: write, warn: write } } }
}
const refused = (network: string) => ({ person: null, network, why: 'wrong_password' })

test('a network gets thirty records per event and minute, and the next record counts the skipped ones', () => {
  const { lines, clock, deps } = reporting()
  for (let n = 0; n < 1000; n += 1) report(deps, 'sign_in_refused', refused('192.0.2.7'))
  expect(lines).toHaveLength(30)
  report(deps, 'sign_in_refused', refused('198.51.100.1'))
  report(deps, 'second_factor_refused', refused('192.0.2.7'))
  expect(lines).toHaveLength(32)
  clock.now += MINUTE_MS
  report(deps, 'sign_in_refused', refused('192.0.2.7'))
  expect(lines.at(-1)).toEqual({ event: 'sign_in_refused', ...refused('192.0.2.7'), skipped: 970 })
})

test('the thousands of IPv6 networks available to one caller count as one', () => {
  const { lines, deps } = reporting()
  for (let n = 0; n < 1000; n += 1)
    report(deps, 'sign_in_refused', refused(`2001:db8:1:${n.toString(16)}::/64`))
  for (let n = 0; n < 1000; n += 1) reportLimit(deps, 'authAddress', `2001:db8:2:${n.toString(16)}::1`)
  expect(lines).toHaveLength(31)
})
