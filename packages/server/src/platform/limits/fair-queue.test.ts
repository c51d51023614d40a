/** The order of turns in the queue. The tests decide when work completes. */
import { describe, expect, test } from 'vitest'
import { FairQueue } from './fair-queue.ts'

const LIMITS = { places: 2, runningEach: 1, waitingEach: 3 }

/** Waits until all pending work is done. */
const settled = () => new Promise(setImmediate)

/** Records when work begins. `end` completes it. */
function recorder(queue: FairQueue) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const run = (owner: string, name: string, signal?: AbortSignal) =>
    queue.run(
      owner,
      () =>
        new Promise<string>((resolve) => {
          begun.push(name)
          ends.set(name, () => resolve(name))
        }),
      signal,
    )
  const end = async (name: string) => {
    await settled()
    ends.get(name)?.()
    await settled()
  }
  return { begun, run, end }
}

describe('a fair queue', () => {
  test('runs one job per owner, and the next once it has ended', async () => {
    const { begun, run, end } = recorder(new FairQueue(LIMITS))
    const all = [run('a', 'a1'), run('a', 'a2'), run('b', 'b1')]
    await settled()
    expect(begun).toEqual(['a1', 'b1'])
    await end('a1')
    expect(begun).toEqual(['a1', 'b1', 'a2'])
    await end('a2')
    await end('b1')
    expect(await Promise.all(all)).toEqual([{ done: 'a1' }, { done: 'a2' }, { done: 'b1' }])
  })

  test("runs a job of another owner before the first owner's second", async () => {
    const { begun, run, end } = recorder(new FairQueue({ ...LIMITS, places: 1 }))
    for (const name of ['a1', 'a2', 'a3']) void run('a', name)
    for (const name of ['b1', 'b2']) void run('b', name)
    for (const name of ['a1', 'b1', 'a2', 'b2', 'a3']) await end(name)
    expect(begun).toEqual(['a1', 'b1', 'a2', 'b2', 'a3'])
  })

  test("rejects jobs beyond an owner's share without affecting others", async () => {
    const { run, end } = recorder(new FairQueue(LIMITS))
    for (const name of ['a1', 'a2', 'a3', 'a4']) void run('a', name)
    expect(await run('a', 'a5')).toEqual({ refused: 'full' })
    const other = run('b', 'b1')
    await end('b1')
    expect(await other).toEqual({ done: 'b1' })
  })

  test("drops a queued job when its caller disconnects, which frees the owner's share", async () => {
    const queue = new FairQueue({ ...LIMITS, waitingEach: 1 })
    const { begun, run, end } = recorder(queue)
    const gone = new AbortController()
    void run('a', 'a1')
    const dropped = run('a', 'a2', gone.signal)
    gone.abort()
    expect(await dropped).toEqual({ refused: 'aborted' })
    void run('a', 'a3')
    await end('a1')
    expect(begun).toEqual(['a1', 'a3'])
    await end('a3')
    expect(queue.load()).toEqual({ running: 0, waiting: 0 })
  })

  test('frees the slot when the work throws', async () => {
    const queue = new FairQueue(LIMITS)
    await expect(queue.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    expect(queue.load()).toEqual({ running: 0, waiting: 0 })
    expect(await queue.run('a', () => Promise.resolve(1))).toEqual({ done: 1 })
  })

  test('when the queue is full, drops the newest job of the owner with the most queued', async () => {
    const queue = new FairQueue({ ...LIMITS, places: 1, waiting: 4 })
    const { begun, run, end } = recorder(queue)
    const [, a2, a3, a4] = ['a1', 'a2', 'a3', 'a4'].map((name) => run('a', name))
    const b1 = run('b', 'b1')
    expect(queue.load().waiting).toBe(4)
    const c1 = run('c', 'c1')
    expect(await a4).toEqual({ refused: 'full' })
    expect(queue.load().waiting).toBe(4)
    for (const name of ['a1', 'b1', 'c1', 'a2', 'a3']) await end(name)
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'a3'])
    expect(await Promise.all([a2, a3, b1, c1])).toHaveLength(4)
  })

  test('when the queue is full, rejects a job of an owner who would have the most queued', async () => {
    const queue = new FairQueue({ ...LIMITS, places: 1, waiting: 2 })
    const { run, end } = recorder(queue)
    void run('a', 'a1')
    void run('a', 'a2')
    void run('b', 'b1')
    expect(await run('c', 'c1')).toEqual({ refused: 'full' })
    for (const name of ['a1', 'b1', 'a2']) await end(name)
    expect(queue.load()).toEqual({ running: 0, waiting: 0 })
  })
})
