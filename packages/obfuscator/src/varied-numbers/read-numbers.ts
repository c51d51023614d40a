/** Recognizes `WARD_VARY` numbers in a leaked copy. */

import type { Variation } from './variation.ts'

/** Relative and absolute tolerance. A tolerance is needed because Lua prints numbers with only 14 digits. */
const PRECISION = 1e-13
const MAX_DISTANCE = 1e-6

/**
 * The levels of one number that occur in a text. There can be several, because other numbers in the
 * script may match too.
 *
 * @param values the result of `readConstants`
 */
export function readLevels(values: Float64Array, { lowest, count, scale }: Variation): readonly number[] {
  const highest = lowest + count - 1
  const isAcrossZero = lowest < 0 && highest > 0
  const from = isAcrossZero ? 0 : Math.min(Math.abs(lowest), Math.abs(highest))
  const to = Math.max(Math.abs(lowest), Math.abs(highest))
  const levels = new Set<number>()
  for (let i = firstFrom(values, (from - 0.5) / scale); i < values.length; i++) {
    const found = (values[i] as number) * scale
    if (found > to + 0.5) break
    const whole = Math.round(found)
    if (Math.abs(found - whole) > MAX_DISTANCE + whole * PRECISION) continue
    for (const each of [whole, -whole]) if (each >= lowest && each <= highest) levels.add(each - lowest)
  }
  return [...levels]
}

/** The index of the first value that is at least `least`. */
function firstFrom(values: Float64Array, least: number): number {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((values[middle] as number) < least) low = middle + 1
    else high = middle
  }
  return low
}
