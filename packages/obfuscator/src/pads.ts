/**
 * What a build and the service share: the locks of a build, and the pads under which their texts are
 * encrypted. The service derives and sends the pads.
 */

import type { SymbolId } from './syntax/ast.ts'

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

/** Bytes at the start of a pad, for integers. */
export const HEAD_BYTES = 3

/** Bytes at the end of a pad, which stand in the output as its check value. */
export const CHECK_BYTES = 6

/** The size of a pad, from the bytes used by head and texts. */
export function padSize(used: number): number {
  return used + CHECK_BYTES
}
