/**
 * A payload's strings that only server keys can decrypt. Each execution gets them encrypted under its own keys, so keys
 * revealed by one run can't decrypt another copy. The packer writes them as literals, so this costs only a copy of the block
 * and one pass over these strings.
 */
import { executionKey, lockKey, lockPad } from '@scriptward/client/leases'
import { type LockPlace, lengthOfLock, openLock, sealLock } from '@scriptward/obfuscator'
import { literalRuns } from './lz4.ts'

/** The string of one lock, by its number in the list. */
type LockedText = {
  readonly plain: Uint8Array
  /** Size of its key stream. */
  readonly size: number
  /** Position of the ciphertext in the packed block. */
  readonly at: number
  readonly isAutomatic: boolean
}

export type LockedTexts = { readonly serviceKey: Buffer; readonly texts: readonly LockedText[] }

/** Finds and decrypts the strings in a block; throws when one of them is not a literal. */
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

/** Encrypts the strings for an execution, in its own copy of the block. */
export function encryptTexts(block: Buffer, { serviceKey, texts }: LockedTexts, exec: string): void {
  const key = executionKey(serviceKey, exec)
  texts.forEach(({ plain, size, at }, lock) => {
    sealLock(plain, lockPad(lockKey(key, lock), size), block, at)
  })
}
