/** Guarantees of the batcher: when batches begin, and what each caller gets. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Batcher } from './batcher.ts'

/** Every batch begins after one short poll. */
const AT_ONCE = { pollMs: 1, maxPolls: 1, minBatch: 10, maxBatch: 10 }
/** Polls so rarely that a batch begins only when it is full. */
const WHEN_FULL = { pollMs: 3_600_000, maxPolls: 1, minBatch: 2, maxBatch: 2 }

describe('a batcher', () => {
  it('processes waiting items in one batch and returns each its own outcome', async () => {
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

  describe('with polls', () => {
    const POLL_MS = 100
    /** Returns the batches formed from items that are added at these times, in milliseconds. */
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

    it('waits while items arrive between two polls', async () => {
      expect(await batchesOf([0, 50, 150, 250, 500], { maxPolls: 9, minBatch: 9 })).toEqual([
        [0, 50, 150, 250],
        [500],
      ])
    })

    it('processes a single item after one poll', async () => {
      expect(await batchesOf([0, 101], { maxPolls: 9, minBatch: 9 })).toEqual([[0], [101]])
    })

    it('begins a batch at the poll that finds enough items', async () => {
      expect(await batchesOf([0, 50, 150], { maxPolls: 9, minBatch: 2 })).toEqual([[0, 50], [150]])
    })

    it('begins a batch at the last poll, even while items arrive', async () => {
      expect(await batchesOf([0, 50, 150, 250], { maxPolls: 2, minBatch: 9 })).toEqual([[0, 50, 150], [250]])
    })
  })

  it('begins a full batch immediately', async () => {
    const batcher = new Batcher<number, number>(WHEN_FULL)
    const same = async (all: readonly number[]) => all
    expect(await Promise.all([1, 2, 3, 4].map((one) => batcher.add(one, same)))).toEqual([1, 2, 3, 4])
  })

  it('rejects all items of a failed batch but none of the next', async () => {
    const batcher = new Batcher<number, number>(WHEN_FULL)
    const failing = async (): Promise<number[]> => {
      throw new Error('no disk')
    }
    const outcomes = await Promise.allSettled([1, 2].map((one) => batcher.add(one, failing)))
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await Promise.all([3, 4].map((one) => batcher.add(one, async (all) => all)))).toEqual([3, 4])
  })
})
