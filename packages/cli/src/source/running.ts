/** Runs a script in a worker thread, so that Ctrl-C can stop even an endless loop. */

import { Worker } from 'node:worker_threads'
import type { Report, RunTask } from './run-thread.ts'

export type Line = Extract<Report, { readonly text: string }>

/** `error` is null if the script ended without an error. */
export type Ended = { readonly error: string | null }

export type Hooks = {
  readonly signal: AbortSignal
  readonly onLine: (line: Line) => void
}

/** Rejects if the signal is aborted before the script ends. */
export function runInLuau(task: RunTask, { signal, onLine }: Hooks): Promise<Ended> {
  signal.throwIfAborted()
  const worker = new Worker(new URL('./run-thread.ts', import.meta.url), { workerData: task })
  return new Promise<Ended>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    worker.on('message', (report: Report) => {
      if (report.kind === 'end') resolve({ error: report.error })
      else onLine(report)
    })
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('Luau exited without a result')))
  }).finally(() => worker.terminate())
}
