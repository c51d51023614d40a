/** How the jobs' clock reacts when the system clock jumps. */
import { expect, it } from 'vitest'
import { steadyClock } from './steady-clock.ts'

const MINUTE = 60_000

/** Creates the jobs' clock from a system clock and an elapsed time, both set by the test. */
function clocks() {
  let time = 1_000_000 * MINUTE
  let at = 0
  const clock = steadyClock(
    () => time,
    () => at,
  )
  const start = time
  return {
    minutes: () => (clock() - start) / MINUTE,
    pass: (minutes: number) => {
      time += minutes * MINUTE
      at += minutes * MINUTE
    },
    jump: (minutes: number) => {
      time += minutes * MINUTE
    },
  }
}

it('the steady clock follows a correct clock and adopts small corrections', () => {
  const { minutes, pass, jump } = clocks()
  pass(3)
  expect(minutes()).toBe(3)
  jump(0.9)
  expect(minutes()).toBe(3.9)
  pass(1440)
  expect(minutes()).toBe(1443.9)
})

it('the steady clock ignores a clock that jumps ahead and returns', () => {
  const { minutes, pass, jump } = clocks()
  jump(60)
  for (let minute = 0; minute < 14; minute += 1) {
    expect(minutes()).toBe(minute)
    pass(1)
  }
  jump(-60)
  expect(minutes()).toBe(14)
  jump(500)
  expect(minutes()).toBe(14)
})

it('the steady clock trusts a clock that stays ahead for 15 minutes', () => {
  const { minutes, pass, jump } = clocks()
  jump(60)
  expect(minutes()).toBe(0)
  pass(14.9)
  expect(minutes()).toBe(14.9)
  pass(0.1)
  expect(minutes()).toBe(75)
})

it('the steady clock immediately trusts a clock that falls back, so that nothing is deleted too early', () => {
  const { minutes, pass, jump } = clocks()
  pass(10)
  jump(-60)
  expect(minutes()).toBe(-50)
  pass(1)
  expect(minutes()).toBe(-49)
})
