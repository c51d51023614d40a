/**
 * Runs jobs in a child process, so that a crash of native code or of V8 ends the job and not the service. The process
 * starts with the first task, runs one task at a time, and ends when idle.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { HostMessage, HostSettings } from './job-host.ts'

/** `stopped`: the signal aborted. `ended`: the job ended without an answer. `error`: the job threw. */
export type JobOutcome<Result> =
  | { readonly done: Result }
  | { readonly failed: 'deadline' | 'memory' | 'stopped' | 'ended' }
  | { readonly failed: 'error' | 'crash'; readonly error: Error }

/** The deadline is in milliseconds, the start of the process included. */
export type JobLimits = { readonly deadlineMs: number; readonly signal: AbortSignal }

const HOST = new URL('./job-host.ts', import.meta.url)
const IDLE_MS = 10_000

export class JobProcess<Task extends object, Result> {
  readonly #settings: HostSettings
  #child: ChildProcess | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(settings: HostSettings) {
    this.#settings = settings
  }

  /** The next task may run when this one is over; after a failure it gets a new process. */
  async run(task: Task, limits: JobLimits): Promise<JobOutcome<Result>> {
    clearTimeout(this.#idle)
    this.#child ??= this.#start()
    const outcome = await outcomeOf<Result>(this.#child, task, limits)
    if ('failed' in outcome) await this.end()
    else this.#idle = setTimeout(() => void this.end(), IDLE_MS).unref()
    return outcome
  }

  /** Ends the process, with what it runs. */
  async end(): Promise<void> {
    clearTimeout(this.#idle)
    const child = this.#child
    this.#child = undefined
    if (!child || !isRunning(child)) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }

  /** No environment and no flags of the service, whose secrets are none of the child's business. */
  #start(): ChildProcess {
    const child = fork(fileURLToPath(HOST), [JSON.stringify(this.#settings)], {
      env: {},
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    })
    child.on('error', () => {})
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined
    })
    return child
  }
}

async function outcomeOf<Result>(
  child: ChildProcess,
  task: object,
  { deadlineMs, signal }: JobLimits,
): Promise<JobOutcome<Result>> {
  if (signal.aborted) return { failed: 'stopped' }
  const over = new AbortController()
  const until = { signal: over.signal }
  const outcomes: Promise<JobOutcome<Result>>[] = [
    once(child, 'message', until).then(([message]) => readMessage(message)),
    once(child, 'exit', until).then(([code, by]) => readExit(code, by)),
    once(signal, 'abort', until).then(() => ({ failed: 'stopped' })),
    wait(deadlineMs, { failed: 'deadline' }, until),
  ]
  // When it cannot be sent, the process has ended, which is one of the outcomes.
  child.send(task, () => {})
  try {
    return await Promise.race(outcomes)
  } catch (error) {
    // The process could not be started.
    return { failed: 'crash', error: error instanceof Error ? error : new Error(String(error)) }
  } finally {
    over.abort()
  }
}

function readMessage<Result>(message: HostMessage): JobOutcome<Result> {
  if ('done' in message) return { done: message.done as Result }
  return message.failed === 'error' ? { failed: 'error', error: remoteError(message.stack) } : message
}

function remoteError(stack: string): Error {
  const error = new Error(stack.split('\n', 1)[0])
  error.stack = stack
  return error
}

/** V8 aborts a process whose heap is full when a thread allocates faster than it can be stopped. */
function readExit(code: number | null, signal: string | null): JobOutcome<never> {
  if (signal === 'SIGABRT') return { failed: 'memory' }
  const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`
  return { failed: 'crash', error: new Error(`an obfuscation process ${how}`) }
}

function isRunning({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null
}
