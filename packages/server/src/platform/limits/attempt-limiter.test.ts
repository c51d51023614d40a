/** Attempt limits with a test clock, and the grouping of addresses by caller. */
import { describe, expect, it } from 'vitest'
import { AttemptLimiter } from './attempt-limiter.ts'
import { networkOf } from './networks.ts'

const NOW = 1_000_000

describe('attempt limits', () => {
  it('allows a burst, then the steady rate, and the burst again after a pause', async () => {
    const limits = new AttemptLimiter(1, undefined)
    const take = (now: number) => limits.takeAttempt('leases', 'a', now)
    for (let i = 0; i < 20; i++) expect(await take(NOW)).toBe(0)
    expect(await take(NOW)).toBe(1000)
    expect(await take(NOW + 400)).toBe(600)
    for (let i = 1; i <= 5; i++)
      expect([await take(NOW + i * 1000), await take(NOW + i * 1000)]).toEqual([0, 1000])
    for (let i = 0; i < 20; i++) expect(await take(NOW + 60_000)).toBe(0)
    expect(await take(NOW + 60_000)).toBe(1000)
  })

  it('does not count refunded attempts, and never allows more than the burst', async () => {
    const limits = new AttemptLimiter(1, undefined)
    const take = (now: number) => limits.takeAttempt('passwordEmail', 'a', now)
    for (let i = 0; i < 100; i++) {
      expect(await take(NOW + i)).toBe(0)
      await limits.giveBack('passwordEmail', 'a', NOW + i)
    }
    await limits.giveBack('passwordEmail', 'a', NOW + 100)
    for (let i = 0; i < 5; i++) expect(await take(NOW + 100)).toBe(0)
    expect(await take(NOW + 100)).toBeGreaterThan(0)
  })

  it('counts callers and kinds of attempts independently', async () => {
    const limits = new AttemptLimiter(1, undefined)
    for (let i = 0; i < 10; i++) await limits.takeAttempt('execKey', 'a', NOW)
    expect(await limits.takeAttempt('execKey', 'a', NOW)).toBeGreaterThan(0)
    expect(await limits.takeAttempt('execKey', 'b', NOW)).toBe(0)
    expect(await limits.takeAttempt('execDevice', 'a', NOW)).toBe(0)
  })

  it('scales limits by a factor, and zero disables them', async () => {
    const twice = new AttemptLimiter(2, undefined)
    for (let i = 0; i < 20; i++) expect(await twice.takeAttempt('execKey', 'a', NOW)).toBe(0)
    expect(await twice.takeAttempt('execKey', 'a', NOW)).toBe(3000)
    const off = new AttemptLimiter(0, undefined)
    for (let i = 0; i < 1000; i++) expect(await off.takeAttempt('execKey', 'a', NOW)).toBe(0)
    for (let i = 0; i < 10; i++) expect(await off.countWrongKey('a', NOW)).toBe(0)
    expect(await off.pauseOf('a', NOW)).toBe(0)
  })

  it('pauses after the fifth wrong key within ten minutes, not after four', async () => {
    const limits = new AttemptLimiter(1, undefined)
    for (let i = 0; i < 4; i++) await limits.countWrongKey('a', NOW)
    expect(await limits.pauseOf('a', NOW)).toBe(0)
    for (let i = 0; i < 4; i++) await limits.countWrongKey('a', NOW + 600_000)
    expect(await limits.pauseOf('a', NOW + 600_000)).toBe(0)
    expect(await limits.countWrongKey('a', NOW + 600_001)).toBe(900_000)
    expect(await limits.pauseOf('a', NOW + 600_001)).toBe(900_000)
    expect(await limits.pauseOf('b', NOW + 600_001)).toBe(0)
    expect(await limits.pauseOf('a', NOW + 1_500_001)).toBe(0)
  })

  it('starts a pause once, and again after it has ended', async () => {
    const limits = new AttemptLimiter(1, undefined)
    const begun = async (now: number) => {
      const all = await Promise.all(Array.from({ length: 10 }, () => limits.countWrongKey('a', now)))
      return all.filter((ms) => ms > 0)
    }
    expect(await begun(NOW)).toEqual([900_000])
    expect(await begun(NOW + 1_000_000)).toEqual([900_000])
  })

  it('bounds its memory by dropping the oldest callers', async () => {
    const limits = new AttemptLimiter(1, undefined)
    for (let i = 0; i < 10; i++) await limits.takeAttempt('execKey', 'first', NOW)
    for (let i = 0; i < 100_000; i++) await limits.takeAttempt('execKey', `other ${i}`, NOW)
    expect(await limits.takeAttempt('execKey', 'first', NOW)).toBe(0)
  })
})

describe('one caller', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('%s is counted as %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
