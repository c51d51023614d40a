/**
 * Main thread of a child process that runs a job in a worker thread. The operating system limits the stack of a main
 * thread, and this thread stays free to end the process when it needs too much memory or when the server is gone.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { READY } from './job-ready.ts'

/** Settings that the server passes on the command line, as JSON. */
export type HostSettings = {
  /** URL of the module that runs in the worker thread and replies to each message with one message. */
  readonly job: string
  /** Heap limit of the worker thread in MiB. */
  readonly memoryMb: number
  readonly stackMb: number
  /** CPU time in milliseconds that the thread may use for one task. Such a job posts `READY` before each one. */
  readonly cpuMs?: number
}

/**
 * `ready`: the thread can take its first task. `ended`: it ended without a result. `error`: the stack trace of the
 * job's exception.
 */
export type HostMessage =
  | { readonly ready: true }
  | { readonly done: unknown }
  | { readonly failed: 'memory' | 'ended' | 'deadline' }
  | { readonly failed: 'error'; readonly stack: string }

const WATCH_MS = 50
const TIME_WATCH_MS = 5
const BYTES_PER_MB = 1_048_576
/** Memory for Node.js itself and the young generation. Buffers are outside the heap, so V8 does not limit them. */
const BESIDE_HEAP_MB = 128

const settings = JSON.parse(process.argv[2] ?? '') as HostSettings

/** Sends a message to the server, which ends this process after a failure. */
function tell(message: HostMessage): void {
  process.send?.(message)
}

function failureOf(error: Error & { readonly code?: string }): HostMessage {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return { failed: 'memory' }
  return { failed: 'error', stack: error.stack ?? String(error) }
}

process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
// A terminal or a service manager sends these signals to the entire process group, but the server decides when a job
// ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})

const worker = new Worker(new URL(settings.job), {
  env: {},
  resourceLimits: { maxOldGenerationSizeMb: settings.memoryMb, stackSizeMb: settings.stackMb },
})
let ready = Promise.withResolvers<void>()
void ready.promise.then(() => tell({ ready: true }))
let tasks = 0
worker.on('message', (message: unknown) => {
  if (message === READY) return ready.resolve()
  tasks += 1
  ready = Promise.withResolvers()
  tell({ done: message })
})
worker.on('error', (error: Error) => tell(failureOf(error)))
worker.on('exit', () => tell({ failed: 'ended' }))
process.on('message', (task) => {
  const { cpuMs } = settings
  if (cpuMs === undefined) worker.postMessage(task)
  // The thread may end in the meantime, which is reported separately.
  else void runTimed(task, cpuMs).catch(() => {})
})

async function runTimed(task: unknown, cpuMs: number): Promise<void> {
  await ready.promise
  const [number, before] = [tasks, await usedMs()]
  worker.postMessage(task)
  while (tasks === number) {
    await wait(TIME_WATCH_MS)
    if ((await usedMs()) - before <= cpuMs || tasks !== number) continue
    tell({ failed: 'deadline' })
    await worker.terminate()
  }
}

/** Measures the thread's own CPU time, so other load on the machine does not make a task take longer. */
async function usedMs(): Promise<number> {
  const { user, system } = await worker.cpuUsage()
  return (user + system) / 1000
}

const watch = setInterval(() => {
  if (process.memoryUsage.rss() <= (settings.memoryMb + BESIDE_HEAP_MB) * BYTES_PER_MB) return
  clearInterval(watch)
  tell({ failed: 'memory' })
  void worker.terminate()
}, WATCH_MS)
