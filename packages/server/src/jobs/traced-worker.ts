/** A job whose runs are spans. */
import { classOf, noSpan, type Spans } from '../platform/tracing/spans.ts'
import type { Worker } from './worker.ts'

/** A job that looks for work more often than this finds none most of the time: only its long runs and failures are told. */
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
      // A span that never ends is never sent.
      if (everyMs >= OFTEN_MS || performance.now() - start >= LONG_MS) span.end()
      return isMore
    } catch (error) {
      span.end({}, classOf(error))
      throw error
    }
  }
  return { ...worker, run }
}
