/** One test run in its own worker, with the limits that end it. */
import { MAX_SECONDS } from './bounds.ts'
import type { Report, TestTask } from './luau-worker.ts'

export type Line = Extract<Report, { readonly text: string }>

export type Ended =
  | { readonly how: 'done'; readonly ms: number }
  | { readonly how: 'failed'; readonly error: string }
  | { readonly how: 'stopped' | 'too long' | 'too much' | 'broken' }

type Hooks = { readonly signal: AbortSignal; readonly onLine: (line: Line) => void }

export function runInLuau(task: TestTask, { signal, onLine }: Hooks): Promise<Ended> {
  const worker = new Worker(new URL('./luau-worker.ts', import.meta.url), { type: 'module' })
  const from = performance.now()
  let timer: ReturnType<typeof setTimeout> | undefined
  const ended = new Promise<Ended>((resolve) => {
    timer = setTimeout(() => resolve({ how: 'too long' }), MAX_SECONDS * 1000)
    signal.addEventListener('abort', () => resolve({ how: 'stopped' }))
    if (signal.aborted) resolve({ how: 'stopped' })
    worker.addEventListener('error', () => resolve({ how: 'broken' }))
    worker.addEventListener('message', ({ data }: MessageEvent<Report>) => {
      if (data.kind === 'end') resolve(endOf(data.error, performance.now() - from))
      else if (data.kind === 'too much') resolve({ how: 'too much' })
      else onLine(data)
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
