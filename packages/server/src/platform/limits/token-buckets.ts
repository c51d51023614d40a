/**
 * Token buckets in the memory of this process. They refill according to the caller's `now`, so they follow
 * the server's clock.
 */
import { remember } from './remember.ts'

/** A bucket holds up to `burst` tokens and refills at a rate of `perSecond`. */
export type Rate = { readonly perSecond: number; readonly burst: number }

export type Taken = {
  /** 0 if the tokens were taken, and otherwise the number of milliseconds until they are available. */
  readonly waitMs: number
  /** Number of whole tokens left. */
  readonly left: number
  /** Milliseconds until the bucket is full. */
  readonly fullInMs: number
}

/** Each entry takes up about 150 bytes. */
const MAX_ENTRIES = 100_000

/**
 * An entry moves to the end of the map at most this often, because moving it on each request would dominate
 * the cost.
 */
const IN_PLACE_MS = 1000

type Bucket = { fullAt: number; readonly movedAt: number }

/**
 * Multiplies a rate by `factor`, keeping at least one token. Callers with a factor of 0 don't use buckets.
 */
export function scaled({ perSecond, burst }: Rate, factor: number): Rate {
  return { perSecond: perSecond * factor, burst: Math.max(1, Math.floor(burst * factor)) }
}

export class TokenBuckets {
  readonly #buckets = new Map<string, Bucket>()

  has(who: string): boolean {
    return this.#buckets.has(who)
  }

  forget(who: string): void {
    this.#buckets.delete(who)
  }

  /**
   * Takes `cost` tokens if available, or a full bucket if the cost exceeds its size. A negative cost refunds
   * tokens.
   */
  takeToken(who: string, { perSecond, burst }: Rate, now: number, cost = 1): Taken {
    const bucket = this.#buckets.get(who)
    const stepMs = 1000 / perSecond
    const bucketMs = stepMs * burst
    // At most one full bucket can be missing, so that setting the clock back doesn't lock callers out.
    const missingMs = Math.min(Math.max(0, (bucket?.fullAt ?? 0) - now), bucketMs)
    const costMs = stepMs * Math.min(cost, burst)
    const waitMs = missingMs + costMs - bucketMs
    // Less than half a millisecond is a rounding error in the division.
    const isThere = waitMs <= 0.5
    const fullInMs = isThere ? Math.max(0, missingMs + costMs) : missingMs
    this.#set(who, now + fullInMs, now)
    const left = Math.max(0, Math.floor((bucketMs - fullInMs) / stepMs + 1e-6))
    return { waitMs: isThere ? 0 : Math.ceil(waitMs), left, fullInMs }
  }

  #set(who: string, fullAt: number, now: number): void {
    const bucket = this.#buckets.get(who)
    if (bucket && Math.abs(now - bucket.movedAt) < IN_PLACE_MS) bucket.fullAt = fullAt
    else remember(this.#buckets, who, { fullAt, movedAt: now }, MAX_ENTRIES)
  }
}
