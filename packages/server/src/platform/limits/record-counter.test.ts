/** The limit on recorded denials, with a fixed clock. */
import { describe, expect, it } from 'vitest'
import { RecordCounter } from './record-counter.ts'

const NOW = 1_767_323_045_678

describe('records of denials', () => {
  it('are limited to sixty per minute, and the next minute reports how many were skipped', () => {
    const counts = new RecordCounter(60)
    const taken = Array.from({ length: 100 }, () => counts.count('prj_1', NOW))
    expect(taken.filter((one) => one === 0)).toHaveLength(60)
    expect(taken.slice(60).every((one) => one === undefined)).toBe(true)
    expect(counts.count('prj_1', NOW + 59_999)).toBeUndefined()
    expect(counts.count('prj_1', NOW + 60_000)).toBe(41)
    expect(counts.count('prj_1', NOW + 60_000)).toBe(0)
  })

  it('are counted separately for each project', () => {
    const counts = new RecordCounter(60)
    for (let i = 0; i < 100; i += 1) counts.count('prj_1', NOW)
    expect(counts.count('prj_2', NOW)).toBe(0)
  })

  it('support other window lengths', () => {
    const counts = new RecordCounter(1, 900_000)
    expect([counts.count('a', NOW), counts.count('a', NOW + 899_999)]).toEqual([0, undefined])
    expect(counts.count('a', NOW + 900_000)).toBe(1)
  })

  it('continue after the clock was set back', () => {
    const counts = new RecordCounter(60)
    for (let i = 0; i < 100; i += 1) counts.count('prj_1', NOW)
    expect(counts.count('prj_1', NOW - 3_600_000)).toBe(40)
  })
})
