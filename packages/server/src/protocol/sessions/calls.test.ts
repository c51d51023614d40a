/** Each call in a session runs at most once, and resent calls get the same response. */
import { MAX_SESSION_CALLS, type SessionCall } from '@scriptward/client/live-messages'
import { expect, it } from 'vitest'
import { Calls } from './calls.ts'

const call = (id: number, epoch = 3): SessionCall => ({ t: 'call', id: `${id}`, epoch, a: ['price'] })
const LOST = { problem: 'the connection was lost during the call' }

it('a session runs a call once, and repeats its answer', () => {
  const calls = new Calls(3)
  expect(calls.begin(call(1))).toBe('new')
  expect(calls.begin(call(1))).toBe('running')
  calls.settle('1', { value: 30 })
  expect([calls.begin(call(1)), calls.begin(call(1))]).toEqual([{ value: 30 }, { value: 30 }])
})

it('a session never runs a call that an earlier session may have run', () => {
  const calls = new Calls(3)
  expect([calls.begin(call(1, 2)), calls.begin(call(1, 3))]).toEqual([LOST, 'new'])
})

it('a session never runs a call again whose answer it has forgotten', () => {
  const calls = new Calls(3)
  for (let id = 1; id <= MAX_SESSION_CALLS + 1; id++) {
    expect(calls.begin(call(id))).toBe('new')
    calls.settle(`${id}`, { value: id })
  }
  expect([calls.begin(call(1)), calls.begin(call(2))]).toEqual([LOST, { value: 2 }])
})

it('a session runs a limited number of calls at a time', () => {
  const calls = new Calls(3)
  const begun = Array.from({ length: MAX_SESSION_CALLS + 2 }, (_, i) => calls.begin(call(i + 1)))
  expect(begun.filter((one) => one === 'new')).toHaveLength(MAX_SESSION_CALLS)
  expect(begun.at(-1)).toEqual({ problem: 'too many calls at a time' })
  calls.settle('1', { value: 1 })
  expect(calls.begin(call(MAX_SESSION_CALLS + 3))).toBe('new')
})
