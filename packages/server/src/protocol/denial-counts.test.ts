/** The bound on told denials, over a clock that the test moves. */
import { describe, expect, it } from 'vitest'
import { DenialCounts } from './denial-counts.ts'

const NOW = 1_767_323_045_678

describe('denials that owners are told of', () => {
  it('are sixty a minute, and the first of the next minute says how many were left out', () => {
    const counts = new DenialCounts(60)
    const taken = Array.from({ length: 100 }, () => counts.take('prj_1', NOW))
    expect(taken.filter((one) => one === 0)).toHaveLength(60)
    expect(taken.slice(60).every((one) => one === undefined)).toBe(true)
    expect(counts.take('prj_1', NOW + 59_999)).toBeUndefined()
    expect(counts.take('prj_1', NOW + 60_000)).toBe(41)
    expect(counts.take('prj_1', NOW + 60_000)).toBe(0)
  })

  it('of one project take nothing from another', () => {
    const counts = new DenialCounts(60)
    for (let i = 0; i < 100; i += 1) counts.take('prj_1', NOW)
    expect(counts.take('prj_2', NOW)).toBe(0)
  })

  it('are told again after the clock was set back', () => {
    const counts = new DenialCounts(60)
    for (let i = 0; i < 100; i += 1) counts.take('prj_1', NOW)
    expect(counts.take('prj_1', NOW - 3_600_000)).toBe(40)
  })
})
