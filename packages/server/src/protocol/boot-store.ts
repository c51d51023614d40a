/**
 * What all processes must agree on about boot records: the secret of each day that they are made with, and which of them
 * are used up. A secret rests in Valkey only sealed, and for hardly longer than it is needed, so that whoever steals the
 * keyring later needs what Valkey has long forgotten. When Valkey was started anew or replaced, everything that was made
 * before is invalid, because it may not know any more what of it was used.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { Valkey } from '../valkey/valkey.ts'

/** The secret of a day, and how it is named where all can see it. */
export type Master = { readonly secret: Buffer; readonly mark: string }

export type BootStore = {
  /** The secret that all use on this day, made when there is none yet. Throws `ValkeyUnavailable`. */
  master(day: number): Promise<Master>
  /** `forgotten` when this secret is nobody's any more. Throws `ValkeyUnavailable`. */
  spend(day: number, master: Master, nonce: string): Promise<'spent' | 'boot_reused' | 'forgotten'>
}

type Random = (count: number) => Buffer

const SECRET_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'
/** A day, and what is accepted of a secret around it. */
const KEPT_MS = 24 * 60 * 60_000 + 20 * 60_000
/** Longer than any boot record lives, whatever the clocks say. */
const SPENT_MS = 10 * 60_000

const MASTER = `
redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
return redis.call('get', KEYS[1])`
const SPEND = `
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 2 end
if redis.call('set', KEYS[2], '1', 'NX', 'PX', ARGV[2]) then return 0 end
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
      const fresh = seal(key, random(SECRET_BYTES), random(NONCE_BYTES))
      const mark = String(await valkey.run(MASTER, [nameOf(day)], [fresh, KEPT_MS]))
      return { secret: open(key, mark), mark }
    },
    spend: async (day, { mark }, nonce) => {
      const answer = await valkey.run(SPEND, [nameOf(day), `spent:${nonce}`], [mark, SPENT_MS])
      return OUTCOMES[Number(answer)] ?? 'forgotten'
    },
  }
}

function seal(key: Buffer, secret: Buffer, nonce: Buffer): string {
  const cipher = createCipheriv(CIPHER, key, nonce)
  const sealed = [nonce, cipher.update(secret), cipher.final()]
  return Buffer.concat([...sealed, cipher.getAuthTag()]).toString('base64url')
}

/** Throws when it was sealed with another key: then the processes do not share one keyring. */
function open(key: Buffer, mark: string): Buffer {
  const bytes = Buffer.from(mark, 'base64url')
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
}
