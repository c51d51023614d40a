import { flushCompileCache } from 'node:module'
import type { MessagePort } from 'node:worker_threads'

/** A job posts this message when it can take a task. Its first task's deadline starts then. */
export const READY = 'ready'

/** Job processes are always killed, so Node.js would never store the code that they compiled. */
export function announceReady(port: MessagePort | null): void {
  flushCompileCache()
  port?.postMessage(READY)
}
