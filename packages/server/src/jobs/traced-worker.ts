/** Wraps a job so that its runs are recorded as spans. */
import { classOf, noSpan, type Spans } from '../platform/tracing/spans.ts'
import type { Worker } from './worker.ts'

/**
 * Jobs that poll more often than this usually find no work, so only their long runs and their failures are
 * reported.
 */
const OFTEN_MS = 5000
const LONG_MS = 100

export function tracedWorker(worker: Worker, spans: Spans): Worker {
  if (spans === noSpan) return worker
  const { name, everyMs } = worker
  const run = async (signal: AbortSignal) => {
    const start = performance.now()
    const span = spans.begin(`job ${name}`, { attributes: { 'scriptward.job': name } })
    try {
      const isMore = await worker.run(signal)
      // A span that is never ended is never exported.
      if (everyMs >= OFTEN_MS || performance.now() - start >= LONG_MS) span.end()
      return isMore
    } catch (error) {
      span.end({}, classOf(error))
      throw error
    }
  }
  return { ...worker, run }
}
