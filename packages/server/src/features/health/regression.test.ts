import { describe, expect, it } from 'vitest'
import type { VersionHealth } from './health.ts'
import { findRegression } from './regression.ts'

const NOW = 1_790_000_000_000
const DAY = 86_400_000

function health(
  version: number,
  customers: number,
  crashed_customers: number,
  at = NOW - DAY,
): VersionHealth {
  const counts = { runs: customers, crashed: crashed_customers, vanished: 0, denied: 0 }
  const shares = { crash_free_runs: null, crash_free_customers: null }
  const common = { ...counts, ...shares, customers, crashed_customers }
  const executors = [{ executor: 'Wave', ...common }]
  return { version, ...common, executors, days: [{ at, ...counts }] }
}

const of = (live: number, ...versions: VersionHealth[]) => findRegression(versions.reverse(), [live], NOW)

describe('a version that makes customers crash', () => {
  it('is found with its customers, executor and both crash-free shares', () => {
    const two = health(2, 100, 12)
    const [wave] = two.executors
    if (!wave) throw new Error('no executor')
    const split = [
      { ...wave, crashed_customers: 7 },
      { ...wave, executor: 'Lua', crashed_customers: 5 },
    ]
    const expected = {
      ...{ version: 2, previous_version: 1, since: NOW - DAY },
      ...{ customers: 12, executor: 'Wave', share: 0.12, share_before: 0.01 },
    }
    expect(of(2, health(1, 200, 2), two)).toEqual(expected)
    expect(of(2, health(1, 200, 2), { ...two, executors: split })).toMatchObject({ executor: null })
  })

  it('may still be in a release', () => {
    const versions = [health(2, 20, 5), health(1, 200, 2)]
    expect(findRegression(versions, [1], NOW)).toBeNull()
    expect(findRegression(versions, [1, 2], NOW)).toMatchObject({ version: 2, customers: 5 })
  })

  it('is compared with the last version that enough customers ran', () => {
    expect(of(3, health(1, 200, 60), health(2, 5, 0), health(3, 100, 40))).toBeNull()
  })

  it('is never one that has few crashes or no predecessor, or is hardly worse, old or replaced', () => {
    const one = health(1, 200, 2)
    expect(of(2, one, health(2, 10, 2))).toBeNull()
    expect(of(1, health(1, 100, 50))).toBeNull()
    expect(of(2, health(1, 200, 20), health(2, 200, 39))).toBeNull()
    expect(of(2, one, health(2, 100, 12, NOW - 8 * DAY))).toBeNull()
    expect(of(3, one, health(2, 100, 12), health(3, 100, 1))).toBeNull()
  })
})
