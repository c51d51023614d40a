/**
 * Runs server functions in one or two child processes, which start with the first call and end when idle. Customers take
 * turns; a call that needs more than it may ends its process, and the next one gets a new process.
 */
import { availableParallelism } from 'node:os'
import { FairQueue } from '../limits/fair-queue.ts'
import { type JobOutcome, JobProcess } from '../obfuscation/job-process.ts'
import { ENDED, type FunctionResult, type FunctionTask } from './call.ts'
import { CALL_MB, CALL_MS } from './limits.ts'
import { luauOf } from './luau-text.ts'

export type FunctionCall = {
  /** Who takes turns with others. */
  readonly owner: string
  readonly name: string
  readonly source: string
  readonly values: readonly unknown[]
  /** Facts that the function gets first, read-only. */
  readonly run: object
}

/** `exhausted`: it needed more time or memory than a call may. `busy`: it did not run. */
export type CallOutcome = { readonly printed: readonly string[]; readonly ms: number } & (
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'uncompiled' | 'failed' | 'exhausted'; readonly problem: string }
  | { readonly kind: 'busy' }
)

export type Sandbox = {
  callFunction(call: FunctionCall): Promise<CallOutcome>
  /** Null when the source is Luau that returns a function; else what is wrong, or `busy`. */
  checkFunction(source: Omit<FunctionCall, 'values' | 'run'>): Promise<CallOutcome>
  load(): { readonly running: number; readonly waiting: number }
  /** Ends every process; what waits is `busy`. */
  close(): Promise<void>
}

type Process = JobProcess<FunctionTask, FunctionResult>

const PROCESSES = Math.min(2, Math.max(1, availableParallelism() - 1))
const WAITING_EACH = 64
const WAITING = 256
const LONGEST_WAIT_MS = 5000
/** Only what hangs takes so long: a task is held to its processor time. */
const DEADLINE_MS = 30_000
const SETTINGS = {
  job: new URL('./function-run.ts', import.meta.url).href,
  memoryMb: 128,
  stackMb: 4,
  cpuMs: CALL_MS,
}

export class FunctionSandbox implements Sandbox {
  readonly #random: (count: number) => Buffer
  readonly #onFault: (error: Error) => void
  readonly #queue = new FairQueue({ places: PROCESSES, runningEach: 1, waitingEach: WAITING_EACH })
  readonly #processes: readonly Process[] = Array.from({ length: PROCESSES }, () => new JobProcess(SETTINGS))
  readonly #idle: Process[] = [...this.#processes]
  readonly #closing = new AbortController()

  /** `onFault` gets crashes of the interpreter. */
  constructor(random: (count: number) => Buffer, onFault: (error: Error) => void) {
    this.#random = random
    this.#onFault = onFault
  }

  callFunction({ owner, values, run, ...source }: FunctionCall): Promise<CallOutcome> {
    const given = `return {n=${values.length},${values.map(luauOf).join(',')}}`
    return this.#run(owner, { ...source, call: { values: given, run: `return ${luauOf(run)}` } })
  }

  checkFunction({ owner, ...source }: Omit<FunctionCall, 'values' | 'run'>): Promise<CallOutcome> {
    return this.#run(owner, { ...source, call: null })
  }

  load(): { readonly running: number; readonly waiting: number } {
    return this.#queue.load()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#processes.map((process) => process.end()))
  }

  async #run(owner: string, task: Omit<FunctionTask, 'seed'>): Promise<CallOutcome> {
    if (this.#queue.load().waiting >= WAITING) return BUSY
    const seeded = { ...task, seed: this.#random(4).readUInt32LE(0) }
    const patience = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(LONGEST_WAIT_MS)])
    const queued = await this.#queue.run(owner, () => this.#onProcess(seeded), patience)
    return 'done' in queued ? this.#explain(queued.done) : BUSY
  }

  async #onProcess(task: FunctionTask): Promise<JobOutcome<FunctionResult>> {
    const process = this.#idle.pop()
    if (!process) throw new Error('more functions run than there are processes')
    try {
      return await process.run(task, { deadlineMs: DEADLINE_MS, signal: this.#closing.signal })
    } finally {
      this.#idle.push(process)
    }
  }

  #explain(outcome: JobOutcome<FunctionResult>): CallOutcome {
    if ('done' in outcome) return outcomeOf(outcome.done)
    if (outcome.failed === 'stopped') return BUSY
    if (outcome.failed === 'deadline')
      return exhausted(`it took longer than ${CALL_MS} ms of processor time`, CALL_MS)
    if (outcome.failed === 'memory' || ('error' in outcome && outcome.error.message.includes('OOM')))
      return exhausted(`it needed more than ${CALL_MB} MiB of memory`)
    if ('error' in outcome && !outcome.error.message.includes(ENDED)) this.#onFault(outcome.error)
    return exhausted('it ended the Luau that it ran in')
  }
}

const BUSY: CallOutcome = { kind: 'busy', printed: [], ms: 0 }

function exhausted(problem: string, ms = 0): CallOutcome {
  return { kind: 'exhausted', problem, printed: [], ms }
}

function outcomeOf({ end, printed, ms }: FunctionResult): CallOutcome {
  if (end.kind === 'value') return { kind: 'value', value: JSON.parse(end.text), printed, ms }
  return { kind: end.kind, problem: end.text, printed, ms }
}
