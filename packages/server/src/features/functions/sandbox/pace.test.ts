/** Tests which accounts may use the processes reserved for quick calls. */
import { describe, expect, test, vi } from 'vitest'
import { Pace } from './pace.ts'

const quick = { ms: 1, isStopped: false }
const slow = { ms: 30, isStopped: false }
const stopped = { ms: 0, isStopped: true }

describe('for scheduling, an account', () => {
  test.each([
    ['without calls is not quick', [], false],
    ['with one slow call is not quick', [slow], false],
    ['with one quick call is quick', [quick], true],
    ['with a slow call and then a quick one is quick', [slow, quick], true],
    ['with two slow calls within a minute is not quick', [quick, slow, slow], false],
    ['with a stopped call is not quick', [quick, stopped, quick], false],
  ])('%s', (_, calls, isQuick) => {
    const pace = new Pace()
    for (const call of calls) pace.note('a', call)
    expect(pace.isQuick('a')).toBe(isQuick)
    expect(pace.isQuick('b')).toBe(false)
  })

  test.each([
    ['one minute after being slow', [slow, slow], []],
    ['with its first quick call one minute after a stopped one', [stopped], [quick]],
  ])('is quick again %s', (_, before, after) => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const pace = new Pace()
      for (const call of [quick, ...before]) pace.note('a', call)
      vi.advanceTimersByTime(59_999)
      expect(pace.isQuick('a')).toBe(false)
      vi.advanceTimersByTime(1)
      expect(pace.isQuick('a')).toBe(after.length === 0)
      for (const call of after) pace.note('a', call)
      expect(pace.isQuick('a')).toBe(true)
    } finally {
      vi.useRealTimers()
    }
  })
})
