/** Tests the form state of a key's duration. */
import { describe, expect, it } from 'vitest'
import { localDate } from '../../../lib/when.ts'
import { type DurationDraft, withDays } from './duration.ts'

const NOW = new Date('2026-03-10T12:00').getTime()
const EMPTY: DurationDraft = { kind: 'lifetime', date: '', amount: '', unit: 'day', basis: 'first_use' }

describe('added days', () => {
  it('count from now if the key has no expiry', () => {
    expect(withDays(EMPTY, 7, NOW)).toMatchObject({ kind: 'until', date: '2026-03-17T12:00' })
  })
  it('count from now if the expiry has passed', () => {
    const draft = { ...EMPTY, date: localDate(NOW - 86_400_000) }
    expect(withDays(draft, 1, NOW).date).toBe('2026-03-11T12:00')
  })
})
