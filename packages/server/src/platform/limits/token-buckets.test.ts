/** Token buckets with a fixed clock. */
import { describe, expect, it } from 'vitest'
import { type Rate, scaled, TokenBuckets } from './token-buckets.ts'

const NOW = 1_000_000_000_000
const RATE: Rate = { perSecond: 3, burst: 4 }

describe('a token bucket', () => {
  const drained = () => {
    const buckets = new TokenBuckets()
    for (let n = 0; n < RATE.burst; n += 1) buckets.takeToken('a', RATE, NOW)
    return buckets
  }

  it('reports the tokens left, when it will be full, and how long to wait', () => {
    const buckets = new TokenBuckets()
    const taken = Array.from({ length: 5 }, () => buckets.takeToken('a', RATE, NOW))
    expect(taken.map(({ left }) => left)).toEqual([3, 2, 1, 0, 0])
    expect(taken.map(({ waitMs }) => waitMs)).toEqual([0, 0, 0, 0, 334])
    expect(taken.map(({ fullInMs }) => Math.round(fullInMs))).toEqual([333, 667, 1000, 1333, 1333])
  })

  it('never exceeds its rate, regardless of the request pattern', () => {
    const buckets = new TokenBuckets()
    let given = 0
    for (let ms = 0; ms <= 60_000; ms += 7)
      if (buckets.takeToken('a', RATE, NOW + ms).waitMs === 0) given += 1
    expect(given).toBeLessThanOrEqual(RATE.burst + 60 * RATE.perSecond)
    expect(given).toBeGreaterThanOrEqual(RATE.burst + 60 * RATE.perSecond - 1)
  })

  it('refills at its rate after the clock was set back', () => {
    const buckets = drained()
    const back = NOW - 86_400_000
    expect(buckets.takeToken('a', RATE, back).waitMs).toBe(334)
    expect(buckets.takeToken('a', RATE, back + 334).waitMs).toBe(0)
  })

  it('takes several tokens at once or none, and the full bucket when the cost is higher', () => {
    const buckets = new TokenBuckets()
    expect(buckets.takeToken('a', RATE, NOW, 3)).toMatchObject({ waitMs: 0, left: 1 })
    expect(buckets.takeToken('a', RATE, NOW, 2)).toMatchObject({ waitMs: 334, left: 1 })
    expect(buckets.takeToken('a', RATE, NOW + 334, 2)).toMatchObject({ waitMs: 0, left: 0 })
    expect(buckets.takeToken('b', RATE, NOW, 100)).toMatchObject({ waitMs: 0, left: 0 })
  })

  it('is full again for a dropped caller', () => {
    const buckets = drained()
    buckets.forget('a')
    expect(buckets.takeToken('a', RATE, NOW).left).toBe(3)
  })

  it('keeps at least one token at the smallest factor', () => {
    expect(scaled(RATE, 0.01)).toEqual({ perSecond: 0.03, burst: 1 })
  })
})
