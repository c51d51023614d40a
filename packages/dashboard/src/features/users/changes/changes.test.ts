/** Tests what the dialogs for changes say before the change is made. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { expiryWords, type User } from '../user.ts'
import { CHANGES, type Options } from './changes.ts'

const DAY_MS = 86_400_000

describe('the expiry date shown before a key is resumed', () => {
  beforeEach(() => void vi.useFakeTimers({ now: new Date(2026, 10, 28, 14, 41), toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  const preview = (starts_at: number | null) =>
    CHANGES.resume.preview?.(
      { starts_at, paused: { since: Date.now(), left: 30 * DAY_MS } } as unknown as User,
      {} as Options,
    )
  const inDays = (days: number) => `expires ${expiryWords(Date.now() + days * DAY_MS)}`

  it('counts the time that is left from now', () => {
    expect(preview(null)).toBe(inDays(30))
    expect(preview(Date.now() - DAY_MS)).toBe(inDays(30))
  })

  it('counts the time that is left from a start date in the future', () => {
    expect(preview(Date.now() + 10 * DAY_MS)).toBe(inDays(40))
  })
})
