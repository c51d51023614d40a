/**
 * Requests one result from a new worker. Terminates the worker when it has responded, is no longer needed, or
 * takes too long.
 */
import type { Draft } from './draft.ts'
import type { Answers } from './protect-worker.ts'

/** Time limit of a worker, in seconds. */
export const MAX_SECONDS = 60

/** Why there is no result. */
export type Missing = { readonly missing: 'stopped' | 'too long' | 'broken' }

export function askWorker<Kind extends keyof Answers>(
  kind: Kind,
  draft: Draft,
  signal: AbortSignal,
): Promise<Answers[Kind] | Missing> {
  const worker = new Worker(new URL('./protect-worker.ts', import.meta.url), { type: 'module' })
  let timer: ReturnType<typeof setTimeout> | undefined
  const answered = new Promise<Answers[Kind] | Missing>((resolve) => {
    timer = setTimeout(() => resolve({ missing: 'too long' }), MAX_SECONDS * 1000)
    signal.addEventListener('abort', () => resolve({ missing: 'stopped' }))
    if (signal.aborted) resolve({ missing: 'stopped' })
    worker.addEventListener('error', () => resolve({ missing: 'broken' }))
    worker.addEventListener('message', ({ data }: MessageEvent<Answers[Kind] | null>) =>
      resolve(data ?? { missing: 'broken' }),
    )
  })
  worker.postMessage({ kind, draft })
  return answered.finally(() => {
    clearTimeout(timer)
    worker.terminate()
  })
}

export function isMissing(result: object): result is Missing {
  return 'missing' in result
}
