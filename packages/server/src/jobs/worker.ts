/**
 * The loop of every background job: it runs until it is stopped, with jittered pauses, and with exponential backoff while
 * a job fails. The jobs are in the files beside this one; `start.ts` starts them and passes the timer in.
 */

export type Worker = {
  readonly name: string
  /** Longest pause between two runs, in milliseconds, when no work is left. */
  readonly everyMs: number
  /** Longest pause after a failure, for work that must go on as soon as it can; a minute unless given. */
  readonly longestRetryMs?: number
  /** Does one batch, all of it or nothing. Resolves to true when there may be more. */
  run(signal: AbortSignal): Promise<boolean>
}

export type Pace = {
  /** Resolves after `ms` milliseconds, or as soon as the signal says stop. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** A number from 0 up to but not including 1. */
  readonly chance: () => number
  /** Called for every run that failed; the loop goes on. */
  readonly failed: (name: string, error: unknown) => void
  /** Called before every run, and before every pause with its length. */
  readonly began?: (name: string) => void
  readonly paused?: (name: string, ms: number) => void
}

export type Running = {
  /** Waits for the batches in flight and starts no more. */
  close(): Promise<void>
}

/** By how much a pause may be shorter, so that processes which started together drift apart. */
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

/** Even with more to do there is a pause of 0 ms, in which requests are answered. */
function pauseAfter(outcome: Outcome, { worker, pace, failures }: Loop): number {
  if (outcome === 'more') return 0
  const longest = worker.longestRetryMs ?? MAX_RETRY_MS
  if (outcome === 'done') return shortened(worker.everyMs, pace)
  return shortened(Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), longest), pace)
}

function shortened(ms: number, { chance }: Pace): number {
  return ms * (1 - JITTER * chance())
}
