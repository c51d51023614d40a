/**
 * The main thread of a child process. It runs the job in a worker thread, because the operating system limits
 * a main thread's stack. The main thread stays free to end the process if it uses too much memory or the
 * server has exited.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { compileCacheOnly } from './compile-cache.ts'
import { READY } from './job-ready.ts'

/** The server's settings for the process, passed on the command line as JSON. */
export type HostSettings = {
  /** URL of the worker thread's module, which answers each message with exactly one message. */
  readonly job: string
  /** Heap limit of the worker thread in MiB. */
  readonly memoryMb: number
  readonly stackMb: number
  /**
   * CPU time in milliseconds that the thread may use for one task. Other load on the machine therefore
   * doesn't count. During a task, the job must store in `workerData` how many microseconds of CPU time the
   * thread had used before the task.
   */
  readonly cpuMs?: number
}

/**
 * `ready`: the thread can take its first task. `ended`: the thread ended without a result. `error`: the job
 * threw an exception with this stack trace.
 */
export type HostMessage =
  | { readonly ready: true }
  | { readonly done: unknown }
  | { readonly failed: 'memory' | 'ended' | 'deadline' }
  | { readonly failed: 'error'; readonly stack: string }

/**
 * Intervals at which resource usage is checked. They are shorter than a task's CPU limit, so that a task that
 * exceeds it is detected in time.
 */
const WATCH_MS = 50
const TASK_WATCH_MS = 5
const BYTES_PER_MB = 1_048_576
/**
 * Memory for Node.js itself and the young generation. The RSS is limited, because V8 doesn't limit buffers,
 * which are outside the heap.
 */
const BESIDE_HEAP_MB = 128

const settings = JSON.parse(process.argv[2] ?? '') as HostSettings

/** Sends a message to the server, which ends this process if the message reports a failure. */
function tell(message: HostMessage): void {
  process.send?.(message)
}

function failureOf(error: Error & { readonly code?: string }): HostMessage {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return { failed: 'memory' }
  return { failed: 'error', stack: error.stack ?? String(error) }
}

process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
// A terminal or service manager sends these signals to the entire process group, but the server decides when
// a job ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})

const began = new Float64Array(new SharedArrayBuffer(8))
const worker = new Worker(new URL(settings.job), {
  env: compileCacheOnly(),
  workerData: began,
  resourceLimits: { maxOldGenerationSizeMb: settings.memoryMb, stackSizeMb: settings.stackMb },
})
let [isBusy, isWatched] = [false, false]
worker.on('message', (message: unknown) => {
  if (message === READY) return tell({ ready: true })
  isBusy = false
  tell({ done: message })
})
worker.on('error', (error: Error) => tell(failureOf(error)))
worker.on('exit', () => tell({ failed: 'ended' }))
process.on('message', (task) => {
  isBusy = true
  worker.postMessage(task)
  // The thread may end while its usage is read. Its exit is reported separately.
  if (!isWatched) void watch().catch(() => {})
})

async function watch(): Promise<void> {
  isWatched = true
  while (isBusy) {
    await wait(began[0] ? TASK_WATCH_MS : WATCH_MS)
    const failed = await findExcess()
    if (!failed) continue
    tell({ failed })
    await worker.terminate()
  }
  isWatched = false
}

async function findExcess(): Promise<'memory' | 'deadline' | undefined> {
  const { memoryMb, cpuMs } = settings
  if (process.memoryUsage.rss() > (memoryMb + BESIDE_HEAP_MB) * BYTES_PER_MB) return 'memory'
  const usedBefore = began[0]
  if (!usedBefore || cpuMs === undefined) return undefined
  const { user, system } = await worker.cpuUsage()
  return user + system - usedBefore > 1000 * cpuMs && began[0] === usedBefore ? 'deadline' : undefined
}
