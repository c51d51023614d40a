/** What a gathering guarantees those who come to it. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Gathering } from './gathering.ts'

/** One look, for which nobody waits in a test. */
const AT_ONCE = { lookMs: 1, looks: 1, enough: 10, most: 10 }
/** Looks so late that only a full gathering begins. */
const WHEN_FULL = { lookMs: 3_600_000, looks: 1, enough: 2, most: 2 }

describe('a gathering', () => {
  it('does what came together in one go, and answers each with its own', async () => {
    const gathering = new Gathering<number, number>(AT_ONCE)
    const parts: (readonly number[])[] = []
    const double = async (all: readonly number[]) => {
      parts.push(all)
      return all.map((one) => 2 * one)
    }
    expect(await Promise.all([1, 2, 3].map((one) => gathering.add(one, double)))).toEqual([2, 4, 6])
    expect(await gathering.add(4, double)).toBe(8)
    expect(parts).toEqual([[1, 2, 3], [4]])
  })

  describe('looks who has come', () => {
    const LOOK_MS = 100
    /** In which parts those were done who came so many milliseconds after the first, if at most `looks` are made. */
    const partsOf = async (
      afterMs: readonly number[],
      { looks, enough }: { looks: number; enough: number },
    ) => {
      vi.useFakeTimers()
      const gathering = new Gathering<number, number>({ lookMs: LOOK_MS, looks, enough, most: 100 })
      const parts: (readonly number[])[] = []
      const keep = async (all: readonly number[]) => {
        parts.push(all)
        return all
      }
      for (const ms of afterMs) setTimeout(() => void gathering.add(ms, keep), ms)
      await vi.advanceTimersByTimeAsync(10_000)
      return parts
    }
    afterEach(() => void vi.useRealTimers())

    it('and goes on waiting while somebody comes between two looks', async () => {
      expect(await partsOf([0, 50, 150, 250, 500], { looks: 9, enough: 9 })).toEqual([
        [0, 50, 150, 250],
        [500],
      ])
    })

    it('and begins with whoever is alone after the first one', async () => {
      expect(await partsOf([0, 101], { looks: 9, enough: 9 })).toEqual([[0], [101]])
    })

    it('and begins when enough are there', async () => {
      expect(await partsOf([0, 50, 150], { looks: 9, enough: 2 })).toEqual([[0, 50], [150]])
    })

    it('and begins after the last look, whoever still comes', async () => {
      expect(await partsOf([0, 50, 150, 250], { looks: 2, enough: 9 })).toEqual([[0, 50, 150], [250]])
    })
  })

  it('waits no longer when it is full', async () => {
    const gathering = new Gathering<number, number>(WHEN_FULL)
    const same = async (all: readonly number[]) => all
    expect(await Promise.all([1, 2, 3, 4].map((one) => gathering.add(one, same)))).toEqual([1, 2, 3, 4])
  })

  it('that fails fails for all of it, and for nobody after', async () => {
    const gathering = new Gathering<number, number>(WHEN_FULL)
    const failing = async (): Promise<number[]> => {
      throw new Error('no disk')
    }
    const outcomes = await Promise.allSettled([1, 2].map((one) => gathering.add(one, failing)))
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await Promise.all([3, 4].map((one) => gathering.add(one, async (all) => all)))).toEqual([3, 4])
  })
})
