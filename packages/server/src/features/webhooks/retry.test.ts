/** The retry schedule in numbers: every wait, its jitter, and how the receiver's response affects it. */
import { describe, expect, it } from 'vitest'
import { backoffMs, DAY_MS, type Format, isPauseDue, judge, readRetryAfter } from './retry.ts'

const MIDDLE = 0.5
const failed = { error: 'no connection' }

function waits(format: Format, chance: number): number[] {
  const found: number[] = []
  for (let attempts = 1; ; attempts += 1) {
    const verdict = judge(format, failed, { attempts, chance })
    if (verdict.is !== 'retry') return found
    found.push(verdict.waitMs / 1000)
  }
}

describe('the retry schedule', () => {
  it('of the generic form has ten attempts in three days', () => {
    expect(waits('generic', MIDDLE)).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400])
  })

  it('of the Discord form has four attempts within minutes', () => {
    expect(waits('chat', MIDDLE)).toEqual([5, 60, 300])
  })

  it('varies by at most a fifth', () => {
    expect(waits('chat', 0)).toEqual([4, 48, 240])
    expect(waits('chat', 1)).toEqual([6, 72, 360])
  })

  it('ends with any response from 200 to 299', () => {
    for (const status of [200, 204, 299])
      expect(judge('generic', { status }, { attempts: 1, chance: 0 }).is).toBe('delivered')
    for (const status of [100, 199, 301, 302, 307, 400, 404, 500, 599])
      expect(judge('generic', { status }, { attempts: 1, chance: 0 }).is).toBe('retry')
  })

  it('ends for an endpoint that reports that it is gone, which each form does differently', () => {
    const verdicts = (format: Format) =>
      [401, 404, 410].map((status) => judge(format, { status }, { attempts: 1, chance: 0 }).is)
    expect(verdicts('generic')).toEqual(['retry', 'retry', 'gone'])
    expect(verdicts('chat')).toEqual(['gone', 'gone', 'retry'])
  })

  it("respects a receiver's Retry-After, up to an hour", () => {
    const asked = (format: Format, retryAfterMs?: number) =>
      judge(format, { status: 429, retryAfterMs }, { attempts: 1, chance: MIDDLE })
    expect(asked('generic', 120_000)).toEqual({
      is: 'retry',
      waitMs: 120_000,
      holdMs: 120_000,
      isCounted: true,
    })
    expect(asked('chat', 1500)).toEqual({ is: 'retry', waitMs: 1500, holdMs: 1500, isCounted: false })
    expect(asked('generic', DAY_MS)).toMatchObject({ waitMs: 3_600_000 })
    expect(asked('generic')).toMatchObject({ waitMs: 5000 })
    expect(judge('generic', { status: 429 }, { attempts: 10, chance: 0 }).is).toBe('failed')
  })

  it('reads Retry-After in seconds, as a date and in the Discord form', () => {
    const now = Date.UTC(2026, 0, 2, 3, 4, 5)
    expect(readRetryAfter('7', '', now)).toBe(7000)
    expect(readRetryAfter('Fri, 02 Jan 2026 03:05:05 GMT', '', now)).toBe(60_000)
    expect(readRetryAfter('Fri, 02 Jan 2026 03:00:00 GMT', '', now)).toBe(0)
    expect(readRetryAfter('60', '{"message":"…","retry_after":0.25}', now)).toBe(250)
    expect(readRetryAfter(undefined, 'nothing', now)).toBeUndefined()
    expect(readRetryAfter('soon', '', now)).toBeUndefined()
  })

  it('backs off from a failing endpoint, up to five minutes', () => {
    expect([1, 2, 3, 6, 7, 50].map((failures) => backoffMs(failures, MIDDLE))).toEqual([
      5000, 10_000, 20_000, 160_000, 300_000, 300_000,
    ])
  })

  it('pauses an endpoint after both five days and ten failures', () => {
    expect(isPauseDue(0, 10, 5 * DAY_MS)).toBe(true)
    expect(isPauseDue(0, 9, 50 * DAY_MS)).toBe(false)
    expect(isPauseDue(0, 99, 5 * DAY_MS - 1)).toBe(false)
  })
})
