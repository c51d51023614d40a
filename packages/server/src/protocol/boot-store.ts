/**
 * What all processes must agree on about boot records: the secret of each day that they are made with, and which of them
 * are used up. A secret rests in Valkey only sealed, and for hardly longer than it is needed, so that a
 * keyring stolen later opens nothing without what Valkey has long forgotten. When Valkey was restarted or replaced, everything that was made
 * before is invalid, because it may not know any more what of it was used.
 */
import type { Valkey } from '../valkey/valkey.ts'
import { openSecret, SECRET_NONCE_BYTES, sealSecret } from './sealed-secrets.ts'

/** The secret of a day, and how it is named where all can see it. */
export type Master = { readonly secret: Buffer; readonly mark: string }

/** An id, by its nonce, and the digest of the body that it is used for. */
export type Spent = { readonly nonce: string; readonly digest: string }

export type BootStore = {
  /** The secret that all use on this day, made when there is none yet. Throws `ValkeyUnavailable`. */
  master(day: number): Promise<Master>
  /** `forgotten` when this secret is nobody's any more. Throws `ValkeyUnavailable`. */
  spend(day: number, master: Master, by: Spent): Promise<'spent' | 'boot_reused' | 'forgotten'>
}

type Random = (count: number) => Buffer

const SECRET_BYTES = 32
/** A day, and what is accepted of a secret around it. */
const KEPT_MS = 24 * 60 * 60_000 + 20 * 60_000
/** Longer than any boot record lives, whatever the clocks say. */
const SPENT_MS = 10 * 60_000

const MASTER = `
redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
return redis.call('get', KEYS[1])`
const SPEND = `
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 2 end
if redis.call('set', KEYS[2], ARGV[3], 'NX', 'PX', ARGV[2]) then return 0 end
return 1`
const OUTCOMES = ['spent', 'boot_reused', 'forgotten'] as const

/** Of a process that is alone: what is used up it remembers itself. */
export function ownBootStore(random: Random): BootStore {
  return {
    master: async (day) => ({ secret: random(SECRET_BYTES), mark: String(day) }),
    spend: async () => 'spent',
  }
}

/** `key` seals the secrets. */
export function jointBootStore(valkey: Valkey, key: Buffer, random: Random): BootStore {
  const nameOf = (day: number) => `boot:${valkey.life}:${day}`
  return {
    master: async (day) => {
      const fresh = sealSecret(key, random(SECRET_BYTES), random(SECRET_NONCE_BYTES))
      const mark = String(await valkey.run(MASTER, [nameOf(day)], [fresh, KEPT_MS]))
      return { secret: openSecret(key, mark), mark }
    },
    spend: async (day, { mark }, { nonce, digest }) => {
      const answer = await valkey.run(SPEND, [nameOf(day), `spent:${nonce}`], [mark, SPENT_MS, digest])
      return OUTCOMES[Number(answer)] ?? 'forgotten'
    },
  }
}
