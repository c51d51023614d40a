/** Runs the obfuscator in a worker thread, so that Ctrl-C and the progress indicator keep working. */

import { Worker } from 'node:worker_threads'
import type { Obfuscation } from '@scriptward/obfuscator'
import type { ObfuscationTask } from './obfuscation-thread.ts'

export function obfuscateApart(task: ObfuscationTask, signal: AbortSignal): Promise<Obfuscation> {
  signal.throwIfAborted()
  const worker = new Worker(new URL('./obfuscation-thread.ts', import.meta.url), { workerData: task })
  return new Promise<Obfuscation>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the obfuscator exited without a result')))
  }).finally(() => worker.terminate())
}
