/**
 * Runs server functions in child processes, which start on the first call and exit when idle. Accounts take
 * turns. Some processes are reserved for accounts with quick calls, so that these never wait for calls that
 * are slow or are stopped. Stopping a call kills its process, because luau-web has no interrupt. A spare
 * process is kept ready.
 */
import { availableParallelism } from 'node:os'
import { FairQueue } from '../../../platform/limits/fair-queue.ts'
import { type JobOutcome, JobProcess } from '../../builds/job-process.ts'
import { luauOf } from '../../builds/luau-text.ts'
import { luauOfMarked } from '../../builds/marked-values.ts'
import { ENDED, type FunctionResult, type FunctionTask } from './call.ts'
import { CALL_MB, CALL_MS } from './limits.ts'
import { Pace } from './pace.ts'

export type FunctionCall = {
  /** The account that makes the call. Accounts take turns. */
  readonly owner: string
  readonly name: string
  readonly source: string
  readonly values: readonly unknown[]
  /** Read-only data about the run: the first argument of a server function, or `ward` in moved code. */
  readonly run: object
  /**
   * Whether a build moved the function out of a script. If so, values are marked JSON (see
   * `marked-values.ts`) and the outcome's value is the list of all results.
   */
  readonly isMoved?: boolean
}

/** `exhausted`: the call exceeded its time or memory limit. `busy`: the call did not run. */
export type CallOutcome = { readonly printed: readonly string[]; readonly ms: number } & (
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'uncompiled' | 'failed' | 'exhausted'; readonly problem: string }
  | { readonly kind: 'busy' }
)

export type Sandbox = {
  callFunction(call: FunctionCall): Promise<CallOutcome>
  /**
   * Resolves to a null value if the source is valid Luau that returns a function, and otherwise to the error
   * or `busy`.
   */
  checkFunction(source: Omit<FunctionCall, 'values' | 'run'>): Promise<CallOutcome>
  load(): { readonly running: number; readonly waiting: number }
  /** Ends every process. Queued calls resolve to `busy`. */
  close(): Promise<void>
}

type Process = JobProcess<FunctionTask, FunctionResult>

/** Processes reserved for accounts with quick calls. */
const QUICK_PLACES = Math.min(2, Math.max(1, availableParallelism() - 1))
/** Processes for all other accounts. */
const SLOW_PLACES = 1
const SPARE = 1
const WAITING = { runningEach: 1, waitingEach: 64, waiting: 256 }
const MAX_WAIT_MS = 5000
/**
 * Time after which an idle process exits. It is long enough that a script with occasional calls doesn't have
 * to wait half a second for a process to start each time.
 */
const IDLE_MS = 60_000
/** Only tasks that hang reach this limit, because CPU time is limited separately. */
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
  readonly #pace = new Pace()
  readonly #quick = new FairQueue({ places: QUICK_PLACES, ...WAITING })
  readonly #slow = new FairQueue({ places: SLOW_PLACES, ...WAITING })
  readonly #processes: readonly Process[] = Array.from(
    { length: QUICK_PLACES + SLOW_PLACES + SPARE },
    () => new JobProcess(SETTINGS, IDLE_MS),
  )
  readonly #idle: Process[] = [...this.#processes]
  readonly #closing = new AbortController()

  /** `onFault` is called when the interpreter crashes. */
  constructor(random: (count: number) => Buffer, onFault: (error: Error) => void) {
    this.#random = random
    this.#onFault = onFault
  }

  callFunction({ owner, values, run, isMoved = false, ...source }: FunctionCall): Promise<CallOutcome> {
    const spell = isMoved ? luauOfMarked : luauOf
    const given = `return ${luauOf(run)},{n=${values.length},${values.map(spell).join(',')}}`
    return this.#run(owner, { ...source, isMoved, given })
  }

  checkFunction({
    owner,
    isMoved = false,
    ...source
  }: Omit<FunctionCall, 'values' | 'run'>): Promise<CallOutcome> {
    return this.#run(owner, { ...source, isMoved, given: null })
  }

  load(): { readonly running: number; readonly waiting: number } {
    const [quick, slow] = [this.#quick.load(), this.#slow.load()]
    return { running: quick.running + slow.running, waiting: quick.waiting + slow.waiting }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#processes.map((process) => process.end()))
  }

  async #run(owner: string, task: Omit<FunctionTask, 'seed'>): Promise<CallOutcome> {
    if (this.#closing.signal.aborted) return BUSY
    const seeded = { ...task, seed: this.#random(4).readUInt32LE(0) }
    const patience = AbortSignal.any([this.#closing.signal, this.#patience()])
    if (this.#pace.isQuick(owner)) {
      // Checks again when it is the account's turn: the rest of a burst moves to the slow queue after its
      // first slow call.
      const work = async () => (this.#pace.isQuick(owner) ? this.#onProcess(owner, seeded, true) : null)
      const queued = await this.#quick.run(owner, work, patience)
      if ('refused' in queued) return BUSY
      if (queued.done) return queued.done
    }
    const queued = await this.#slow.run(owner, () => this.#onProcess(owner, seeded, false), patience)
    return 'refused' in queued ? BUSY : queued.done
  }

  /**
   * Returns the timeout of a queued call. The timeout starts once a process is ready, because on a busy
   * machine, starting the first process may take longer than the timeout.
   */
  #patience(): AbortSignal {
    if (this.#processes.some((one) => one.isReady)) return AbortSignal.timeout(MAX_WAIT_MS)
    const over = new AbortController()
    void Promise.race(this.#processes.map((one) => one.begin())).then(() =>
      setTimeout(() => over.abort(), MAX_WAIT_MS).unref(),
    )
    return over.signal
  }

  async #onProcess(owner: string, task: FunctionTask, isQuick: boolean): Promise<CallOutcome> {
    const process = this.#takeIdle(isQuick)
    try {
      const limits = { deadlineMs: DEADLINE_MS, signal: this.#closing.signal }
      const outcome = this.#explain(await process.run(task, limits))
      this.#note(owner, task, outcome)
      return outcome
    } finally {
      this.#idle.push(process)
      if (!this.#closing.signal.aborted) for (const one of this.#idle) one.prepare()
    }
  }

  /** Ignores tasks that only compile, because calls may be slow even if the source compiles quickly. */
  #note(owner: string, { given }: FunctionTask, { kind, ms }: CallOutcome): void {
    const isStopped = kind === 'exhausted'
    if (kind !== 'busy' && (isStopped || given !== null)) this.#pace.note(owner, { ms, isStopped })
  }

  /**
   * Picks the process with the most recent call, because its memory is still in the CPU caches. Leaves the
   * last ready process for quick calls, so that they don't wait for another process to start.
   */
  #takeIdle(isQuick: boolean): Process {
    const ready = this.#idle.filter((one) => one.isReady)
    const recent = ready.at(-1)
    const starting = this.#idle.find((one) => !one.isReady)
    const process = isQuick || ready.length > 1 ? (recent ?? starting) : (starting ?? recent)
    if (!process) throw new Error('more functions run than there are processes')
    this.#idle.splice(this.#idle.indexOf(process), 1)
    return process
  }

  #explain(outcome: JobOutcome<FunctionResult>): CallOutcome {
    if ('done' in outcome) return outcomeOf(outcome.done)
    if (outcome.failed === 'stopped') return BUSY
    if (outcome.failed === 'deadline')
      return exhausted(`it took longer than ${CALL_MS} ms of CPU time`, CALL_MS)
    if (outcome.failed === 'memory' || ('error' in outcome && outcome.error.message.includes('OOM')))
      return exhausted(`it needed more than ${CALL_MB} MiB of memory`)
    if ('error' in outcome && !outcome.error.message.includes(ENDED)) this.#onFault(outcome.error)
    return exhausted('it terminated the Luau runtime it was running in')
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
