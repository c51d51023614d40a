/**
 * Limits the attempts of clients and visitors according to the rules in `rules.ts`, and pauses IP addresses
 * that try wrong keys. All processes share the counts.
 */

import { type Valkey, ValkeyUnavailable } from '../valkey/valkey.ts'
import { JointBuckets } from './joint-buckets.ts'
import { remember } from './remember.ts'
import { type Limit, LOCAL_LIMITS, RULES } from './rules.ts'
import { scaled, TokenBuckets } from './token-buckets.ts'

const WRONG_KEYS = 5
const WRONG_KEYS_WINDOW_MS = 10 * 60_000
const WRONG_KEYS_PAUSE_MS = 15 * 60_000
const MAX_ENTRIES = 100_000

const COUNT_WRONG = `
local count = redis.call('incr', KEYS[1])
if count == 1 then redis.call('pexpire', KEYS[1], ARGV[1]) end
if count < tonumber(ARGV[2]) then return 0 end
local paused = redis.call('exists', KEYS[2])
redis.call('set', KEYS[2], '1', 'PX', ARGV[3])
return 1 - paused`
const PAUSE = `return redis.call('pttl', KEYS[1])`

type WrongKeys = { count: number; since: number; pausedUntil: number }

export class AttemptLimiter {
  readonly #factor: number
  readonly #valkey: Valkey | undefined
  readonly #local = new TokenBuckets()
  readonly #buckets: JointBuckets
  readonly #wrongKeys = new Map<string, WrongKeys>()

  /** `factor` multiplies every limit. 0 disables the limits. */
  constructor(factor: number, valkey: Valkey | undefined) {
    this.#factor = factor
    this.#valkey = valkey
    this.#buckets = new JointBuckets(valkey)
  }

  /**
   * Counts one attempt. Returns 0 if it is allowed, and otherwise the number of milliseconds until the next
   * attempt is allowed. `share` multiplies the limit for this caller.
   */
  async takeAttempt(limit: Limit, who: string, now: number, share = 1): Promise<number> {
    if (this.#factor === 0) return 0
    const { perMinute, burst } = RULES[limit]
    const rate = scaled({ perSecond: perMinute / 60, burst }, this.#factor * share)
    if (LOCAL_LIMITS.has(limit)) return this.#local.takeToken(`${limit} ${who}`, rate, now).waitMs
    return (await this.#buckets.takeToken(`${limit} ${who}`, rate, now)).waitMs
  }

  /** Refunds one attempt that turned out to be legitimate. */
  async giveBack(limit: Limit, who: string, now: number): Promise<void> {
    if (this.#factor === 0) return
    const { perMinute, burst } = RULES[limit]
    const rate = scaled({ perSecond: perMinute / 60, burst }, this.#factor)
    await this.#buckets.takeToken(`${limit} ${who}`, rate, now, -1)
  }

  /**
   * Counts an attempt with a nonexistent key. Too many such attempts pause the IP address. Returns the
   * length, in milliseconds, of the pause that this attempt starts, or 0.
   */
  async countWrongKey(address: string, now: number): Promise<number> {
    if (this.#factor === 0) return 0
    const max = Math.max(1, Math.floor(WRONG_KEYS * this.#factor))
    const known = this.#wrongKeys.get(address)
    const fresh = !known || now - known.since >= WRONG_KEYS_WINDOW_MS
    const count = fresh ? 1 : known.count + 1
    const before = known?.pausedUntil ?? 0
    const pausedUntil = count >= max ? now + WRONG_KEYS_PAUSE_MS : before
    remember(this.#wrongKeys, address, { count, since: fresh ? now : known.since, pausedUntil }, MAX_ENTRIES)
    const times = [WRONG_KEYS_WINDOW_MS, max, WRONG_KEYS_PAUSE_MS]
    const names = [`wrong:${address}`, `pause:${address}`]
    const hasBegun = (await this.#runScript(COUNT_WRONG, names, times)) ?? (count >= max && before <= now)
    return hasBegun ? WRONG_KEYS_PAUSE_MS : 0
  }

  /** Returns how many milliseconds an IP address must wait after trying wrong keys, or 0. */
  async pauseOf(address: string, now: number): Promise<number> {
    const local = Math.max(0, (this.#wrongKeys.get(address)?.pausedUntil ?? 0) - now)
    if (this.#factor === 0 || local > 0) return local
    return Math.max(0, Number((await this.#runScript(PAUSE, [`pause:${address}`], [])) ?? 0))
  }

  /**
   * Undefined without Valkey, or while Valkey is down. In that case, this process's own counts still apply.
   */
  async #runScript(script: string, names: readonly string[], args: readonly number[]): Promise<unknown> {
    if (this.#valkey === undefined) return undefined
    return this.#valkey.run(script, names, args).catch((error: unknown) => {
      if (error instanceof ValkeyUnavailable) return undefined
      throw error
    })
  }
}
