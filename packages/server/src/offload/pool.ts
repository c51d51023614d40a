/**
 * Runs work that could block the event loop in child processes. Each job has a deadline and a memory limit.
 * Owners take turns, so a flood from one account delays another account by at most one job.
 */
import { availableParallelism } from 'node:os'
import { type JobOutcome, JobProcess } from '../features/builds/job-process.ts'
import { FairQueue } from '../platform/limits/fair-queue.ts'
import type { JobName, Jobs } from './jobs.ts'

export type JobInput<Name extends JobName> = Parameters<Jobs[Name]>[0]
export type JobResult<Name extends JobName> = ReturnType<Jobs[Name]>

/**
 * `full`: the owner has too many queued jobs, or the entire queue is full and this owner has the most jobs in
 * it. `stopped`: the signal aborted or the server is stopping. `fault`: the job threw or crashed. The error
 * is logged.
 */
export type Offloaded<Result> =
  | { readonly done: Result }
  | { readonly failed: 'deadline' | 'memory' | 'full' | 'stopped' | 'fault' }

/** The deadline starts when a process begins the job. When `signal` aborts, a running job is killed. */
export type RunLimits = { readonly deadlineMs: number; readonly signal?: AbortSignal | undefined }

export type Offload = {
  run<Name extends JobName>(
    owner: string,
    job: Name,
    input: JobInput<Name>,
    limits: RunLimits,
  ): Promise<Offloaded<JobResult<Name>>>
  load(): { readonly running: number; readonly waiting: number }
  /** Ends every process. Running and queued jobs fail with `stopped`. */
  close(): Promise<void>
}

/** The message to the worker thread. */
export type JobTask = { readonly job: JobName; readonly input: unknown }

type Settings = {
  readonly processes?: number
  readonly memoryMb?: number
  /** Module that runs the jobs. Tests replace it with a misbehaving one. */
  readonly thread?: URL
}

const THREAD = new URL('./job-thread.ts', import.meta.url)
const PROCESSES = Math.min(2, Math.max(1, availableParallelism() - 1))
/** Memory limit of a job, which is enough for the largest import. A job that exceeds it is killed. */
const MEMORY_MB = 512
const STACK_MB = 4
const WAITING_EACH = 4
const WAITING = 32

export class OffloadPool implements Offload {
  readonly #onFault: (error: Error) => void
  readonly #queue: FairQueue
  readonly #processes: readonly JobProcess<JobTask, unknown>[]
  readonly #idle: JobProcess<JobTask, unknown>[]
  readonly #closing = new AbortController()

  /** `onFault` receives the error that a job threw. The caller learns only that the job failed. */
  constructor(onFault: (error: Error) => void, settings: Settings = {}) {
    const { processes = PROCESSES, memoryMb = MEMORY_MB, thread = THREAD } = settings
    this.#onFault = onFault
    this.#queue = new FairQueue({
      ...{ places: processes, runningEach: 1 },
      ...{ waitingEach: WAITING_EACH, waiting: WAITING },
    })
    const host = { job: thread.href, memoryMb, stackMb: STACK_MB }
    this.#processes = Array.from({ length: processes }, () => new JobProcess(host))
    this.#idle = [...this.#processes]
  }

  async run<Name extends JobName>(
    owner: string,
    job: Name,
    input: JobInput<Name>,
    { deadlineMs, signal }: RunLimits,
  ): Promise<Offloaded<JobResult<Name>>> {
    const closing = this.#closing.signal
    const limits = { deadlineMs, signal: signal ? AbortSignal.any([signal, closing]) : closing }
    const work = () => this.#onProcess((process) => process.run({ job, input }, limits))
    const queued = await this.#queue.run(owner, work, limits.signal)
    if ('refused' in queued) return { failed: queued.refused === 'full' ? 'full' : 'stopped' }
    return this.#explain(queued.done) as Offloaded<JobResult<Name>>
  }

  load(): { readonly running: number; readonly waiting: number } {
    return this.#queue.load()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#processes.map((process) => process.end()))
  }

  async #onProcess<T>(work: (process: JobProcess<JobTask, unknown>) => Promise<T>): Promise<T> {
    const process = this.#idle.pop()
    if (!process) throw new Error('more jobs run than there are processes')
    try {
      return await work(process)
    } finally {
      this.#idle.push(process)
    }
  }

  #explain(outcome: JobOutcome<unknown>): Offloaded<unknown> {
    if ('done' in outcome) return outcome
    const { failed } = outcome
    if (failed === 'deadline' || failed === 'memory' || failed === 'stopped') return { failed }
    this.#onFault('error' in outcome ? outcome.error : new Error('a job ended without an answer'))
    return { failed: 'fault' }
  }
}
