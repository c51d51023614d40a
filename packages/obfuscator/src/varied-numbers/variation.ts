/** The possible values of a `WARD_VARY` number. Each key gets one of them. */

/** Multiples of `1 / scale`, with the author's number in the middle. */
export type Variation = {
  /** The lowest value, multiplied by `scale`. */
  readonly lowest: number
  /** The number of values, which is odd. */
  readonly count: number
  /** A power of ten. */
  readonly scale: number
}

/** Decimal places are added until there are this many values on each side of the author's number. */
const MIN_STEPS = 1000
const MAX_STEPS = 9999

/**
 * Whole numbers up to this value, and powers of ten up to `MAX_SCALE`, are exact. Their quotient is rounded
 * only once.
 */
const MAX_EXACT = Number.MAX_SAFE_INTEGER
const MAX_SCALE = 1e22

/** Compensates for the rounding of products such as `0.29 * 100`. */
const ROUNDING = 1 + 1e-12

/**
 * @param isWhole whether all values must be integers
 * @returns null if no other value is within the tolerance, or if the number is too large to be varied exactly
 */
export function variationOf(value: number, tolerance: number, isWhole: boolean): Variation | null {
  const scale = isWhole ? 1 : scaleFor(value, tolerance)
  const middle = Math.round(value * scale)
  const rounded = middle / scale === value ? 0 : 1
  const steps = Math.min(Math.floor(tolerance * scale * ROUNDING) - rounded, MAX_STEPS)
  if (steps < 1 || Math.abs(middle) + steps > MAX_EXACT) return null
  return { lowest: middle - steps, count: 2 * steps + 1, scale }
}

/** The value at a level from 0 to `count - 1`. */
export function numberAt({ lowest, scale }: Variation, level: number): number {
  return (lowest + level) / scale
}

/** The level of the author's number, which a build without keys uses. */
export function middleOf({ count }: Pick<Variation, 'count'>): number {
  return (count - 1) / 2
}

/**
 * The number of levels that keys can have. No key gets the author's number, because it is also in the source.
 */
export function choicesOf({ count }: Pick<Variation, 'count'>): number {
  return count - 1
}

/** @param share a number from 0 up to, but not including, 1 */
export function levelAt(variation: Pick<Variation, 'count'>, share: number): number {
  const choice = Math.floor(share * choicesOf(variation))
  return choice < middleOf(variation) ? choice : choice + 1
}

function scaleFor(value: number, tolerance: number): number {
  let scale = 1
  const isEnough = () => tolerance * scale >= MIN_STEPS && Math.round(value * scale) / scale === value
  const hasRoom = () => scale < MAX_SCALE && (Math.abs(value) + tolerance) * scale * 10 < MAX_EXACT
  while (!isEnough() && hasRoom()) scale *= 10
  return scale
}
