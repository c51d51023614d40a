/** Formats shares, such as the share of runs without a crash. */

/** A share that was subtracted from 1 can be slightly too small: `(1 - 0.8) * 1000` is 199.99999999999994. */
const MAX_FLOAT_ERROR = 1e-9

/** Rounds a share down to a tenth of a percent, so that only a whole is shown as 100%. */
export function percentBelow(share: number): number {
  return Math.floor(share * 1000 + MAX_FLOAT_ERROR) / 10
}
