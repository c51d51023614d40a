/**
 * Token buckets shared by all processes through Valkey. Each process also has its own buckets, so that a
 * caller who exceeds one process's limit costs no round trip, and each process limits its own requests while
 * Valkey is down.
 */
import { createHash } from 'node:crypto'
import { type Valkey, ValkeyUnavailable } from '../valkey/valkey.ts'
import { type Rate, type Taken, TokenBuckets } from './token-buckets.ts'

/** The arithmetic of `token-buckets.ts`, executed atomically in Valkey. */
const TAKE = `
local cost, bucket, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local missing = math.min(math.max(0, tonumber(redis.call('get', KEYS[1]) or '0') - now), bucket)
local wait = missing + cost - bucket
if wait > 0.5 then return { tostring(wait), tostring(missing) } end
local full = math.max(0, missing + cost)
redis.call('set', KEYS[1], string.format('%.3f', now + full), 'PX', math.ceil(full) + 1000)
return { '0', tostring(full) }`

export class JointBuckets {
  readonly #own = new TokenBuckets()
  readonly #valkey: Valkey | undefined

  /** Without Valkey, only this process's buckets are used. */
  constructor(valkey: Valkey | undefined) {
    this.#valkey = valkey
  }

  has(who: string): boolean {
    return this.#own.has(who)
  }

  forget(who: string): void {
    this.#own.forget(who)
  }

  /**
   * Takes `cost` tokens if available. A negative cost refunds tokens. Returns synchronously if Valkey isn't
   * needed.
   */
  takeToken(who: string, rate: Rate, now: number, cost = 1): Taken | Promise<Taken> {
    const own = this.#own.takeToken(who, rate, now, cost)
    if (this.#valkey === undefined || own.waitMs > 0) return own
    return takeJointly(this.#valkey, who, { ...rate, now, cost }).catch((error: unknown) => {
      if (error instanceof ValkeyUnavailable) return own
      throw error
    })
  }
}

async function takeJointly(
  valkey: Valkey,
  who: string,
  { perSecond, burst, now, cost }: Rate & { readonly now: number; readonly cost: number },
): Promise<Taken> {
  const stepMs = 1000 / perSecond
  const bucketMs = stepMs * burst
  const answer = await valkey.run(
    TAKE,
    [`bucket:${nameOf(who)}`],
    [stepMs * Math.min(cost, burst), bucketMs, now],
  )
  const [waitMs = 0, fullInMs = 0] = (answer as string[]).map(Number)
  const left = Math.max(0, Math.floor((bucketMs - fullInMs) / stepMs + 1e-6))
  return { waitMs: Math.ceil(waitMs), left, fullInMs }
}

/**
 * Hashes bucket names, because they contain keys and device identifiers, which are secrets and must not leave
 * the database.
 */
function nameOf(who: string): string {
  return createHash('sha256').update(who).digest('base64url').slice(0, 22)
}
