/**
 * State of boot records shared by all processes: the daily secrets used to create them, and the list of used
 * records. Secrets are encrypted in Valkey and expire soon after they are last needed, so that a stolen
 * keyring can't be used to decrypt recorded traffic. After Valkey restarts or is replaced, all earlier boot
 * records are invalid, because the list of used records may be lost.
 */
import type { Sealer } from '../platform/secrets/seal.ts'
import type { Valkey } from '../platform/valkey/valkey.ts'

/** The secret of a day, and its encrypted form in Valkey. */
export type Master = { readonly secret: Buffer; readonly mark: string }

/** The nonce of an ID, and the digest of the body that it is used for. */
type Spent = { readonly nonce: string; readonly digest: string }

export type BootStore = {
  /**
   * Returns the secret that all processes use on this day, creating it if needed. Throws `ValkeyUnavailable`.
   */
  loadMaster(day: number): Promise<Master>
  /** Returns `forgotten` if this secret is no longer in use. Throws `ValkeyUnavailable`. */
  spendBoot(day: number, master: Master, by: Spent): Promise<'spent' | 'boot_reused' | 'forgotten'>
}

type Random = (count: number) => Buffer

const SECRET_BYTES = 32
/** One day, plus the time during which the previous day's secret is still accepted. */
const MASTER_TTL_MS = 24 * 60 * 60_000 + 20 * 60_000
/** This exceeds the lifetime of any boot record, even if clocks differ. */
const SPENT_TTL_MS = 10 * 60_000

const MASTER = `
redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
return redis.call('get', KEYS[1])`
const SPEND = `
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 2 end
if redis.call('set', KEYS[2], ARGV[3], 'NX', 'PX', ARGV[2]) then return 0 end
return 1`
const OUTCOMES = ['spent', 'boot_reused', 'forgotten'] as const

/** The store for a single process, which tracks used IDs in memory. */
export function ownBootStore(random: Random): BootStore {
  return {
    loadMaster: async (day) => ({ secret: random(SECRET_BYTES), mark: String(day) }),
    spendBoot: async () => 'spent',
  }
}

export function jointBootStore(valkey: Valkey, sealer: Sealer, random: Random): BootStore {
  const nameOf = (day: number) => `boot:${valkey.life}:${day}`
  return {
    loadMaster: async (day) => {
      const name = nameOf(day)
      const fresh = sealer.seal('bootSecret', name, random(SECRET_BYTES)).toString('base64url')
      const mark = String(await valkey.run(MASTER, [name], [fresh, MASTER_TTL_MS]))
      return { secret: sealer.open('bootSecret', name, Buffer.from(mark, 'base64url')), mark }
    },
    spendBoot: async (day, { mark }, { nonce, digest }) => {
      const answer = await valkey.run(SPEND, [nameOf(day), `spent:${nonce}`], [mark, SPENT_TTL_MS, digest])
      return OUTCOMES[Number(answer)] ?? 'forgotten'
    },
  }
}
