/**
 * Rate limits for API keys, and for invalid keys per IP address. A valid key works no matter how many invalid
 * keys come from its IP address, so that no one can lock out others at the same address. A key in the body
 * becomes known only after the request has been charged to the IP address.
 */
import { allowedInAccount, allowedRequests, allowedWrongKeys } from '../api/limits.ts'
import { type Refused, refuse } from '../api/refusals.ts'
import type { JointBuckets } from '../platform/limits/joint-buckets.ts'
import type { Limits } from '../platform/limits/limits.ts'
import { networkOf } from '../platform/limits/networks.ts'
import type { Rate, Taken } from '../platform/limits/token-buckets.ts'

export type Caller = {
  /** The API key as sent, if any. */
  readonly token: string | undefined
  readonly address: string
  readonly now: number
  /** Number of requests that this one counts as. */
  readonly cost: number
}
export type Admission = {
  /** Sent with any response. Empty for a request that was not counted. */
  readonly headers: Readonly<Record<string, string>>
  readonly refused: Refused<'rate_limited'> | undefined
  /** Whether the request was counted for its key. */
  readonly isCounted: boolean
}

const ADMITTED: Admission = { headers: {}, refused: undefined, isCounted: false }

export class RateLimits {
  readonly #factor: number
  readonly #requests: Rate
  readonly #ofAccount: Rate
  readonly #wrong: Rate
  readonly #policy: string
  /** Buckets of valid API keys. */
  readonly #known: JointBuckets
  /** Buckets for invalid API keys, by network. */
  readonly #failures: JointBuckets

  /** `factor` multiplies every limit. A factor of 0 turns the limits off. */
  constructor(factor: number, { requests, wrongApiKeys }: Pick<Limits, 'requests' | 'wrongApiKeys'>) {
    this.#known = requests
    this.#failures = wrongApiKeys
    this.#factor = factor
    this.#requests = allowedRequests(factor)
    this.#ofAccount = allowedInAccount(factor)
    this.#wrong = allowedWrongKeys(factor)
    const seconds = Math.ceil(this.#requests.burst / this.#requests.perSecond)
    this.#policy = `"default";q=${this.#requests.burst};w=${seconds}`
  }

  /**
   * Admits a request without a key outside the body. The body may contain a key, but reading it is expensive,
   * so the request is charged to the IP address first.
   */
  async admitUnnamed(address: string, now: number): Promise<Refused<'rate_limited'> | undefined> {
    if (this.#factor === 0) return undefined
    const { waitMs } = await this.#failures.takeToken(`no key ${networkOf(address)}`, this.#requests, now)
    return waitMs > 0 ? tooMany(waitMs) : undefined
  }

  /** Runs before the key is looked up, so that a caller over the limit costs no query. */
  async admit(caller: Omit<Caller, 'address'>): Promise<Admission> {
    const { token } = caller
    if (this.#factor === 0 || token === undefined) return ADMITTED
    return this.#known.has(token) ? this.#takeRequest(token, caller) : ADMITTED
  }

  /** Admits a caller with a token or a cookie, whose account is already known. */
  async admitAccount(id: string, { now, cost }: Pick<Caller, 'now' | 'cost'>): Promise<Admission> {
    if (this.#factor === 0) return ADMITTED
    const { waitMs } = await this.#known.takeToken(`account ${id}`, this.#ofAccount, now, cost)
    return waitMs > 0 ? { ...ADMITTED, refused: tooMany(waitMs) } : ADMITTED
  }

  /**
   * Charges the request after the lookup. `isKey` is true if the key exists. If several requests arrive with
   * a key that is new to this process, each of them is counted here.
   */
  async settle(caller: Caller, { isCounted }: Admission, isKey: boolean): Promise<Admission> {
    const { token, address, now } = caller
    if (this.#factor === 0 || token === undefined) return ADMITTED
    if (isKey) return isCounted ? ADMITTED : this.#takeRequest(token, caller)
    this.#known.forget(token)
    const { waitMs } = await this.#failures.takeToken(`wrong key ${networkOf(address)}`, this.#wrong, now)
    return waitMs > 0 ? { ...ADMITTED, refused: tooMany(waitMs) } : ADMITTED
  }

  async #takeRequest(token: string, { now, cost }: Pick<Caller, 'now' | 'cost'>): Promise<Admission> {
    const taken = await this.#known.takeToken(token, this.#requests, now, cost)
    const refused = taken.waitMs > 0 ? tooMany(taken.waitMs) : undefined
    return { headers: this.#headersOf(taken), refused, isCounted: true }
  }

  /**
   * Follows draft-ietf-httpapi-ratelimit-headers: the quota and its window, the remaining requests, and the
   * reset time.
   */
  #headersOf({ left, fullInMs }: Taken): Admission['headers'] {
    const reset = Math.ceil(fullInMs / 1000)
    return { ratelimit: `"default";r=${left};t=${reset}`, 'ratelimit-policy': this.#policy }
  }
}

function tooMany(waitMs: number): Refused<'rate_limited'> {
  return refuse('rate_limited', { retry_after: Math.ceil(waitMs / 1000) })
}
