/** The message for each denial reason. */
import {
  DENIALS,
  type Denial,
  type DenialExtras,
  type DenialReason,
  denial,
} from '@scriptward/client/messages'
import { describe, expect, it } from 'vitest'
import { LANGUAGES, type Language } from '../../../pages/language.ts'
import { type DeniedHost, durationWords, languageOf, tellDenial, wordDenial } from './denial-words.ts'
import { type DenialWord, en } from './words/en.ts'

const NOW = 1_700_000_000_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const HOST: DeniedHost = { now: NOW, language: 'en', isKeyGiven: true, executor: 'Garden', runtime: 'luau' }
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
      'This key or device is blocked. Reason: chargeback. The block ends in 1 hour 30 minutes.',
    )
  })

  it.each(['Cheated!', 'Why?', 'The payment was taken back.', 'And so on…'])(
    'ends the reason %s with its own punctuation in every language',
    (blacklist_reason) => {
      for (const language of LANGUAGES)
        expect(words('blacklisted', { details: { blacklist_reason } }, { language })).toMatch(
          new RegExp(`: ${blacklist_reason.replace(/[.?]/, '\\$&')}$`),
        )
    },
  )

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
])('%i ms are formatted as %s', (ms, said) => expect(durationWords('en', ms)).toBe(said))

const WORDS = Object.keys(en) as DenialWord[]

describe.each(LANGUAGES.filter((one) => one !== 'en'))('the messages of denials in %s', (language) => {
  it('have the placeholders of the English ones, and are all translated', () => {
    const valuesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([value]) => value).sort()
    for (const word of WORDS) {
      expect(valuesOf(tellDenial(language, word)), word).toEqual(valuesOf(en[word]))
      expect(tellDenial(language, word), word).not.toBe(en[word])
    }
  })

  it('keep the names that customers have to type', () => {
    for (const name of ['script_key', 'SCRIPT_KEY', 'gethwid', 'io.open', 'io.popen', 'WebSocket.connect'])
      for (const word of WORDS.filter((one) => en[one].includes(name)))
        expect(tellDenial(language, word), word).toContain(name)
  })
})

type DenialCase = {
  readonly reason: DenialReason
  readonly details: NonNullable<Denial['details']>
  readonly rt: DeniedHost['runtime']
}

describe.each(LANGUAGES)('a denial in %s', (language) => {
  const details = { expired_at: NOW - 47 * HOUR, max: 2, reset_available_at: NOW + 23 * HOUR + 59 * MINUTE }
  const cases: readonly DenialCase[] = [
    ...(Object.keys(DENIALS) as DenialReason[]).map(
      (reason): DenialCase => ({ reason, details, rt: 'luau' }),
    ),
    { reason: 'fingerprint_missing', details: {}, rt: 'lua5.1' },
    { reason: 'fingerprint_mismatch', details: { can_reset: true }, rt: 'luau' },
    { reason: 'fingerprint_mismatch', details: {}, rt: 'luau' },
    { reason: 'rate_limited', details: { wrong_keys: true }, rt: 'luau' },
    { reason: 'join_required', details: { chat_linked: true }, rt: 'luau' },
    { reason: 'join_required', details: { chat_linked: true, unreachable: true }, rt: 'luau' },
    {
      ...{ reason: 'blacklisted', rt: 'luau' },
      details: { blacklist_reason: 'shared', blacklist_expires: NOW + HOUR },
    },
  ]

  it.each(cases)('has at most 200 characters and no placeholder: $reason', ({ reason, details, rt }) => {
    const host = { language, runtime: rt, isKeyGiven: false }
    const message = words(reason, { details, retry_after: 840 }, host)
    expect(message.length).toBeLessThanOrEqual(200)
    expect(message).not.toMatch(/[{}]|undefined|NaN/)
  })
})

it("keeps the author's own words in every language", () => {
  const details = { disabled_message: 'Back at 18:00.' }
  expect(words('script_disabled', { details }, { language: 'ru' })).toBe('Back at 18:00.')
})

it.each([
  ['ru', 'key_expired', 'Ключ истёк 1 день 21 час назад.'],
  ['de', 'rate_limited', 'Warte 14 Minuten und'],
  ['pt', 'rate_limited', 'Tente de novo em 14 minutos.'],
] as const)('durations fit the sentence in %s: %s', (language, reason, part) => {
  const details = { expired_at: NOW - 45 * HOUR }
  expect(words(reason, { retry_after: 840, details }, { language })).toContain(part)
})

it.each<[string | undefined, Language]>([
  [undefined, 'en'],
  ['PT-br', 'pt'],
  ['tl', 'fil'],
  ['zh', 'en'],
  ['constructor', 'en'],
])('a host that tells the language %s gets %s', (lang, language) => {
  expect(languageOf(lang === undefined ? {} : { lang })).toBe(language)
})
