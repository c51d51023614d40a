// What a build and the service that hands its keys out have in common: the locks of a build, and the pads under which
// their texts are encrypted. How pads are derived and sent is not known here.

import type { SymbolId } from './syntax/ast.ts'

/**
 * The first `size` bytes of the pad of a lock: a key stream that nobody foresees who does not have the service's key. The
 * same arguments give the same bytes, and a longer pad begins with the shorter one.
 *
 * @param lock counted from 0.
 */
export type ServicePad = (lock: number, size: number) => Uint8Array

/** The service, as passes see it. */
export type Service = {
  readonly pad: ServicePad
  /**
   * The local of the output that holds `channel(lock, size)`, which gives the whole pad of a lock as a string or raises an
   * error; nil where nobody hands out pads.
   */
  readonly channel: SymbolId
}

/** At the beginning of a pad, for integers. */
export const HEAD_BYTES = 3

/** At the end of a pad, which stand in the output. */
export const CHECK_BYTES = 6

/** Bytes of a pad for head and texts together. */
export function padSize(used: number): number {
  return used + CHECK_BYTES
}
