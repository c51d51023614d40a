/** Runs a script in its own worker, and ends the run at its limits. */
import { MAX_SECONDS } from './bounds.ts'
import type { Report } from './output.ts'

export type Line = Extract<Report, { readonly text: string }>

export type Ended =
  | { readonly how: 'done'; readonly ms: number }
  | { readonly how: 'failed'; readonly error: string }
  | { readonly how: 'stopped' | 'too long' | 'too much' | 'broken' }

export type Hooks = {
  readonly signal: AbortSignal
  readonly onLine: (line: Line) => void
  /** Time limit for the script in seconds, counted from its start. */
  readonly limit?: number
}

/** Starts a task in a new worker, and terminates the worker when the run ends. */
export function runIn(worker: Worker, task: object, { signal, onLine, limit }: Hooks): Promise<Ended> {
  const from = performance.now()
  let timer: ReturnType<typeof setTimeout> | undefined
  const ended = new Promise<Ended>((resolve) => {
    const end = () => resolve({ how: 'too long' })
    timer = setTimeout(end, MAX_SECONDS * 1000)
    signal.addEventListener('abort', () => resolve({ how: 'stopped' }))
    if (signal.aborted) resolve({ how: 'stopped' })
    worker.addEventListener('error', () => resolve({ how: 'broken' }))
    worker.addEventListener('message', ({ data }: MessageEvent<Report>) => {
      if (data.kind === 'end') resolve(endOf(data.error, data.ms ?? performance.now() - from))
      else if (data.kind === 'too much') resolve({ how: 'too much' })
      else if (data.kind === 'start') {
        clearTimeout(timer)
        timer = setTimeout(end, (limit ?? MAX_SECONDS) * 1000)
      } else onLine(data)
    })
  })
  worker.postMessage(task)
  return ended.finally(() => {
    clearTimeout(timer)
    worker.terminate()
  })
}

function endOf(error: string | null, ms: number): Ended {
  return error === null ? { how: 'done', ms } : { how: 'failed', error }
}
