/**
 * How often one address, key or device may try (client protocol §17), counted by all processes together. What a caller
 * is told when he may not is the endpoints' part.
 */
import { JointBuckets } from '../limits/joint-buckets.ts'
import { remember } from '../limits/remember.ts'
import { scaled, TokenBuckets } from '../limits/token-buckets.ts'
import { type Valkey, ValkeyUnavailable } from '../valkey/valkey.ts'

type Rule = { readonly perMinute: number; readonly burst: number }

const RULES = {
  loader: { perMinute: 60, burst: 20 },
  execAddress: { perMinute: 20, burst: 20 },
  // Sealing a polite "too many" costs two curve operations, so a flood gets the plain answer instead.
  execFlood: { perMinute: 60, burst: 60 },
  execKey: { perMinute: 10, burst: 10 },
  execDevice: { perMinute: 20, burst: 20 },
  // As many as some hundred clients behind one address send.
  beatAddress: { perMinute: 1200, burst: 200 },
  // Of an instance: as many functions as it calls for the first time.
  leases: { perMinute: 60, burst: 20 },
  connectAddress: { perMinute: 60, burst: 60 },
  connectInstance: { perMinute: 10, burst: 10 },
  ownPageAddress: { perMinute: 60, burst: 60 },
  ownPageKey: { perMinute: 30, burst: 30 },
  ownReset: { perMinute: 5 / 60, burst: 5 },
  adPageAddress: { perMinute: 240, burst: 120 },
  // Of a provider, which speaks for all its visitors.
  adPostbackAddress: { perMinute: 3000, burst: 1000 },
  // Of one customer: each is a search in everything that a script served.
  trace: { perMinute: 6, burst: 6 },
  // Of one customer: a proof may keep a thread for half a minute, and one that fails costs no obfuscation.
  proof: { perMinute: 6, burst: 6 },
} as const satisfies Record<string, Rule>
export type Limit = keyof typeof RULES

/** What only keeps a flood from costing much is counted where the flood arrives, because asking others would cost more. */
const OWN: ReadonlySet<Limit> = new Set([
  'execFlood',
  'beatAddress',
  'leases',
  'connectAddress',
  'adPageAddress',
  'adPostbackAddress',
])

const WRONG_KEYS = 5
const WRONG_KEYS_WINDOW_MS = 10 * 60_000
const WRONG_KEYS_PAUSE_MS = 15 * 60_000
const MOST_ENTRIES = 100_000

const COUNT_WRONG = `
local count = redis.call('incr', KEYS[1])
if count == 1 then redis.call('pexpire', KEYS[1], ARGV[1]) end
if count >= tonumber(ARGV[2]) then redis.call('set', KEYS[2], '1', 'PX', ARGV[3]) end
return count`
const PAUSE = `return redis.call('pttl', KEYS[1])`

type WrongKeys = { count: number; since: number; pausedUntil: number }

export class AttemptLimits {
  readonly #factor: number
  readonly #valkey: Valkey | undefined
  readonly #own = new TokenBuckets()
  readonly #buckets: JointBuckets
  readonly #wrongKeys = new Map<string, WrongKeys>()

  /** `factor` multiplies every limit; 0 switches them off. */
  constructor(factor: number, valkey: Valkey | undefined) {
    this.#factor = factor
    this.#valkey = valkey
    this.#buckets = new JointBuckets(valkey)
  }

  /** Takes one attempt. Answers 0, or in how many milliseconds the next one is free. */
  async take(limit: Limit, who: string, now: number): Promise<number> {
    if (this.#factor === 0) return 0
    const { perMinute, burst } = RULES[limit]
    const rate = scaled({ perSecond: perMinute / 60, burst }, this.#factor)
    if (OWN.has(limit)) return this.#own.take(`${limit} ${who}`, rate, now).waitMs
    return (await this.#buckets.take(`${limit} ${who}`, rate, now)).waitMs
  }

  /** Counts a key that does not exist; too many of them pause the address. */
  async countWrongKey(address: string, now: number): Promise<void> {
    if (this.#factor === 0) return
    const most = Math.max(1, Math.floor(WRONG_KEYS * this.#factor))
    const known = this.#wrongKeys.get(address)
    const fresh = !known || now - known.since >= WRONG_KEYS_WINDOW_MS
    const count = fresh ? 1 : known.count + 1
    const pausedUntil = count >= most ? now + WRONG_KEYS_PAUSE_MS : (known?.pausedUntil ?? 0)
    remember(this.#wrongKeys, address, { count, since: fresh ? now : known.since, pausedUntil }, MOST_ENTRIES)
    const times = [WRONG_KEYS_WINDOW_MS, most, WRONG_KEYS_PAUSE_MS]
    await this.#ask(COUNT_WRONG, [`wrong:${address}`, `pause:${address}`], times)
  }

  /** Milliseconds for which an address that tried wrong keys has to wait, or 0. */
  async pauseOf(address: string, now: number): Promise<number> {
    const own = Math.max(0, (this.#wrongKeys.get(address)?.pausedUntil ?? 0) - now)
    if (this.#factor === 0 || own > 0) return own
    return Math.max(0, Number((await this.#ask(PAUSE, [`pause:${address}`], [])) ?? 0))
  }

  /** Nothing while nobody can be asked; what this process saw itself still counts. */
  async #ask(script: string, names: readonly string[], given: readonly number[]): Promise<unknown> {
    if (this.#valkey === undefined) return undefined
    return this.#valkey.run(script, names, given).catch((error: unknown) => {
      if (error instanceof ValkeyUnavailable) return undefined
      throw error
    })
  }
}
