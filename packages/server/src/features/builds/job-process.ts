/**
 * Runs jobs in a child process, so that a crash of native code or V8 ends only the job. The process starts
 * with the first task, runs one task at a time, and ends when idle.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compileCacheOnly } from './compile-cache.ts'
import type { HostMessage, HostSettings } from './job-host.ts'

/**
 * `stopped`: the signal aborted. `ended`: the job ended without a result. `error`: the job threw an
 * exception.
 */
export type JobOutcome<Result> =
  | { readonly done: Result }
  | { readonly failed: 'deadline' | 'memory' | 'stopped' | 'ended' }
  | { readonly failed: 'error' | 'crash'; readonly error: Error }

/**
 * The deadline in milliseconds. It starts when the process can take the task, so a slow process startup
 * doesn't count.
 */
export type JobLimits = { readonly deadlineMs: number; readonly signal: AbortSignal }

const HOST = new URL('./job-host.ts', import.meta.url)
const IDLE_MS = 10_000
/**
 * After this time, the deadline starts even if the process isn't ready, so that a process that hangs during
 * startup reaches its deadline too.
 */
const MAX_START_MS = 60_000

type Started = {
  readonly child: ChildProcess
  readonly isReady: Promise<void>
  hasBegun: boolean
  /** Resolves the running task's promise. */
  settle: ((outcome: JobOutcome<unknown>) => void) | undefined
}

export class JobProcess<Task extends object, Result> {
  readonly #settings: HostSettings
  readonly #idleMs: number
  #started: Started | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(settings: HostSettings, idleMs = IDLE_MS) {
    this.#settings = settings
    this.#idleMs = idleMs
  }

  /** Whether a task would start immediately. */
  get isReady(): boolean {
    return this.#started?.hasBegun === true
  }

  /**
   * Starts the process if necessary. Resolves when a task would start immediately or the process has ended.
   */
  async begin(): Promise<void> {
    if (!this.#started) this.prepare()
    await this.#started?.isReady
  }

  /** Starts the process ahead of its next task, and restarts the idle timeout. */
  prepare(): void {
    this.#started ??= this.#start()
    this.#endWhenIdle()
  }

  /** Callers must run only one task at a time. After a failure, the next task gets a new process. */
  async run(task: Task, limits: JobLimits): Promise<JobOutcome<Result>> {
    clearTimeout(this.#idle)
    this.#started ??= this.#start()
    const outcome = await outcomeOf<Result>(this.#started, task, limits)
    if ('failed' in outcome) await this.end()
    else this.#endWhenIdle()
    return outcome
  }

  /** Ends the process and its running task. */
  async end(): Promise<void> {
    clearTimeout(this.#idle)
    const child = this.#started?.child
    this.#started = undefined
    if (!child || !isRunning(child)) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }

  #endWhenIdle(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => void this.end(), this.#idleMs).unref()
  }

  /**
   * The child gets none of the server's environment and flags, because it must not see the server's secrets.
   * The only exception is the path of the compile cache.
   */
  #start(): Started {
    const child = fork(fileURLToPath(HOST), [JSON.stringify(this.#settings)], {
      env: compileCacheOnly(),
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    })
    const { promise: isReady, resolve: setReady } = Promise.withResolvers<void>()
    const started: Started = { child, isReady, hasBegun: false, settle: undefined }
    const begin = () => {
      started.hasBegun = true
      setReady()
    }
    const fail = (outcome: JobOutcome<never>) => {
      begin()
      if (this.#started === started && !isRunning(child)) this.#started = undefined
      started.settle?.(outcome)
    }
    child.on('message', (message: HostMessage) => {
      begin()
      if ('ready' in message) return
      if (started.settle) started.settle(readMessage(message))
      else this.#discard(started)
    })
    child.on('error', (error) => fail({ failed: 'crash', error }))
    child.once('exit', (code, signal) => fail(readExit(code, signal)))
    return started
  }

  /**
   * After a failure between two tasks, the next task needs a new process, even if this one has not ended yet.
   */
  #discard(started: Started): void {
    if (this.#started === started) this.#started = undefined
    started.child.kill('SIGKILL')
  }
}

async function outcomeOf<Result>(
  started: Started,
  task: object,
  { deadlineMs, signal }: JobLimits,
): Promise<JobOutcome<Result>> {
  if (signal.aborted) return { failed: 'stopped' }
  const { promise, resolve } = Promise.withResolvers<JobOutcome<unknown>>()
  started.settle = resolve
  const stop = () => resolve({ failed: 'stopped' })
  const exceed = () => resolve({ failed: 'deadline' })
  let deadline = setTimeout(exceed, started.hasBegun ? deadlineMs : MAX_START_MS + deadlineMs)
  if (!started.hasBegun)
    void started.isReady.then(() => {
      clearTimeout(deadline)
      if (started.settle === resolve) deadline = setTimeout(exceed, deadlineMs)
    })
  signal.addEventListener('abort', stop)
  // Sending fails only if the process has ended, which the task's outcome reports.
  started.child.send(task, () => {})
  const outcome = await promise
  started.settle = undefined
  clearTimeout(deadline)
  signal.removeEventListener('abort', stop)
  return outcome as JobOutcome<Result>
}

function readMessage(message: Exclude<HostMessage, { readonly ready: true }>): JobOutcome<unknown> {
  if ('done' in message) return message
  return message.failed === 'error' ? { failed: 'error', error: remoteError(message.stack) } : message
}

function remoteError(stack: string): Error {
  const error = new Error(stack.split('\n', 1)[0])
  error.stack = stack
  return error
}

/** If a thread allocates faster than it can be stopped, V8 aborts the process. */
function readExit(code: number | null, signal: string | null): JobOutcome<never> {
  if (signal === 'SIGABRT') return { failed: 'memory' }
  const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`
  return { failed: 'crash', error: new Error(`an obfuscation process ${how}`) }
}

function isRunning({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null
}
