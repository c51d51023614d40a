/**
 * The format that builds and the server share: the locks of a build, the key streams that encrypt the locks'
 * plaintexts, and the encoding of the ciphertexts. The server derives and sends the key streams. It also
 * re-encrypts the plaintexts of each copy with different key streams.
 */

import type { Bytes, SymbolId } from './syntax/ast.ts'

/**
 * Returns the first `size` bytes of a lock's key stream, which cannot be predicted without the server key.
 * The same arguments always return the same bytes, and a shorter key stream is a prefix of a longer one.
 *
 * @param lock the 0-based lock number.
 */
export type ServicePad = (lock: number, size: number) => Uint8Array

/** What a build needs in order to encrypt its locks for a server. */
export type Service = {
  readonly pad: ServicePad
  /**
   * The output's local for `channel(lock, size)`. That function returns the entire key stream of a lock as a
   * string, or raises an error. The local is nil if there is no server.
   */
  readonly channel: SymbolId
}

/** Number of bytes at the start of a key stream that are not used for encryption. */
export const HEAD_BYTES = 3

/**
 * Number of zero bytes at the end of a lock's plaintext. They make it possible to detect a wrong key stream.
 */
export const CHECK_BYTES = 6

/**
 * Each byte of a ciphertext is written as two letters out of sixteen, so that the length does not depend on
 * the key stream.
 */
export const FIRST_LETTER = 97
const RADIX = 16

/** A ciphertext as it appears in the output. */
export type SealedText = { readonly text: Bytes; readonly isAutomatic: boolean }

export type LockPlace = {
  /** The offset of the ciphertext in the output. */
  readonly at: number
  /** Size of the key stream in bytes. */
  readonly size: number
  /** Whether the lock contains code that the author did not mark. False for lock 0. */
  readonly isAutomatic: boolean
}

/** Returns the length of a ciphertext in the output, computed from the size of its key stream. */
export function lengthOfLock({ size }: Pick<LockPlace, 'size'>): number {
  return 2 * (size - HEAD_BYTES)
}

/** Finds the ciphertexts in the output, in order of their lock numbers. */
export function locateLocks(code: string, texts: readonly SealedText[]): readonly LockPlace[] {
  return texts.map(({ text, isAutomatic }) => {
    const at = code.indexOf(text)
    if (at < 0) throw new Error('the text of a lock is not in the output as it was written')
    return { at, size: text.length / 2 + HEAD_BYTES, isAutomatic }
  })
}

/** Shifts the offsets of the ciphertexts by `by` bytes. */
export function moveLocks(locks: readonly LockPlace[], by: number): readonly LockPlace[] {
  return locks.map((lock) => ({ ...lock, at: lock.at + by }))
}

export function openLock(text: Uint8Array, pad: Uint8Array): Uint8Array {
  return Uint8Array.from({ length: text.length / 2 }, (_, i) => {
    const [high, low] = [text[2 * i] as number, text[2 * i + 1] as number]
    return (high - FIRST_LETTER) * RADIX + low - FIRST_LETTER - (pad[i + HEAD_BYTES] as number)
  })
}

/** Encrypts a plaintext into a buffer, starting at offset `at`. */
export function sealLock(plain: Uint8Array, pad: Uint8Array, into: Uint8Array, at: number): void {
  for (let i = 0; i < plain.length; i++) {
    const value = ((plain[i] as number) + (pad[i + HEAD_BYTES] as number)) & 255
    into[at + 2 * i] = FIRST_LETTER + (value >> 4)
    into[at + 2 * i + 1] = FIRST_LETTER + (value & 15)
  }
}
