/**
 * What a build and the service share: the locks of a build, the pads under which their texts are encrypted,
 * and how ciphertexts are written. The service derives and sends the pads, and encrypts the texts of each
 * copy under pads of its own.
 */

import type { Bytes, SymbolId } from './syntax/ast.ts'

/**
 * Returns the first `size` bytes of the pad of a lock: a key stream that cannot be predicted without the
 * service key. The same arguments give the same bytes, and a longer pad begins with the shorter one.
 *
 * @param lock counted from 0.
 */
export type ServicePad = (lock: number, size: number) => Uint8Array

/** The service, as passes see it. */
export type Service = {
  readonly pad: ServicePad
  /**
   * The local of the output that holds `channel(lock, size)`, which returns the whole pad of a lock as a
   * string or raises an error. Nil where there is no service.
   */
  readonly channel: SymbolId
}

/** Bytes at the start of a pad that encrypt nothing. */
export const HEAD_BYTES = 3

/** Zero bytes at the end of a lock's text. A wrong pad is recognised by them. */
export const CHECK_BYTES = 6

/** Each byte of a ciphertext is two of sixteen letters, so that any other pad gives a text of equal length. */
export const FIRST_LETTER = 97
const RADIX = 16

/** Where the ciphertext of a lock stands in the output, and the bytes of its pad. */
export type LockPlace = { readonly at: number; readonly size: number }

/** The length of a ciphertext in the output, from the size of its pad. */
export function lengthOfLock({ size }: Pick<LockPlace, 'size'>): number {
  return 2 * (size - HEAD_BYTES)
}

/** The places of the ciphertexts in the output, by the number of the lock. */
export function locateLocks(code: string, texts: readonly Bytes[]): readonly LockPlace[] {
  return texts.map((text) => {
    const at = code.indexOf(text)
    if (at < 0) throw new Error('the text of a lock is not in the output as it was written')
    return { at, size: text.length / 2 + HEAD_BYTES }
  })
}

/** The same places, `by` bytes further. */
export function moveLocks(locks: readonly LockPlace[], by: number): readonly LockPlace[] {
  return locks.map(({ at, size }) => ({ at: at + by, size }))
}

/** The plaintext of a ciphertext. */
export function openLock(text: Uint8Array, pad: Uint8Array): Uint8Array {
  return Uint8Array.from({ length: text.length / 2 }, (_, i) => {
    const [high, low] = [text[2 * i] as number, text[2 * i + 1] as number]
    return (high - FIRST_LETTER) * RADIX + low - FIRST_LETTER - (pad[i + HEAD_BYTES] as number)
  })
}

/** Writes the ciphertext of a plaintext into a text. */
export function sealLock(plain: Uint8Array, pad: Uint8Array, into: Uint8Array, at: number): void {
  for (let i = 0; i < plain.length; i++) {
    const value = ((plain[i] as number) + (pad[i + HEAD_BYTES] as number)) & 255
    into[at + 2 * i] = FIRST_LETTER + (value >> 4)
    into[at + 2 * i + 1] = FIRST_LETTER + (value & 15)
  }
}
