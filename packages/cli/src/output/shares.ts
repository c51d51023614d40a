/** Formats shares, such as that of the runs without a crash. */

/** The product of a share and a power of ten may be slightly too small. */
const MAX_FLOAT_ERROR = 1e-9

/** Rounds a share down to tenths of a percent, so that 100% means all. */
export function percentBelow(share: number): number {
  return Math.floor(share * 1000 + MAX_FLOAT_ERROR) / 10
}
