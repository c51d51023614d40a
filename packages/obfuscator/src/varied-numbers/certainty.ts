/**
 * How sure a trace can be of a key, given the numbers of `WARD_VARY` in a leaked copy. The report of a build says
 * how many keys its numbers can tell apart, so both use the same rules.
 */

/** The probability that a copy still contains a number of its key. The others were rounded or replaced. */
const KEPT = 0.9

/** A key is named if it is this likely that the copy was its own. */
export const NAMED_LIKELIHOOD = 0.999

/**
 * How many times likelier it is that a key's number is in its own copy than in another.
 *
 * @param chance the probability that the number of any key is in the copy by coincidence
 */
export function weightOfMatch(chance: number): number {
  return (KEPT + (1 - KEPT) * chance) / chance
}

/** The counterpart for a key whose number isn't there although another one is. */
export const WEIGHT_OF_MISS = 1 - KEPT

/** The weight of a key that may be named among `keys`. */
function weightNeeded(keys: number): number {
  return (keys * NAMED_LIKELIHOOD) / (1 - NAMED_LIKELIHOOD)
}

/** More keys than any service has. */
export const MAX_KEYS = 1e9

/**
 * Among how many keys a complete set of numbers names one, up to `MAX_KEYS`.
 *
 * @param choices how many values each number can have
 */
export function keysTold(choices: readonly number[]): number {
  const weight = choices.reduce((product, each) => product * weightOfMatch(1 / each), 1)
  return Math.floor(Math.min(weight / weightNeeded(1), MAX_KEYS))
}

/** How many numbers such as these are needed to name one key among `keys`. */
export function numbersNeeded(choices: readonly number[], keys: number): number {
  const weight = choices.reduce((sum, each) => sum + Math.log(weightOfMatch(1 / each)), 0) / choices.length
  return Math.max(1, Math.ceil(Math.log(weightNeeded(keys)) / weight))
}
