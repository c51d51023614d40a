/**
 * Builds the message for a denied customer in their language: what is wrong, what to do, and how long the
 * denial lasts. Each language is one table in `words/`, and a table with a missing message doesn't compile.
 * All functions are pure.
 */
import type { BadHello } from '@scriptward/client/hello'
import { type Denial, type DenialReason, denial, type Hello, type Runtime } from '@scriptward/client/messages'
import { findLanguage, type Language } from '../../../pages/language.ts'
import { count, fill, type Values } from '../../../pages/words.ts'
import { de } from './words/de.ts'
import { type DenialWord, type DenialWords, en } from './words/en.ts'
import { es } from './words/es.ts'
import { fil } from './words/fil.ts'
import { fr } from './words/fr.ts'
import { id } from './words/id.ts'
import { pt } from './words/pt.ts'
import { ru } from './words/ru.ts'
import { tr } from './words/tr.ts'
import { vi } from './words/vi.ts'

const TABLES: Readonly<Record<Language, DenialWords>> = { en, id, pt, es, ru, tr, vi, fil, de, fr }

/** The part of the attempt that the message depends on. */
export type DeniedHost = {
  readonly now: number
  readonly language: Language
  /** Whether the attempt included a key. */
  readonly isKeyGiven: boolean
  /** The executor's own name, safe to display. */
  readonly executor: string
  readonly runtime: Runtime
}

type Facts = DeniedHost & {
  readonly details: NonNullable<Denial['details']>
  readonly waitMs: number
  /** Returns a message in the customer's language. */
  readonly tell: (word: DenialWord, values?: Values) => string
}

/** Returns the denial with this customer's message and all other fields unchanged. */
export function wordDenial(answer: Denial, host: DeniedHost): Denial {
  const { details = {}, retry_after = 1, reason } = answer
  const { language } = host
  const tell: Facts['tell'] = (word, values = {}) => tellDenial(language, word, values)
  const words = WORDS[reason]?.({ ...host, details, waitMs: retry_after * 1000, tell })
  if (words !== undefined) return { ...answer, message: words }
  return isWorded(reason) ? { ...answer, message: tell(reason) } : answer
}

export function tellDenial(language: Language, word: DenialWord, values: Values = {}): string {
  return fill(TABLES[language][word], values)
}

/** Older loader builds do not send the language. */
export function languageOf({ lang }: Pick<Hello, 'lang'>): Language {
  return findLanguage(lang) ?? 'en'
}

/** Denies an invalid hello, and names the invalid field for developers of other clients. */
export function denyBadHello({ member, mend }: BadHello): Denial {
  const message = `The loader sent an invalid request: ${member} ${mend}. Get a new copy of the loader.`
  return { ...denial('bad_request', { details: { member, mend } }), message }
}

/**
 * Formats a duration with its two largest units, rounded up: "14 minutes", "23 hours 54 minutes", "3 days".
 */
export function durationWords(language: Language, ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  if (seconds < 60) return count(language, 'second', seconds)
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return count(language, 'minute', minutes)
  if (minutes < 24 * 60) return twoUnits(language, minutes, [60, 'hour', 'minute'])
  return twoUnits(language, Math.ceil(minutes / 60), [24, 'day', 'hour'])
}

const WORDS: Partial<Record<DenialReason, (facts: Facts) => string>> = {
  rate_limited: ({ language, waitMs, details, tell }) =>
    tell(details.wrong_keys ? 'wrong_keys' : 'rate_limited', { wait: durationWords(language, waitMs) }),
  script_disabled: ({ details, tell }) => String(details.disabled_message ?? tell('script_disabled')),
  invalid_key: ({ isKeyGiven, tell }) => tell(isKeyGiven ? 'invalid_key' : 'no_key'),
  key_expired: ({ language, now, details, tell }) =>
    tell('key_expired', { ago: durationWords(language, now - Number(details.expired_at)) }),
  blacklisted: blockedWords,
  executor_not_allowed: ({ executor, tell }) => tell('executor_not_allowed', { executor }),
  fingerprint_mismatch: (facts) => `${facts.tell('fingerprint_mismatch')} ${resetWords(facts)}`,
  // Names the missing function, because the customer can switch executors and the author can change the rule.
  fingerprint_missing: ({ executor, runtime, tell }) =>
    runtime === 'luau' ? tell('fingerprint_missing', { executor }) : tell('fingerprint_unreadable'),
  max_instances: ({ details, tell }) => tell('max_instances', { max: String(details.max) }),
  join_required: joinWords,
  sessions_required: ({ executor, tell }) => tell('sessions_required', { executor }),
}

function blockedWords({ language, now, details, tell }: Facts): string {
  const { blacklist_reason: reason, blacklist_expires: expires } = details
  const parts = [tell('blacklisted')]
  if (reason) parts.push(sayReason(tell, String(reason)))
  if (typeof expires === 'number')
    parts.push(tell('blacklist_end', { wait: durationWords(language, expires - now) }))
  return parts.join(' ')
}

/** A reason that ends with its own punctuation gets no period. */
function sayReason(tell: Facts['tell'], reason: string): string {
  return tell('blacklist_reason', { reason }).replace(/([.!?…])\.$/, '$1')
}

function joinWords({ details, tell }: Facts): string {
  if (!details.chat_linked) return tell('link_and_join')
  return tell(details.unreachable ? 'join_unknown' : 'join_required')
}

function resetWords({ language, now, details, tell }: Facts): string {
  const { can_reset, reset_available_at: at } = details
  if (can_reset) return tell('reset_now')
  if (typeof at === 'number') return tell('reset_later', { wait: durationWords(language, at - now) })
  return tell('reset_by_author')
}

type Units = readonly [per: number, large: 'hour' | 'day', small: 'minute' | 'hour']

function twoUnits(language: Language, number: number, [per, large, small]: Units): string {
  const rest = number % per
  const whole = count(language, large, Math.floor(number / per))
  return rest === 0 ? whole : `${whole} ${count(language, small, rest)}`
}

/** `bad_request` is only for developers of other clients, and this server never sends `tampered`. */
function isWorded(reason: DenialReason): reason is Exclude<DenialReason, 'bad_request' | 'tampered'> {
  return Object.hasOwn(en, reason)
}
