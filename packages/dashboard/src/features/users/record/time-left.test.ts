/** Tests the remaining time that a user's record shows. */
import { describe, expect, it } from 'vitest'
import type { User } from '../user.ts'
import { timeLeft } from './time-left.ts'

const NOW = new Date(2026, 10, 28, 14, 41).getTime()
const DAY_MS = 86_400_000

const lifetime = { key_expires: null, clock: null, clock_extra: 0, paused: null } as unknown as User
const fromFirstRun = { basis: 'first_use', duration: 30 * DAY_MS } as User['clock']
const pausedWith = (left: number | null) => ({ at: NOW, left }) as unknown as User['paused']

const of = (user: Partial<User>) => timeLeft({ ...lifetime, ...user }, NOW)

describe('the time left', () => {
  it('of a key that never expires is unlimited, even while it is paused', () => {
    expect(of({})).toEqual({ value: 'Unlimited', hint: 'Never expires' })
    expect(of({ paused: pausedWith(null) })).toEqual({ value: 'Unlimited', hint: 'Paused' })
  })

  it('of a key that starts on its first run is its whole duration, even while it is paused', () => {
    expect(of({ clock: fromFirstRun })).toEqual({ value: '30 days', hint: 'Starts on the first run' })
    const extended = { clock: fromFirstRun, clock_extra: 2 * DAY_MS, paused: pausedWith(null) }
    expect(of(extended)).toEqual({ value: '32 days', hint: 'Paused' })
  })

  it('of a paused key is what it had when it was paused', () => {
    const user = { key_expires: NOW - DAY_MS, paused: pausedWith(12 * DAY_MS) }
    expect(of(user)).toEqual({ value: '12 days', hint: 'Paused' })
  })
})
