/**
 * One worker thread that obfuscates one script at a time, with a deadline and a memory limit. A script that exceeds them
 * is refused with a message for its author, who can change the script.
 */
import type { Worker } from 'node:worker_threads'
import type { Piscina } from 'piscina'
import type { BuildOutcome, Complaint, Task } from './build.ts'

export type ThreadLimits = {
  readonly deadlineMs: number
  readonly memoryMb: number
  /** Module whose `run` does the job; tests replace it with one that misbehaves. */
  readonly job?: URL
}

const JOB = new URL('./job.ts', import.meta.url)
const IDLE_MS = 10_000
/** Parser and passes recurse with nesting; the default of 4 MiB overflows below 1,000 levels. */
const STACK_MB = 16
const WATCH_MS = 50
/**
 * V8's own limit aborts the whole process when a thread allocates faster than it can be stopped. So the real limit is
 * polled from here, and V8's is far above it.
 */
const HEADROOM_MB = 2048
const BYTES_PER_MB = 1_048_576

export class Thread {
  readonly #limits: ThreadLimits
  readonly #onFault: (error: Error) => void
  #piscina: Promise<Piscina<Task, BuildOutcome>> | undefined
  readonly #closing = new AbortController()

  constructor(limits: ThreadLimits, onFault: (error: Error) => void) {
    this.#limits = limits
    this.#onFault = onFault
  }

  async runTask(task: Task): Promise<BuildOutcome> {
    this.#piscina ??= this.#start()
    const piscina = await this.#piscina
    const deadline = AbortSignal.timeout(this.#limits.deadlineMs)
    const memory = watchMemory(piscina, this.#limits.memoryMb * BYTES_PER_MB)
    try {
      return await piscina.run(task, { signal: AbortSignal.any([deadline, this.#closing.signal]) })
    } catch (error) {
      if (this.#closing.signal.aborted) return 'busy'
      return refuse(this.#complaint(error, deadline.aborted, memory.exceeded))
    } finally {
      memory.stop()
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    const piscina = await this.#piscina
    await piscina?.destroy()
  }

  async #start(): Promise<Piscina<Task, BuildOutcome>> {
    const { Piscina } = await import('piscina')
    return new Piscina<Task, BuildOutcome>({
      filename: (this.#limits.job ?? JOB).href,
      name: 'run',
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: IDLE_MS,
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.memoryMb + HEADROOM_MB, stackSizeMb: STACK_MB },
    })
  }

  #complaint(error: unknown, late: boolean, exceeded: boolean): string {
    if (exceeded)
      return `needed more than ${this.#limits.memoryMb} MiB of memory; make the script smaller or split it`
    if (late)
      return `took longer than ${this.#limits.deadlineMs / 1000} seconds; make the script smaller or split it`
    this.#onFault(error instanceof Error ? error : new Error(String(error)))
    return 'met a fault in the obfuscator; the operator of this service finds it in the log'
  }
}

function refuse(message: string): { errors: Complaint[] } {
  return { errors: [{ param: 'script', message }] }
}

type Watch = { readonly exceeded: boolean; stop(): void }

/** Ends the thread when its heap and buffers together exceed `maxBytes`. */
function watchMemory(piscina: Piscina, maxBytes: number): Watch {
  let exceeded = false
  let stopped = false
  const timer = setInterval(async () => {
    const worker = piscina.threads[0]
    if (!worker || (await usedBytes(worker)) <= maxBytes || stopped) return
    exceeded = true
    await worker.terminate()
  }, WATCH_MS)
  return {
    get exceeded() {
      return exceeded
    },
    stop() {
      stopped = true
      clearInterval(timer)
    },
  }
}

/** 0 for a thread that has just ended. */
async function usedBytes(worker: Worker): Promise<number> {
  try {
    const heap = await worker.getHeapStatistics()
    return heap.total_heap_size + heap.external_memory
  } catch {
    return 0
  }
}
