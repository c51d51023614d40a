/** The message for each denial reason. */
import { type Denial, type DenialExtras, type DenialReason, denial } from '@scriptward/client/messages'
import { describe, expect, it } from 'vitest'
import { type DeniedHost, durationWords, wordDenial } from './denial-words.ts'

const NOW = 1_700_000_000_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const HOST: DeniedHost = { now: NOW, isKeyGiven: true, executor: 'Garden', runtime: 'luau' }
const words = (reason: DenialReason, extras: DenialExtras = {}, host: Partial<DeniedHost> = {}) =>
  wordDenial(denial(reason, extras), { ...HOST, ...host }).message

describe('the message of a denial', () => {
  it('explains how to set a missing key, and to check an unknown one', () => {
    expect(words('invalid_key', {}, { isKeyGiven: false })).toContain('No key was given. Put script_key')
    expect(words('invalid_key')).toBe('This key is not valid for this script. Check script_key.')
  })

  it('formats times in words', () => {
    expect(words('rate_limited', { retry_after: 6 })).toBe('Too many attempts. Try again in 6 seconds.')
    const paused = words('rate_limited', { retry_after: 840, details: { wrong_keys: true } })
    expect(paused).toContain('Check script_key, then try again in 14 minutes.')
    expect(words('key_expired', { details: { expired_at: NOW - 50 * HOUR } })).toContain(
      'expired 2 days 2 hours ago',
    )
    const details = { blacklist_reason: 'chargeback', blacklist_expires: NOW + 90 * MINUTE }
    expect(words('blacklisted', { details })).toBe(
      'This key or device is blocked. Reason: chargeback. It ends in 1 hour 30 minutes.',
    )
  })

  it('explains after a device mismatch who can reset the device, and when', () => {
    const mismatch = (details: NonNullable<Denial['details']>) => words('fingerprint_mismatch', { details })
    expect(mismatch({ can_reset: true, reset_available_at: null })).toContain("on your key's page")
    expect(mismatch({ can_reset: false, reset_available_at: NOW + 14 * MINUTE })).toContain('in 14 minutes')
    expect(mismatch({ can_reset: false, reset_available_at: null })).toContain("Ask the script's author")
  })

  it('names the executor and the function that it lacks', () => {
    expect(words('fingerprint_missing')).toMatch(/executor \(Garden\) has no working gethwid function/)
    expect(words('fingerprint_missing', {}, { runtime: 'lua5.1' })).toContain('io.open or io.popen')
    expect(words('sessions_required')).toMatch(/\(Garden\) has no WebSocket\.connect/)
  })

  it('leaves the rest of the denial unchanged', () => {
    const answer = denial('max_instances', { details: { live: 2, max: 2 } })
    expect({ ...wordDenial(answer, HOST), message: '' }).toEqual({ ...answer, message: '' })
    expect(wordDenial(denial('script_disabled'), HOST)).toEqual(denial('script_disabled'))
    const details = { disabled_message: 'Back at 18:00.' }
    expect(wordDenial(denial('script_disabled', { details }), HOST).message).toBe('Back at 18:00.')
  })
})

it.each([
  [0, '1 second'],
  [59_000, '59 seconds'],
  [61_000, '2 minutes'],
  [HOUR, '1 hour'],
  [24 * HOUR - MINUTE, '23 hours 59 minutes'],
  [24 * HOUR + 1, '1 day 1 hour'],
  [30 * 24 * HOUR, '30 days'],
])('%i ms are formatted as %s', (ms, said) => expect(durationWords(ms)).toBe(said))
