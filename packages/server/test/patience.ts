/**
 * The maximum time that tests wait for a state. Only a test that hangs waits this long, even on a very busy
 * machine.
 */
import { setTimeout as wait } from 'node:timers/promises'

const PATIENCE_MS = 120_000
const POLL_MS = 10

/** Waits until another process or a server job has had its effect. */
export async function until(
  holds: () => Promise<boolean> | boolean,
  otherwise = 'it never was',
): Promise<void> {
  const last = performance.now() + PATIENCE_MS
  while (!(await holds())) {
    if (performance.now() > last) throw new Error(`${otherwise}, in ${PATIENCE_MS} ms`)
    await wait(POLL_MS)
  }
}

/** Rejects if this promise never settles, with a stack trace that the test timeout wouldn't provide. */
export function ended<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`not over after ${PATIENCE_MS} ms`)), PATIENCE_MS)
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}
