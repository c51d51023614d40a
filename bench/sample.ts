/** Makes calls at a steady rate and records their durations. */
import { setTimeout as wait } from 'node:timers/promises'

/**
 * Starts a call every `everyMs`, however long the others take, until `during` ends. Returns the durations in
 * milliseconds.
 */
export async function sample(
  call: () => Promise<void>,
  everyMs: number,
  during: Promise<unknown>,
): Promise<number[]> {
  const state = { isOver: false }
  void during
    .finally(() => {
      state.isOver = true
    })
    .catch(() => {})
  const times: number[] = []
  const calls: Promise<void>[] = []
  for (let next = performance.now(); !state.isOver; next += everyMs) {
    calls.push(timed(call).then((ms) => void times.push(ms)))
    await wait(Math.max(0, next + everyMs - performance.now()))
  }
  await Promise.all(calls)
  return times
}

export async function timed(call: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await call()
  return performance.now() - start
}
