/** What a gathering guarantees those who come to it. */
import { describe, expect, it } from 'vitest'
import { Gathering } from './gathering.ts'

/** Longer than any test: only a full gathering begins. */
const NEVER_MS = 3_600_000

describe('a gathering', () => {
  it('does what came together in one go, and answers each with its own', async () => {
    const gathering = new Gathering<number, number>(1, 10)
    const parts: (readonly number[])[] = []
    const double = async (all: readonly number[]) => {
      parts.push(all)
      return all.map((one) => 2 * one)
    }
    expect(await Promise.all([1, 2, 3].map((one) => gathering.add(one, double)))).toEqual([2, 4, 6])
    expect(await gathering.add(4, double)).toBe(8)
    expect(parts).toEqual([[1, 2, 3], [4]])
  })

  it('waits no longer when it is full', async () => {
    const gathering = new Gathering<number, number>(NEVER_MS, 2)
    const same = async (all: readonly number[]) => all
    expect(await Promise.all([1, 2, 3, 4].map((one) => gathering.add(one, same)))).toEqual([1, 2, 3, 4])
  })

  it('that fails fails for all of it, and for nobody after', async () => {
    const gathering = new Gathering<number, number>(NEVER_MS, 2)
    const failing = async (): Promise<number[]> => {
      throw new Error('no disk')
    }
    const outcomes = await Promise.allSettled([1, 2].map((one) => gathering.add(one, failing)))
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await Promise.all([3, 4].map((one) => gathering.add(one, async (all) => all)))).toEqual([3, 4])
  })
})
