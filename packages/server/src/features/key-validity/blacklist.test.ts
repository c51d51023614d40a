/** Tests when a blacklist entry applies, and when an account's scripts can run. */
import { describe, expect, it } from 'vitest'
import { isActive, isBlacklisted, isOwnerServed } from './blacklist.ts'

const NOW = 1_000_000

describe('a blacklist', () => {
  it.each([
    [0, null, false],
    [0, NOW + 1, false],
    [1, null, true],
    [1, NOW + 1, true],
    [1, NOW, false],
    [1, NOW - 1, false],
  ])(
    'with blacklisted %s and blacklist_expires %s applies: %s',
    (blacklisted, blacklist_expires, applies) => {
      expect(isBlacklisted({ blacklisted, blacklist_expires }, NOW)).toBe(applies)
      const blacklist = blacklisted === 1 ? { reason: null, expires: blacklist_expires } : undefined
      expect(isActive(blacklist, NOW)).toBe(applies)
    },
  )
})

describe("an account's scripts", () => {
  it.each([
    ['run until the account expires', NOW + 1, 0, null, true],
    ['run in the grace period after the account expires', NOW - 99, 0, null, true],
    ['stop when the grace period ends', NOW - 100, 0, null, false],
    ['do not run while it is blacklisted', NOW + 1, 1, null, false],
    ['run again after its blacklist ends', NOW + 1, 1, NOW, true],
  ] as const)('%s', (...[, plan_expires, blacklisted, blacklist_expires, isServed]) => {
    const owner = { plan_expires, blacklisted, blacklist_expires }
    expect(isOwnerServed(owner, { now: NOW, graceMs: 100 })).toBe(isServed)
  })
})
