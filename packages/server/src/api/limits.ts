/** Limits for all requests: how many are allowed, and for how long a response can be replayed. */
import { type Rate, scaled } from '../platform/limits/token-buckets.ts'

/** How long a request repeated with the same `Idempotency-Key` gets the stored response. */
export const ANSWER_RETENTION_MS = 24 * 60 * 60 * 1000

/**
 * Maximum number of idempotency keys stored per account within the replay period. Beyond it, new keys are
 * rejected, because dropping an old key would allow its request to be performed twice.
 */
export const MAX_ANSWERS = 10_000
/**
 * Maximum number of these keys per token or dashboard user, so that none of them can use up the account's
 * keys. The account's API key has no separate limit.
 */
export const MAX_ANSWERS_OF_ONE = MAX_ANSWERS / 2
/**
 * Maximum size of an account's stored responses, in bytes. Beyond it, only the key is stored, and a retry
 * gets an error because the response was not stored.
 */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024
/** Maximum size of a stored response, in bytes. */
export const MAX_STORED_ANSWER = 64 * 1024

const REQUESTS: Rate = { perSecond: 50, burst: 100 }
/**
 * The limit shared by all tokens and dashboard sessions of an account, so that creating more of them doesn't
 * raise the limit.
 */
const OF_ACCOUNT: Rate = { perSecond: 100, burst: 200 }
const WRONG_KEYS: Rate = { perSecond: 0.5, burst: 20 }
const NO_LIMIT: Rate = { perSecond: 0, burst: 0 }

/**
 * The limit of one API key, token or dashboard session. A factor of 0 removes the limit and is shown as a
 * rate of 0.
 */
export function allowedRequests(factor: number): Rate {
  return factor === 0 ? NO_LIMIT : scaled(REQUESTS, factor)
}

/** The shared limit of all tokens and dashboard sessions of an account. */
export function allowedInAccount(factor: number): Rate {
  return factor === 0 ? NO_LIMIT : scaled(OF_ACCOUNT, factor)
}

/** The limit on requests with an invalid API key from one network. */
export function allowedWrongKeys(factor: number): Rate {
  return factor === 0 ? NO_LIMIT : scaled(WRONG_KEYS, factor)
}

/** The end of the year 9999, for accounts that do not expire. */
export const NEVER = 253_402_300_799_999
