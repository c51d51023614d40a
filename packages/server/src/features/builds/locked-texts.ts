/**
 * The texts of a payload that only keys of the service open. Each execution gets them encrypted under keys of its own, so
 * keys that one run publishes open no other copy. The packer writes them as literals, so that this costs a copy of the
 * block and one pass over these texts.
 */
import { executionKey, lockKey, lockPad } from '@scriptward/client/leases'
import { type LockPlace, lengthOfLock, openLock, sealLock } from '@scriptward/obfuscator'
import { literalRuns } from './lz4.ts'

/** The text of one lock, by its number in the list. */
type LockedText = {
  readonly plain: Uint8Array
  /** Size of its pad. */
  readonly size: number
  /** Place of the ciphertext in the packed block. */
  readonly at: number
}

export type LockedTexts = { readonly serviceKey: Buffer; readonly texts: readonly LockedText[] }

/** Finds and decrypts the texts in a block; throws when one of them is not a literal. */
export function findLockedTexts(block: Buffer, locks: readonly LockPlace[], serviceKey: Buffer): LockedTexts {
  const runs = [...literalRuns(block)]
  const texts = locks.map((lock, number) => {
    const end = lock.at + lengthOfLock(lock)
    const run = runs.find(({ from, to }) => from <= lock.at && end <= to)
    if (run === undefined) throw new Error(`the text of the lock ${number} is not a literal of its payload`)
    const letters = block.subarray(lock.at + run.shift, end + run.shift)
    const plain = openLock(letters, lockPad(lockKey(serviceKey, number), lock.size))
    return { plain, size: lock.size, at: lock.at + run.shift }
  })
  return { serviceKey, texts }
}

/** Encrypts the texts for an execution, in its own copy of the block. */
export function encryptTexts(block: Buffer, { serviceKey, texts }: LockedTexts, exec: string): void {
  const key = executionKey(serviceKey, exec)
  texts.forEach(({ plain, size, at }, lock) => {
    sealLock(plain, lockPad(lockKey(key, lock), size), block, at)
  })
}
