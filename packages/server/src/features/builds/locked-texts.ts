/**
 * The strings in a payload that only server keys can decrypt. Each execution gets them encrypted with its own
 * keys, so the keys of one run can't decrypt another copy. The packer writes these strings as literals, so
 * re-encryption costs only a copy of the block and one pass over the strings.
 */
import { executionKey, lockKey, lockPad } from '@scriptward/client/leases'
import { type LockPlace, lengthOfLock, openLock, sealLock } from '@scriptward/obfuscator'
import { literalRuns } from './lz4.ts'

/** A locked string. Its lock number is its index in the list. */
type LockedText = {
  readonly plain: Uint8Array
  /** Size of its key stream in bytes. */
  readonly size: number
  /** Position of the ciphertext in the packed block. */
  readonly at: number
  readonly isAutomatic: boolean
}

export type LockedTexts = { readonly serviceKey: Buffer; readonly texts: readonly LockedText[] }

/** Finds and decrypts the locked strings in a block. Throws if one of them is not a literal. */
export function findLockedTexts(block: Buffer, locks: readonly LockPlace[], serviceKey: Buffer): LockedTexts {
  const runs = [...literalRuns(block)]
  const texts = locks.map((lock, number) => {
    const end = lock.at + lengthOfLock(lock)
    const run = runs.find(({ from, to }) => from <= lock.at && end <= to)
    if (run === undefined) throw new Error(`the text of the lock ${number} is not a literal of its payload`)
    const letters = block.subarray(lock.at + run.shift, end + run.shift)
    const plain = openLock(letters, lockPad(lockKey(serviceKey, number), lock.size))
    return { plain, size: lock.size, at: lock.at + run.shift, isAutomatic: lock.isAutomatic }
  })
  return { serviceKey, texts }
}

/** Encrypts the strings for an execution in that execution's copy of the block. */
export function encryptTexts(block: Buffer, { serviceKey, texts }: LockedTexts, exec: string): void {
  const key = executionKey(serviceKey, exec)
  texts.forEach(({ plain, size, at }, lock) => {
    sealLock(plain, lockPad(lockKey(key, lock), size), block, at)
  })
}
