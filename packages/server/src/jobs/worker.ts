/**
 * The loop that runs every background job until it is stopped, with jittered pauses and with exponential
 * backoff while a job fails. `start.ts` starts the jobs and passes in the timer.
 */

export type Worker = {
  readonly name: string
  /** Longest pause between two runs if no work is left, in milliseconds. */
  readonly everyMs: number
  /** Longest pause after a failure, for work that must resume quickly. Defaults to one minute. */
  readonly longestRetryMs?: number
  /** Processes one batch atomically. Resolves to true if there may be more work. */
  run(signal: AbortSignal): Promise<boolean>
}

export type Pace = {
  /** Resolves after `ms` milliseconds, or as soon as the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** Returns a random number from 0 to 1 (exclusive). */
  readonly chance: () => number
  /** Called for every failed run. The loop continues. */
  readonly failed: (name: string, error: unknown) => void
  /** Called before every run, and before every pause with its length. */
  readonly began?: (name: string) => void
  readonly paused?: (name: string, ms: number) => void
}

export type Running = {
  /** Waits for the batches in flight, and starts no new ones. */
  close(): Promise<void>
}

/**
 * Maximum fraction by which a pause is shortened, so that processes that start at the same time drift apart.
 */
const JITTER = 0.25
const FIRST_RETRY_MS = 1000
const MAX_RETRY_MS = 60_000

export function startWorkers(workers: readonly Worker[], pace: Pace): Running {
  const stop = new AbortController()
  const loops = workers.map((worker) => loop(worker, pace, stop.signal))
  return {
    close: async () => {
      stop.abort()
      await Promise.all(loops)
    },
  }
}

async function loop(worker: Worker, pace: Pace, signal: AbortSignal): Promise<void> {
  let failures = 0
  const pause = (ms: number) => {
    pace.paused?.(worker.name, ms)
    return pace.wait(ms, signal)
  }
  await pause(shortened(Math.min(worker.everyMs, FIRST_RETRY_MS), pace))
  while (!signal.aborted) {
    pace.began?.(worker.name)
    const outcome = await attempt(worker, pace, signal)
    failures = outcome === 'failed' ? failures + 1 : 0
    await pause(pauseAfter(outcome, { worker, pace, failures }))
  }
}

type Outcome = 'more' | 'done' | 'failed'

async function attempt(worker: Worker, pace: Pace, signal: AbortSignal): Promise<Outcome> {
  try {
    return (await worker.run(signal)) ? 'more' : 'done'
  } catch (error) {
    pace.failed(worker.name, error)
    return 'failed'
  }
}

type Loop = { readonly worker: Worker; readonly pace: Pace; readonly failures: number }

/** If there is more work, pauses for 0 ms, so that requests are served in between. */
function pauseAfter(outcome: Outcome, { worker, pace, failures }: Loop): number {
  if (outcome === 'more') return 0
  const longest = worker.longestRetryMs ?? MAX_RETRY_MS
  if (outcome === 'done') return shortened(worker.everyMs, pace)
  return shortened(Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), longest), pace)
}

function shortened(ms: number, { chance }: Pace): number {
  return ms * (1 - JITTER * chance())
}
