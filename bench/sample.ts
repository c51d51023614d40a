/** Makes calls at a fixed rate and records their durations. */
import { setTimeout as wait } from 'node:timers/promises'

/**
 * Starts a call every `everyMs` until `during` ends, without waiting for earlier calls. Returns the durations
 * in milliseconds.
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

/**
 * Starts calls without waiting for earlier responses, because real clients are independent of each other.
 * Returns the number of calls.
 */
export async function callAtTimes(
  pausesMs: readonly number[],
  call: () => Promise<unknown>,
): Promise<number> {
  const answers: Promise<unknown>[] = []
  let due = performance.now()
  for (const pause of pausesMs) {
    due += pause
    const left = due - performance.now()
    if (left > 1) await wait(left)
    answers.push(call())
  }
  await Promise.all(answers)
  return answers.length
}

/**
 * Returns exponentially distributed pauses, like those between independent events, that last `duringMs` in
 * total.
 */
export function randomPauses(perSecond: number, duringMs: number): number[] {
  const pauses: number[] = []
  for (let at = 0; at < duringMs; at += pauses.at(-1) ?? 0)
    pauses.push((-Math.log(1 - Math.random()) * 1000) / perSecond)
  return pauses
}
