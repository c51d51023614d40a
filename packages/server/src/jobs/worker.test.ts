/** The loop that runs every job, with time controlled by the tests. */
import { describe, expect, it } from 'vitest'
import { type Pace, startWorkers, type Worker } from './worker.ts'

/** Creates a {@link Pace} whose time passes only when a test advances it. */
function pausedPace(chance = 0) {
  const pauses: number[] = []
  const failures: string[] = []
  let go: (() => void) | undefined
  const pace: Pace = {
    chance: () => chance,
    failed: (name, error) => failures.push(`${name}: ${(error as Error).message}`),
    wait: (ms, signal) =>
      new Promise((resolve) => {
        pauses.push(ms)
        go = resolve
        signal.addEventListener('abort', () => resolve())
        if (signal.aborted) resolve()
      }),
  }
  const pass = async (times = 1) => {
    for (let time = 0; time < times; time += 1) {
      go?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { pace, pauses, failures, pass }
}

const worker = (run: Worker['run']): Worker => ({ name: 'job', everyMs: 50_000, run })

describe('a worker', () => {
  it('pauses when there is no work and continues immediately when there is more', async () => {
    const { pace, pauses, pass } = pausedPace()
    const outcomes = [true, true, false, false]
    const running = startWorkers([worker(async () => outcomes.shift() ?? false)], pace)
    await pass(4)
    expect(pauses).toEqual([1000, 0, 0, 50_000, 50_000])
    await running.close()
  })

  it('never exceeds the configured pause, and varies it between processes', async () => {
    const { pace, pauses, pass } = pausedPace(0.5)
    const running = startWorkers([worker(async () => false)], pace)
    await pass()
    expect(pauses).toEqual([875, 43_750])
    await running.close()
  })

  it('backs off for up to a minute after failures and resets after a success', async () => {
    const { pace, pauses, failures, pass } = pausedPace()
    let isBroken = true
    const running = startWorkers(
      [
        worker(async () => {
          if (isBroken) throw new Error('no database')
          return false
        }),
      ],
      pace,
    )
    await pass(8)
    expect(pauses.slice(1)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
    expect(failures).toHaveLength(8)
    expect(failures[0]).toBe('job: no database')
    isBroken = false
    await pass()
    isBroken = true
    await pass()
    expect(pauses.slice(-2)).toEqual([50_000, 1000])
    await running.close()
  })

  it('does not delay other workers when it fails or is slow', async () => {
    const { pace, pass } = pausedPace()
    let runs = 0
    const failing = worker(() => Promise.reject(new Error('broken')))
    const counting = worker(async () => {
      runs += 1
      return false
    })
    const running = startWorkers([failing, counting], pace)
    await pass(3)
    expect(runs).toBe(3)
    await running.close()
  })

  it('finishes the batch in flight on close and starts no other', async () => {
    const { pace, pass } = pausedPace()
    const ended: string[] = []
    let finish = () => {}
    let aborted = false
    const running = startWorkers(
      [
        worker(async (signal) => {
          await new Promise<void>((resolve) => {
            finish = resolve
          })
          aborted = signal.aborted
          ended.push('batch')
          return true
        }),
      ],
      pace,
    )
    await pass()
    const closed = running.close().then(() => ended.push('closed'))
    await pass()
    expect(ended).toEqual([])
    finish()
    await closed
    expect([ended, aborted]).toEqual([['batch', 'closed'], true])
  })

  it('starts nothing when closed before its first run', async () => {
    const { pace } = pausedPace()
    let runs = 0
    await startWorkers(
      [
        worker(async () => {
          runs += 1
          return false
        }),
      ],
      pace,
    ).close()
    expect(runs).toBe(0)
  })
})
