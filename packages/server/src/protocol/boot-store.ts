/**
 * What all processes must agree on about boot records: the secret of each day that they are made with, and which of them
 * are used. A secret is in Valkey only sealed, and hardly longer than it is needed, so that a stolen keyring does not open
 * recorded traffic. After a restart or replacement of Valkey all earlier boot records are invalid, because it may have
 * lost which of them were used.
 */
import type { Sealer } from '../platform/secrets/seal.ts'
import type { Valkey } from '../platform/valkey/valkey.ts'

/** The secret of a day, and its sealed form in Valkey. */
export type Master = { readonly secret: Buffer; readonly mark: string }

/** The nonce of an id, and the digest of the body that it is used for. */
type Spent = { readonly nonce: string; readonly digest: string }

export type BootStore = {
  /** The secret that all processes use on this day; made if there is none. Throws `ValkeyUnavailable`. */
  loadMaster(day: number): Promise<Master>
  /** `forgotten` when this secret is no longer in use. Throws `ValkeyUnavailable`. */
  spendBoot(day: number, master: Master, by: Spent): Promise<'spent' | 'boot_reused' | 'forgotten'>
}

type Random = (count: number) => Buffer

const SECRET_BYTES = 32
/** A day, and the time around it in which its secret is accepted. */
const MASTER_TTL_MS = 24 * 60 * 60_000 + 20 * 60_000
/** Longer than any boot record lives, even if clocks differ. */
const SPENT_TTL_MS = 10 * 60_000

const MASTER = `
redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
return redis.call('get', KEYS[1])`
const SPEND = `
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 2 end
if redis.call('set', KEYS[2], ARGV[3], 'NX', 'PX', ARGV[2]) then return 0 end
return 1`
const OUTCOMES = ['spent', 'boot_reused', 'forgotten'] as const

/** For a single process, which remembers by itself which ids are used. */
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
