/**
 * How certainly the `WARD_VARY` numbers in a leaked copy identify its key. Traces use these rules, and so
 * does the report of a build, which states how many keys its numbers can tell apart.
 */

/** The probability that a number of the key is still in its copy, rather than rounded or replaced. */
const KEPT = 0.9

/** A key is named only if the copy is its own with at least this probability. */
export const NAMED_LIKELIHOOD = 0.999

/**
 * How much more likely a number is in the copy of its own key than in the copy of another key.
 *
 * @param chance the probability that the number of any key is in the copy by coincidence
 */
export function weightOfMatch(chance: number): number {
  return (KEPT + (1 - KEPT) * chance) / chance
}

/** The counterpart for a key whose number is missing although the copy contains that of another key. */
export const WEIGHT_OF_MISS = 1 - KEPT

/** The weight that a key needs to be named among `keys` keys. */
function weightNeeded(keys: number): number {
  return (keys * NAMED_LIKELIHOOD) / (1 - NAMED_LIKELIHOOD)
}

/** More keys than any service has. */
export const MAX_KEYS = 1e9

/**
 * The number of keys, at most `MAX_KEYS`, among which a complete set of numbers identifies one.
 *
 * @param choices how many values each number can have
 */
export function keysTold(choices: readonly number[]): number {
  const weight = choices.reduce((product, each) => product * weightOfMatch(1 / each), 1)
  return Math.floor(Math.min(weight / weightNeeded(1), MAX_KEYS))
}

/** How many numbers with such choices are needed to identify one key among `keys`. */
export function numbersNeeded(choices: readonly number[], keys: number): number {
  const weight = choices.reduce((sum, each) => sum + Math.log(weightOfMatch(1 / each)), 0) / choices.length
  return Math.max(1, Math.ceil(Math.log(weightNeeded(keys)) / weight))
}
