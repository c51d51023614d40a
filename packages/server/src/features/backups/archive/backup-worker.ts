/**
 * Makes backups in a thread, because hashing and compressing a database would block the event loop for
 * seconds.
 */
import { Worker } from 'node:worker_threads'
import type { Order } from './make.ts'
import { BackupFault } from './manifest.ts'
import type { BackupFile, Task, ThreadAnswer } from './thread.ts'

const THREAD = new URL('./thread.ts', import.meta.url)

/** Thrown if the server stops. The unfinished backup is removed. */
export class BackupStopped extends Error {}

/** The backup threads of this process. Each makes a single backup. */
export class BackupThreads {
  readonly #stopping = new AbortController()
  readonly #running = new Set<Promise<unknown>>()

  /**
   * Throws a {@link BackupFault} whose message explains the fix, {@link BackupStopped}, or an Error with a
   * failed program's message.
   */
  async make(order: Order, folder: string): Promise<BackupFile> {
    const making = madeBy({ order, folder }, this.#stopping.signal)
    this.#running.add(making)
    try {
      return await making
    } finally {
      this.#running.delete(making)
    }
  }

  /** Stops running backups and waits until their files are removed. */
  async close(): Promise<void> {
    this.#stopping.abort()
    await Promise.allSettled(this.#running)
  }
}

function madeBy(task: Task, signal: AbortSignal): Promise<BackupFile> {
  if (signal.aborted) return Promise.reject(new BackupStopped('the service stops'))
  const worker = new Worker(THREAD, { workerData: task })
  const stop = () => worker.postMessage('stop')
  signal.addEventListener('abort', stop)
  return new Promise<BackupFile>((resolve, reject) => {
    worker.once('message', (answer: ThreadAnswer) =>
      'made' in answer ? resolve(answer.made) : reject(errorOf(answer)),
    )
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the thread of the backup ended')))
  }).finally(() => signal.removeEventListener('abort', stop))
}

function errorOf({ failure, kind }: Exclude<ThreadAnswer, { made: unknown }>): Error {
  if (kind === 'stopped') return new BackupStopped('the service stops')
  return kind === 'fault' ? new BackupFault(failure) : new Error(failure)
}
