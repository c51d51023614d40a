/**
 * Builds scripts in a few child processes. Each job has a deadline and a memory limit. Owners take turns:
 * each may have one running build and a few waiting ones.
 */
import { deriveKeyStreams } from '@scriptward/client/leases'
import type { Source } from '@scriptward/obfuscator'
import { FairQueue } from '../../platform/limits/fair-queue.ts'
import type { BuildOutcome, BuildRequest, Complaint, Protected, Task } from './build.ts'
import { type JobOutcome, JobProcess } from './job-process.ts'
import { unpack } from './lz4.ts'
import { prove } from './proof.ts'
import type { Seen } from './proof-run.ts'

export type Obfuscator = {
  buildScript(request: BuildRequest): Promise<BuildOutcome>
  load(): { readonly waiting: number; readonly running: number }
  /** Ends all processes. Waiting jobs resolve to `busy`. */
  close(): Promise<void>
}

export type PoolLimits = {
  readonly deadlineMs: number
  readonly memoryMb: number
  readonly processes: number
  /** Maximum number of waiting jobs across all owners. */
  readonly queue: number
  /** Module that runs the job; tests replace it with one that misbehaves. */
  readonly job?: URL
}

type Process = JobProcess<Task, Protected | { readonly errors: readonly Complaint[] }>

const JOB = new URL('./job.ts', import.meta.url)
/**
 * Stack size. The parser and the passes recurse with nesting, and the default of 4 MiB overflows before 1,000
 * levels.
 */
const STACK_MB = 16
const WAITING_EACH = 3
/** A function that a short test calls more often than this is called too often to run on the server. */
const MANY_CALLS = 20
/** Maximum total length of all waiting sources and tests, in characters. */
const MAX_WAITING = 64 * 1_048_576

export class ObfuscationPool implements Obfuscator {
  readonly #limits: PoolLimits
  readonly #onFault: (error: Error) => void
  readonly #queue: FairQueue
  readonly #processes: readonly Process[]
  readonly #idle: Process[]
  readonly #closing = new AbortController()
  /** Total length of all waiting sources and tests, in characters. */
  #waiting = 0

  /**
   * `onFault` receives exceptions from the obfuscator. The result of `buildScript` reports only that there
   * was one.
   */
  constructor(limits: PoolLimits, onFault: (error: Error) => void) {
    this.#limits = limits
    this.#onFault = onFault
    this.#queue = new FairQueue({ places: limits.processes, runningEach: 1, waitingEach: WAITING_EACH })
    const settings = { job: (limits.job ?? JOB).href, memoryMb: limits.memoryMb, stackMb: STACK_MB }
    this.#processes = Array.from({ length: limits.processes }, () => new JobProcess(settings))
    this.#idle = [...this.#processes]
  }

  async buildScript(request: BuildRequest): Promise<BuildOutcome> {
    const size = lengthOf(request.source) + (request.test?.length ?? 0)
    const closing = this.#closing.signal
    if (closing.aborted || this.#isFull(size)) return 'busy'
    let waiting = size
    const leave = () => {
      this.#waiting -= waiting
      waiting = 0
    }
    this.#waiting += waiting
    const signal = request.signal ? AbortSignal.any([request.signal, closing]) : closing
    const begin = () => {
      leave()
      return this.#onProcess((process) => this.#build(process, request, signal))
    }
    const queued = await this.#queue.run(request.owner, begin, signal).finally(leave)
    if ('done' in queued) return queued.done
    return queued.refused === 'full' ? 'too_many' : 'busy'
  }

  load() {
    return this.#queue.load()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#processes.map((process) => process.end()))
  }

  #isFull(size: number): boolean {
    const { running, waiting } = this.#queue.load()
    if (running < this.#limits.processes) return false
    return waiting >= this.#limits.queue || this.#waiting + size > MAX_WAITING
  }

  async #onProcess<T>(work: (process: Process) => Promise<T>): Promise<T> {
    const process = this.#idle.pop()
    if (!process) throw new Error('more builds run than there are processes')
    try {
      return await work(process)
    } finally {
      this.#idle.push(process)
    }
  }

  async #build(
    process: Process,
    { source, options, test, isLoader = false }: BuildRequest,
    signal: AbortSignal,
  ): Promise<BuildOutcome> {
    const { deadlineMs } = this.#limits
    const task = { source, options, isTested: Boolean(test), isLoader }
    const outcome = await process.run(task, { deadlineMs, signal })
    if ('failed' in outcome) return this.#explain(outcome)
    const built = outcome.done
    if ('errors' in built || !test || built.expanded === null) return built
    return this.#prove({ source: built.expanded, test, serviceKey: options.serviceKey }, built, signal)
  }

  async #prove(
    { serviceKey, ...tested }: Tested,
    built: Protected,
    signal: AbortSignal,
  ): Promise<BuildOutcome> {
    const pads = serviceKey
      ? built.locks.map(({ size }, lock) => deriveKeyStreams(serviceKey)(lock, size))
      : []
    const { serverCode, watched } = built
    const proof = { ...tested, build: markedText(built), pads, serverCode, watched }
    const proved = await prove(proof, signal, this.#onFault)
    if (signal.aborted) return 'busy'
    return 'errors' in proved ? proved : withSeen(built, proved.seen)
  }

  /** Explains the failure to the author, who can change the script. */
  #explain(outcome: JobOutcome<never> & { readonly failed: string }): BuildOutcome {
    const { deadlineMs, memoryMb } = this.#limits
    if (outcome.failed === 'stopped') return 'busy'
    if (outcome.failed === 'memory')
      return exhausted(`needed more than ${memoryMb} MiB of memory; make the script smaller or split it`)
    if (outcome.failed === 'deadline')
      return exhausted(`took longer than ${deadlineMs / 1000} seconds; make the script smaller or split it`)
    this.#onFault('error' in outcome ? outcome.error : new Error('the obfuscator exited without a result'))
    return outcome.failed === 'crash'
      ? refuse(
          'crashed the obfuscator; try again, or ask the operator of this server, who can find the error in its log',
        )
      : refuse('triggered an obfuscator error; the operator of this server can find it in the log')
  }
}

type Tested = {
  readonly source: string
  readonly test: string
  readonly serviceKey: Uint8Array | undefined
}

/**
 * Adds to each suggestion how many times the test called the function and, if applicable, why the function
 * can't run on the server.
 */
function withSeen(built: Protected, seen: readonly Seen[]): Protected {
  if (seen.length === 0) return built
  const byName = new Map(seen.map((each) => [each.name, each]))
  const suggestions = built.report.suggestions.map((each) => {
    const { calls, unfit } = byName.get(each.name) ?? { calls: 0, unfit: null }
    return { ...each, testCalls: calls, obstacle: each.obstacle ?? obstacleOf(calls, unfit) }
  })
  const best = suggestions.toSorted((a, b) => Number(a.obstacle !== null) - Number(b.obstacle !== null))
  return { ...built, report: { ...built.report, suggestions: best } }
}

function obstacleOf(calls: number, unfit: string | null): string | null {
  if (unfit !== null) return `its arguments or results in the test contained a ${unfit}, which can't be sent`
  return calls > MANY_CALLS
    ? `the test called it ${calls} times, and each call would be a round trip to the server`
    : null
}

/** Number of characters in all files. */
function lengthOf(source: Source): number {
  if (typeof source === 'string' || source instanceof Uint8Array) return source.length
  return Object.values(source.files).reduce((length, text) => length + text.length, 0)
}

function refuse(message: string) {
  return { errors: [{ param: 'script', message }] }
}

function exhausted(message: string) {
  return { ...refuse(message), isExhausted: true }
}

/** A build as an execution might receive it, with every other slot in its second form. */
function markedText({ payload, size, slots }: Protected): string {
  const text = Buffer.from(unpack(payload, size), 'latin1')
  slots.forEach((slot, i) => {
    for (const edit of i % 2 === 0 ? slot : []) text.write(edit.text, edit.at, 'latin1')
  })
  return text.toString('latin1')
}
