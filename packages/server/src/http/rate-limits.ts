/**
 * How many requests a credential may make, and how many wrong credentials an address may try. A right one works
 * however many wrong ones come from its address, so that nobody can lock his neighbours out.
 */
import { allowedRequests, allowedWrongKeys } from '../domain/limits.ts'
import { type Refused, refuse } from '../domain/refusals.ts'
import { JointBuckets } from '../limits/joint-buckets.ts'
import { networkOf } from '../limits/networks.ts'
import type { Rate, Taken } from '../limits/token-buckets.ts'
import { onceThere, type Soon } from '../soon.ts'
import type { Valkey } from '../valkey/valkey.ts'

export type Caller = {
  /** The API key as it was sent, if any was. */
  readonly token: string | undefined
  readonly address: string
  readonly now: number
}
export type Admission = {
  /** Names and values by turns. */
  readonly headers: readonly string[]
  readonly refused: Refused<'rate_limited'> | undefined
}

/** Of a request that was not counted. */
export const NO_HEADERS: Admission['headers'] = []
const ADMITTED: Admission = { headers: NO_HEADERS, refused: undefined }

export class RateLimits {
  readonly #factor: number
  readonly #requests: Rate
  readonly #wrong: Rate
  readonly #policy: string
  /** By API key, and only those that are one. */
  readonly #known: JointBuckets
  /** By network. */
  readonly #failures: JointBuckets

  /** `factor` multiplies every limit; 0 switches them off. */
  constructor(factor: number, valkey: Valkey | undefined) {
    this.#known = new JointBuckets(valkey)
    this.#failures = new JointBuckets(valkey)
    this.#factor = factor
    this.#requests = allowedRequests(factor)
    this.#wrong = allowedWrongKeys(factor)
    const seconds = Math.ceil(this.#requests.burst / this.#requests.perSecond)
    this.#policy = `"default";q=${this.#requests.burst};w=${seconds}`
  }

  /** Before anybody is looked up: whoever has had too much costs nothing more. */
  admit({ token, now }: Omit<Caller, 'address'>): Soon<Admission> {
    if (this.#factor === 0 || token === undefined) return ADMITTED
    return this.#known.has(token) ? this.#take(token, now) : ADMITTED
  }

  /** After the look-up: whether there is somebody who has this key. */
  settle({ token, address, now }: Caller, isKey: boolean): Soon<Admission> {
    if (this.#factor === 0 || token === undefined) return ADMITTED
    if (isKey) return this.#known.has(token) ? ADMITTED : this.#take(token, now)
    this.#known.forget(token)
    const taken = this.#failures.take(`wrong key ${networkOf(address)}`, this.#wrong, now)
    return onceThere(taken, ({ waitMs }) =>
      waitMs > 0 ? { headers: NO_HEADERS, refused: tooMany(waitMs) } : ADMITTED,
    )
  }

  #take(token: string, now: number): Soon<Admission> {
    return onceThere(this.#known.take(token, this.#requests, now), (taken) => ({
      headers: this.#headersOf(taken),
      refused: taken.waitMs > 0 ? tooMany(taken.waitMs) : undefined,
    }))
  }

  /** As draft-ietf-httpapi-ratelimit-headers has them: the quota and its window, what is left and when it is whole. */
  #headersOf({ left, fullInMs }: Taken): readonly string[] {
    const reset = Math.ceil(fullInMs / 1000)
    return ['ratelimit', `"default";r=${left};t=${reset}`, 'ratelimit-policy', this.#policy]
  }
}

function tooMany(waitMs: number): Refused<'rate_limited'> {
  return refuse('rate_limited', { retry_after: Math.ceil(waitMs / 1000) })
}
