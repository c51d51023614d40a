/**
 * Finds the keys whose `WARD_VARY` numbers a lifted copy contains. Two keys can have the same number by
 * chance, so a few numbers only make some keys more likely than others.
 */
import {
  choicesOf,
  middleOf,
  NAMED_LIKELIHOOD,
  numbersNeeded,
  readLevels,
  type ServedNumbers,
  WEIGHT_OF_MISS,
  weightOfMatch,
} from '@scriptward/obfuscator'
import { levelIn } from '../builds/watermark.ts'
import type { ExecutionMarkRow } from '../executions/store/execution-marks.ts'

/** A varied number: how many possible values it has, and which of them the copy contains. */
export type NumberReading = { readonly count: number; readonly levels: readonly number[] }

/** A user or device whose numbers the copy contains, at least in part. */
export type NumberMatch = {
  readonly row: ExecutionMarkRow
  readonly matched: number
  readonly likelihood: number
  readonly isNamed: boolean
}

/** Matches with a lower likelihood are not reported. */
const MIN_LIKELIHOOD = 0.01
const MAX_MATCHES = 100
/** Number of best candidates kept during the comparison. */
const MAX_KEPT = 1000

/**
 * Finds a version's numbers in a copy. The author's own value is not evidence, because it is in the source
 * and appears in any copy whose numbers were rounded.
 *
 * @param values the numbers in the copy
 */
export function readEach(values: Float64Array, { list }: ServedNumbers): NumberReading[] {
  return list.map((each) => {
    const middle = middleOf(each)
    return { count: each.count, levels: readLevels(values, each).filter((level) => level !== middle) }
  })
}

/** Returns how many of these numbers are needed to identify one of this many keys. */
export function needed(numbers: readonly NumberReading[], keys: number): number {
  return numbersNeeded(numbers.map(choicesOf), Math.max(1, keys))
}

/** A number that the copy contains, and the weights of a match and of a miss. */
type Read = {
  readonly number: number
  readonly count: number
  /**
   * Contains a 1 for each level that the copy contains. An array is faster than a set for millions of
   * candidates.
   */
  readonly levels: Uint8Array
  readonly ofMatch: number
  readonly ofMiss: number
}

/** A number higher than any level. */
const LEVELS = 2 ** 15

/**
 * `matched` contains the matching numbers, each combined with its level into one number. `weight` is the
 * logarithm of how much more likely the copy belongs to this user or device than to any other.
 */
type Weighed = {
  readonly row: ExecutionMarkRow
  readonly matched: readonly number[]
  readonly weight: number
}

export class NumberEvidence {
  /** The number of varied numbers in the version. */
  readonly count: number
  readonly #read: readonly Read[]
  #kept = new Map<string, Weighed>()

  constructor(numbers: readonly NumberReading[]) {
    this.count = numbers.length
    const ofMiss = Math.log(WEIGHT_OF_MISS)
    this.#read = numbers.flatMap(({ count, levels }, number) => {
      if (levels.length === 0) return []
      const ofMatch = Math.log(weightOfMatch(levels.length / choicesOf({ count })))
      const found = new Uint8Array(count)
      for (const level of levels) found[level] = 1
      return [{ number, count, levels: found, ofMatch, ofMiss }]
    })
  }

  /** The number of varied numbers that were found in the copy. */
  get read(): number {
    return this.#read.length
  }

  /** Compares a user or device by the key stream for its copies. */
  compare(row: ExecutionMarkRow, stream: Uint32Array, slots: number): void {
    const matched: number[] = []
    let weight = 0
    for (const { number, count, levels, ofMatch, ofMiss } of this.#read) {
      const level = levelIn(stream, slots, number, count)
      const isMatch = levels[level] === 1
      if (isMatch) matched.push(number * LEVELS + level)
      weight += isMatch ? ofMatch : ofMiss
    }
    if (matched.length === 0) return
    this.#kept.set(row.holder, { row, matched, weight })
    if (this.#kept.size > 2 * MAX_KEPT) this.#kept = new Map(this.#best(MAX_KEPT))
  }

  /**
   * @param keys the number of users and devices that received the version. The copy may also belong to none
   * of them.
   */
  matches(keys: number): readonly NumberMatch[] {
    const best = this.#best(MAX_MATCHES).map(([, each]) => each)
    const sets = new Map(best.map((each) => [each, new Set(each.matched)]))
    return best.flatMap((each) => {
      const others = best.filter((other) => other !== each && explains(sets.get(other), each))
      const rivals = others.reduce((sum, other) => sum + Math.exp(other.weight - each.weight), 0)
      const likelihood = 1 / (1 + keys * Math.exp(-each.weight) + rivals)
      if (likelihood < MIN_LIKELIHOOD) return []
      const isNamed = likelihood >= NAMED_LIKELIHOOD
      return [{ row: each.row, matched: each.matched.length, likelihood, isNamed }]
    })
  }

  #best(count: number): [string, Weighed][] {
    return [...this.#kept].sort(([, a], [, b]) => b.weight - a.weight).slice(0, count)
  }
}

/**
 * Returns whether the first candidate matches every number that the second one matches. If not, the copy may
 * be a mix of both candidates' copies.
 */
function explains(first: ReadonlySet<number> | undefined, second: Weighed): boolean {
  return second.matched.every((number) => first?.has(number))
}
