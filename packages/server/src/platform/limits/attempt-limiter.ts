/**
 * Limits the attempts of clients and visitors by the rules of `rules.ts`, and pauses addresses that try wrong keys.
 * Counted by all processes together.
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

  /** `factor` multiplies every limit; 0 switches them off. */
  constructor(factor: number, valkey: Valkey | undefined) {
    this.#factor = factor
    this.#valkey = valkey
    this.#buckets = new JointBuckets(valkey)
  }

  /** Counts one attempt. Returns 0, or in how many milliseconds the next one is allowed. */
  async takeAttempt(limit: Limit, who: string, now: number): Promise<number> {
    if (this.#factor === 0) return 0
    const { perMinute, burst } = RULES[limit]
    const rate = scaled({ perSecond: perMinute / 60, burst }, this.#factor)
    if (LOCAL_LIMITS.has(limit)) return this.#local.takeToken(`${limit} ${who}`, rate, now).waitMs
    return (await this.#buckets.takeToken(`${limit} ${who}`, rate, now)).waitMs
  }

  /** Undoes one counted attempt, which turned out to be a good one. */
  async giveBack(limit: Limit, who: string, now: number): Promise<void> {
    if (this.#factor === 0) return
    const { perMinute, burst } = RULES[limit]
    const rate = scaled({ perSecond: perMinute / 60, burst }, this.#factor)
    await this.#buckets.takeToken(`${limit} ${who}`, rate, now, -1)
  }

  /**
   * Counts an attempt with a key that does not exist; too many of them pause the address. Returns how many milliseconds the
   * pause takes that begins with this one, or 0.
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

  /** Milliseconds for which an address that tried wrong keys has to wait, or 0. */
  async pauseOf(address: string, now: number): Promise<number> {
    const local = Math.max(0, (this.#wrongKeys.get(address)?.pausedUntil ?? 0) - now)
    if (this.#factor === 0 || local > 0) return local
    return Math.max(0, Number((await this.#runScript(PAUSE, [`pause:${address}`], [])) ?? 0))
  }

  /** Undefined without Valkey and while it is down: then this process's own counts still hold. */
  async #runScript(script: string, names: readonly string[], args: readonly number[]): Promise<unknown> {
    if (this.#valkey === undefined) return undefined
    return this.#valkey.run(script, names, args).catch((error: unknown) => {
      if (error instanceof ValkeyUnavailable) return undefined
      throw error
    })
  }
}
