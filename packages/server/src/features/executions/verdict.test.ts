/** The order of denials: if two reasons apply, the denial reports the one that the protocol lists first. */
import type { DenialReason } from '@scriptward/client/messages'
import { describe, expect, it } from 'vitest'
import { type Facts, judgeFacts, type UserFacts } from './verdict.ts'

const NOW = 1_000_000
const user: UserFacts = {
  key_expires: null,
  blacklist: undefined,
  use_fingerprint: true,
  device: 'same',
  last_reset: 0,
  next_reset: 0,
  chat_id: null,
  membership: 'missing',
  executions: 5,
  max_executions: null,
  max_instances: null,
  live_instances: 3,
  isNetworkLocked: false,
  isPaused: false,
  starts_at: null,
  grace: 0,
  isInPlan: true,
  quota_until: null,
  kept_version: null,
}
const granted: Facts = {
  now: NOW,
  isLoaderOutdated: false,
  isScriptNamedRightly: true,
  host: { canHoldSession: false, isDeviceAmbiguous: false },
  script: {
    enabled: true,
    disabled_message: null,
    free_for_all: false,
    require_sessions: false,
    executor_rule: null,
  },
  project: {
    allow_fingerprint_resets: true,
    fingerprint_reset_cooldown: 1000,
    require_chat: false,
    require_join_chat_server: false,
    guests_need_device: false,
  },
  isOwnerServed: true,
  ban: undefined,
  user,
  keyless: { blacklist: undefined, isOverLimit: false, isDeviceMissing: false },
}

const editUser =
  (changes: Partial<UserFacts>) =>
  (facts: Facts): Facts => ({
    ...facts,
    user: facts.user && { ...facts.user, ...changes },
  })
const editScript =
  (changes: Partial<NonNullable<Facts['script']>>) =>
  (facts: Facts): Facts => ({
    ...facts,
    script: facts.script && { ...facts.script, ...changes },
  })
const edit =
  (changes: Partial<Facts>) =>
  (facts: Facts): Facts => ({ ...facts, ...changes })

/**
 * For each reason, in protocol order, a change that makes the reason apply without affecting the other
 * checks.
 */
const REASONS: readonly (readonly [DenialReason, (facts: Facts) => Facts])[] = [
  ['outdated_loader', edit({ isLoaderOutdated: true })],
  ['bad_request', edit({ isScriptNamedRightly: false })],
  ['script_not_found', edit({ script: undefined, project: undefined, user: undefined })],
  ['script_disabled', editScript({ enabled: false })],
  ['service_unavailable', edit({ isOwnerServed: false })],
  ['invalid_key', edit({ user: undefined })],
  ['blacklisted', editUser({ blacklist: { reason: null, expires: null } })],
  ['key_expired', editUser({ key_expires: NOW })],
  ['executor_not_allowed', editScript({ executor_rule: 'deny' })],
  ['fingerprint_ambiguous', edit({ host: { canHoldSession: false, isDeviceAmbiguous: true } })],
  ['fingerprint_missing', editUser({ device: 'missing' })],
  ['fingerprint_mismatch', editUser({ device: 'different' })],
  ['network_locked', editUser({ isNetworkLocked: true })],
  [
    'chat_required',
    (facts) => ({ ...facts, project: facts.project && { ...facts.project, require_chat: true } }),
  ],
  [
    'join_required',
    (facts) => ({ ...facts, project: facts.project && { ...facts.project, require_join_chat_server: true } }),
  ],
  ['max_executions', editUser({ max_executions: 5 })],
  ['max_instances', editUser({ max_instances: 3 })],
  ['sessions_required', editScript({ require_sessions: true })],
]

const reasonOf = (facts: Facts) => {
  const verdict = judgeFacts(facts)
  return verdict.granted ? 'granted' : verdict.reason
}

describe('the verdict on a run', () => {
  it('grants a run that no rule denies', () => {
    expect(judgeFacts(granted)).toEqual({ granted: true, isPremium: true, keptVersion: null })
  })

  it.each([
    [NOW + 1, null],
    [NOW, 3],
    [null, null],
  ])(
    'sets keptVersion for a key that expires at %s to %s if it keeps version 3',
    (key_expires, keptVersion) => {
      const verdict = judgeFacts(editUser({ key_expires, kept_version: 3 })(granted))
      expect(verdict).toEqual({ granted: true, isPremium: true, keptVersion })
    },
  )

  it.each(REASONS)('denies with %s when only this reason applies', (reason, change) => {
    expect(reasonOf(change(granted))).toBe(reason)
  })

  const pairs = REASONS.flatMap(([first, one], i) =>
    REASONS.slice(i + 1).map(([second, other]) => ({ first, second, one, other })),
  )
  it.each(pairs)('checks $first before $second', ({ first, one, other, second }) => {
    // A device can't be both missing and different, because the second change would overwrite the first.
    const both =
      first === 'fingerprint_missing' && second === 'fingerprint_mismatch'
        ? one(granted)
        : one(other(granted))
    expect(reasonOf(both)).toBe(first)
  })
})

describe('a ban', () => {
  const ban = { reason: 'attacks', expires: NOW + 1 }
  const place = REASONS.findIndex(([reason]) => reason === 'invalid_key')

  it.each(REASONS.slice(0, place))('is checked after %s', (reason, change) => {
    expect(reasonOf(change({ ...granted, ban }))).toBe(reason)
  })

  it.each(REASONS.slice(place))('is checked before %s and reveals nothing about the key', (_, change) => {
    expect(judgeFacts(change({ ...granted, ban }))).toEqual({
      granted: false,
      reason: 'blacklisted',
      extras: { details: { blacklist_reason: 'attacks', blacklist_expires: NOW + 1 } },
    })
  })

  it('denies nothing after it ends', () => {
    expect(reasonOf({ ...granted, ban: { reason: null, expires: NOW } })).toBe('granted')
  })
})

describe('the details of a denial', () => {
  const details = (facts: Facts) => {
    const verdict = judgeFacts(facts)
    return verdict.granted ? undefined : verdict.extras.details
  }

  it('contain when a reset is possible', () => {
    const mismatch = (changes: Partial<UserFacts>) =>
      details(editUser({ device: 'different', ...changes })(granted))
    expect(mismatch({ last_reset: 0 })).toEqual({ can_reset: true, reset_available_at: null })
    expect(mismatch({ last_reset: NOW - 1000 })).toEqual({ can_reset: true, reset_available_at: null })
    expect(mismatch({ last_reset: NOW - 999 })).toEqual({ can_reset: false, reset_available_at: NOW + 1 })
    const project = {
      allow_fingerprint_resets: false,
      fingerprint_reset_cooldown: 1000,
      require_chat: false,
      require_join_chat_server: false,
      guests_need_device: false,
    }
    expect(details(editUser({ device: 'different' })({ ...granted, project }))).toEqual({
      can_reset: false,
      reset_available_at: null,
    })
  })

  it('contain the number of live instances and the end of a blacklist', () => {
    expect(details(editUser({ max_instances: 2 })(granted))).toEqual({ live: 3, max: 2 })
    expect(details(editUser({ blacklist: { reason: 'leak', expires: NOW + 1 } })(granted))).toEqual({
      blacklist_reason: 'leak',
      blacklist_expires: NOW + 1,
    })
  })
})

describe('expiry is decided by the time of the request', () => {
  it.each([
    [
      'a blacklist that ends now is ignored',
      editUser({ blacklist: { reason: 'x', expires: NOW } }),
      'granted',
    ],
    [
      'a blacklist that ends a millisecond later still applies',
      editUser({ blacklist: { reason: 'x', expires: NOW + 1 } }),
      'blacklisted',
    ],
    ['a key that expires a millisecond later is still valid', editUser({ key_expires: NOW + 1 }), 'granted'],
  ] as const)('%s', (_, change, expected) => {
    expect(reasonOf(change(granted))).toBe(expected)
  })
})

describe('a free_for_all script', () => {
  const open = editScript({ free_for_all: true })(granted)

  it('runs without a key, and treats a user with an expired key as a guest', () => {
    expect(judgeFacts({ ...open, user: undefined })).toEqual({
      granted: true,
      isPremium: false,
      keptVersion: null,
    })
    for (const kept_version of [null, 3])
      expect(judgeFacts(editUser({ key_expires: NOW, kept_version })(open))).toEqual({
        granted: true,
        isPremium: false,
        keptVersion: null,
      })
    expect(judgeFacts(open)).toEqual({ granted: true, isPremium: true, keptVersion: null })
  })

  it('applies the rules of a valid key and recognizes banned users with expired keys', () => {
    expect(reasonOf(editUser({ device: 'different' })(open))).toBe('fingerprint_mismatch')
    const blacklist = { reason: null, expires: null }
    expect(reasonOf(editUser({ key_expires: NOW, blacklist })(open))).toBe('blacklisted')
  })

  it('denies guests on a banned device, beyond the limit or with an ambiguous device', () => {
    const guest = { ...open, user: undefined }
    const keyless = { ...granted.keyless, isOverLimit: true }
    const banned = { ...granted.keyless, blacklist: { reason: null, expires: null } }
    expect(reasonOf({ ...guest, keyless: banned })).toBe('blacklisted')
    expect(reasonOf({ ...guest, keyless })).toBe('service_unavailable')
    expect(reasonOf({ ...guest, host: { canHoldSession: false, isDeviceAmbiguous: true } })).toBe(
      'fingerprint_ambiguous',
    )
    expect(reasonOf({ ...open, keyless })).toBe('granted')
  })

  it('does not require a Discord account from guests', () => {
    const project = {
      allow_fingerprint_resets: true,
      fingerprint_reset_cooldown: 0,
      require_chat: true,
      require_join_chat_server: true,
      guests_need_device: false,
    }
    expect(reasonOf({ ...open, user: undefined, project })).toBe('granted')
  })
})
