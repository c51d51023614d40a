import { describe, expect, it } from 'vitest'
import { deniedDevicesIn, networkOf } from './denied.ts'
import type { Denial } from './record/problem.ts'

const DAY_MS = 86_400_000
const NOW = 100 * DAY_MS

function denialOf(given: Partial<Denial> & { readonly fingerprint?: string }): Denial {
  const { fingerprint = 'c41d…07', ...rest } = given
  return {
    ...{ reason: 'fingerprint_mismatch', code: 1, value: null, allowed_at: null, script_id: 's' },
    ...{ script_version: 1, count: 1, left_out: 0, first_at: NOW, last_at: NOW },
    client: { ip: '203.0.113.7', fingerprint, executor: 'Wave', runtime: 'luau' },
    ...rest,
  }
}

describe('the denied devices of a key', () => {
  it('appear once each, the latest first, with all of their denials counted', () => {
    const older = denialOf({ last_at: NOW - DAY_MS, count: 3, left_out: 2 })
    const other = denialOf({ last_at: NOW - 2 * DAY_MS, fingerprint: 'aa…01' })
    const found = deniedDevicesIn([other, older, denialOf({})], NOW)
    expect(found.map(({ name, count, at }) => ({ name, count, at }))).toEqual([
      { name: 'c41d…07', count: 6, at: NOW },
      { name: 'aa…01', count: 1, at: NOW - 2 * DAY_MS },
    ])
  })

  it('leave out denials for other reasons and those of more than 7 days ago', () => {
    const others = [denialOf({ reason: 'key_expired' }), denialOf({ last_at: NOW - 8 * DAY_MS })]
    expect(deniedDevicesIn(others, NOW)).toEqual([])
  })

  it('can be bound only if they have an identity', () => {
    const found = deniedDevicesIn([denialOf({ reason: 'fingerprint_missing', fingerprint: '' })], NOW)
    expect(found).toMatchObject([{ name: '', canBind: false }])
  })

  it('are on a network that can be blocked, as far as their IP address is known', () => {
    expect(networkOf('203.0.*.*')).toBe('203.0.0.0/16')
    expect(networkOf('2001:db8:*')).toBe('2001:db8::/32')
    expect(networkOf('')).toBe(undefined)
  })
})
