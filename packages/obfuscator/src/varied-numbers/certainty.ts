/**
 * Determines how certainly the `WARD_VARY` numbers in a leaked copy identify its key. Traces use these rules.
 * The build report uses them to calculate how many keys its numbers can distinguish.
 */

/**
 * The probability that one of a key's numbers is still in its copy. Attackers may round or replace numbers.
 */
const KEPT = 0.9

/** A trace names a key only if the probability that the copy belongs to it is at least this high. */
export const NAMED_LIKELIHOOD = 0.999

/**
 * Returns how much more likely a number is to occur in its own key's copy than in another key's copy.
 *
 * @param chance the probability that any key's number occurs in the copy by coincidence
 */
export function weightOfMatch(chance: number): number {
  return (KEPT + (1 - KEPT) * chance) / chance
}

/**
 * The counterpart of `weightOfMatch` for a key whose number is missing while the copy contains another key's
 * number.
 */
export const WEIGHT_OF_MISS = 1 - KEPT

/** The minimum weight for naming one of `keys` keys. */
function weightNeeded(keys: number): number {
  return (keys * NAMED_LIKELIHOOD) / (1 - NAMED_LIKELIHOOD)
}

/** Upper limit for key counts. No server has this many keys. */
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

/** The number of `WARD_VARY` numbers with these choices that are needed to identify one of `keys` keys. */
export function numbersNeeded(choices: readonly number[], keys: number): number {
  const weight = choices.reduce((sum, each) => sum + Math.log(weightOfMatch(1 / each)), 0) / choices.length
  return Math.max(1, Math.ceil(Math.log(weightNeeded(keys)) / weight))
}
