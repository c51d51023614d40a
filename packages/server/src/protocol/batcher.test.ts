/** What a batcher guarantees to its callers. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Batcher } from './batcher.ts'

/** One poll after a millisecond. */
const AT_ONCE = { pollMs: 1, maxPolls: 1, minBatch: 10, maxBatch: 10 }
/** Polls so late that only a full batch starts. */
const WHEN_FULL = { pollMs: 3_600_000, maxPolls: 1, minBatch: 2, maxBatch: 2 }

describe('a batcher', () => {
  it('does items that arrive together in one batch, and resolves each to its own outcome', async () => {
    const batcher = new Batcher<number, number>(AT_ONCE)
    const batches: (readonly number[])[] = []
    const double = async (all: readonly number[]) => {
      batches.push(all)
      return all.map((one) => 2 * one)
    }
    expect(await Promise.all([1, 2, 3].map((one) => batcher.add(one, double)))).toEqual([2, 4, 6])
    expect(await batcher.add(4, double)).toBe(8)
    expect(batches).toEqual([[1, 2, 3], [4]])
  })

  describe('polls for more items', () => {
    const POLL_MS = 100
    /** The batches of items added so many milliseconds after the first. */
    const batchesOf = async (
      afterMs: readonly number[],
      { maxPolls, minBatch }: { maxPolls: number; minBatch: number },
    ) => {
      vi.useFakeTimers()
      const batcher = new Batcher<number, number>({ pollMs: POLL_MS, maxPolls, minBatch, maxBatch: 100 })
      const batches: (readonly number[])[] = []
      const keep = async (all: readonly number[]) => {
        batches.push(all)
        return all
      }
      for (const ms of afterMs) setTimeout(() => void batcher.add(ms, keep), ms)
      await vi.advanceTimersByTimeAsync(10_000)
      return batches
    }
    afterEach(() => void vi.useRealTimers())

    it('and a batch waits while items arrive between two polls', async () => {
      expect(await batchesOf([0, 50, 150, 250, 500], { maxPolls: 9, minBatch: 9 })).toEqual([
        [0, 50, 150, 250],
        [500],
      ])
    })

    it('and a single item starts a batch at the first poll', async () => {
      expect(await batchesOf([0, 101], { maxPolls: 9, minBatch: 9 })).toEqual([[0], [101]])
    })

    it('and a batch of the minimum size starts at the next poll', async () => {
      expect(await batchesOf([0, 50, 150], { maxPolls: 9, minBatch: 2 })).toEqual([[0, 50], [150]])
    })

    it('and a batch starts at the last poll although items still arrive', async () => {
      expect(await batchesOf([0, 50, 150, 250], { maxPolls: 2, minBatch: 9 })).toEqual([[0, 50, 150], [250]])
    })
  })

  it('starts a full batch at once', async () => {
    const batcher = new Batcher<number, number>(WHEN_FULL)
    const same = async (all: readonly number[]) => all
    expect(await Promise.all([1, 2, 3, 4].map((one) => batcher.add(one, same)))).toEqual([1, 2, 3, 4])
  })

  it('rejects every item of a batch that fails, and none of the next', async () => {
    const batcher = new Batcher<number, number>(WHEN_FULL)
    const failing = async (): Promise<number[]> => {
      throw new Error('no disk')
    }
    const outcomes = await Promise.allSettled([1, 2].map((one) => batcher.add(one, failing)))
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await Promise.all([3, 4].map((one) => batcher.add(one, async (all) => all)))).toEqual([3, 4])
  })
})
