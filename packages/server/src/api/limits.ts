/** What holds for every request, whatever it asks: how many there may be, and how long an answer is given again. */
import { type Rate, scaled } from '../platform/limits/token-buckets.ts'

/** How long a request with an `Idempotency-Key` is answered again instead of being done again. */
export const ANSWER_RETENTION_MS = 24 * 60 * 60 * 1000

/** Of one customer within that time. A new key beyond it is refused: dropping an old one would repeat its request. */
export const MAX_ANSWERS = 10_000
/** Bytes of stored answers of one customer; beyond it only the key is stored, and a repeat finds its answer lost. */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024
/** The longest answer that is stored, in bytes. */
export const MAX_STORED_ANSWER = 64 * 1024

const REQUESTS: Rate = { perSecond: 50, burst: 100 }
/** Of all tokens and sign-ins of one account together, so that many of them are no way around the limit of one. */
const OF_ACCOUNT: Rate = { perSecond: 100, burst: 200 }
const WRONG_KEYS: Rate = { perSecond: 0.5, burst: 20 }
const NO_LIMIT: Rate = { perSecond: 0, burst: 0 }

/** Of one API key, token or sign-in; a factor of 0 lifts the limit and is shown as a rate of 0. */
export function allowedRequests(factor: number): Rate {
  return factor === 0 ? NO_LIMIT : scaled(REQUESTS, factor)
}

/** Of all tokens and sign-ins of an account. */
export function allowedInAccount(factor: number): Rate {
  return factor === 0 ? NO_LIMIT : scaled(OF_ACCOUNT, factor)
}

/** Requests with an API key that is none, from one network. */
export function allowedWrongKeys(factor: number): Rate {
  return factor === 0 ? NO_LIMIT : scaled(WRONG_KEYS, factor)
}

/** The end of the year 9999, for accounts that do not expire. */
export const NEVER = 253_402_300_799_999
