/**
 * Weighs the numbers of `WARD_VARY` that a lifted copy contains. Each key has its own, and by chance another key has
 * the same one, so a few numbers only make some keys more likely than others.
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

/** One number: how many values it can have, and those that the copy contains. */
export type NumberReading = { readonly count: number; readonly levels: readonly number[] }

/** A user or device with some of the numbers. */
export type NumberMatch = {
  readonly row: ExecutionMarkRow
  readonly matched: number
  readonly likelihood: number
  readonly isNamed: boolean
}

/** Less likely ones are left out. */
const MIN_LIKELIHOOD = 0.01
const MAX_MATCHES = 100
/** So many are kept until the best are known. */
const MAX_KEPT = 1000

/**
 * Reads the numbers of a version. The author's own number is no evidence: it is in the source, and a copy that was
 * rounded has it too.
 *
 * @param values the numbers in the copy
 */
export function readEach(values: Float64Array, { list }: ServedNumbers): NumberReading[] {
  return list.map((each) => {
    const middle = middleOf(each)
    return { count: each.count, levels: readLevels(values, each).filter((level) => level !== middle) }
  })
}

/** How many such numbers name one of this many keys. */
export function needed(numbers: readonly NumberReading[], keys: number): number {
  return numbersNeeded(numbers.map(choicesOf), Math.max(1, keys))
}

type Read = { readonly number: number; readonly count: number; readonly levels: ReadonlySet<number> }

/** `matched`: the numbers with their levels. `weight`: the logarithm of how much likelier the copy is theirs than anybody's. */
type Weighed = {
  readonly row: ExecutionMarkRow
  readonly matched: ReadonlySet<string>
  readonly weight: number
}

export class NumberEvidence {
  /** How many numbers the version has. */
  readonly count: number
  readonly #read: readonly Read[]
  #kept = new Map<string, Weighed>()

  constructor(numbers: readonly NumberReading[]) {
    this.count = numbers.length
    this.#read = numbers.flatMap(({ count, levels }, number) =>
      levels.length === 0 ? [] : [{ number, count, levels: new Set(levels) }],
    )
  }

  /** How many numbers the copy contains. */
  get read(): number {
    return this.#read.length
  }

  /** Compares a user or device, given the key stream of its copies. */
  compare(row: ExecutionMarkRow, stream: Uint32Array, slots: number): void {
    const matched = new Set<string>()
    let weight = 0
    for (const { number, count, levels } of this.#read) {
      const level = levelIn(stream, slots, number, count)
      const isMatch = levels.has(level)
      if (isMatch) matched.add(`${number} ${level}`)
      weight += Math.log(isMatch ? weightOfMatch(levels.size / choicesOf({ count })) : WEIGHT_OF_MISS)
    }
    if (matched.size === 0) return
    this.#kept.set(row.holder, { row, matched, weight })
    if (this.#kept.size > 2 * MAX_KEPT) this.#kept = new Map(this.#best(MAX_KEPT))
  }

  /** @param keys how many users and devices received the version. The copy may also come from none of them. */
  matches(keys: number): readonly NumberMatch[] {
    const best = this.#best(MAX_MATCHES).map(([, each]) => each)
    return best.flatMap((each) => {
      const others = best.filter((other) => other !== each && explains(other, each))
      const rivals = others.reduce((sum, other) => sum + Math.exp(other.weight - each.weight), 0)
      const likelihood = 1 / (1 + keys * Math.exp(-each.weight) + rivals)
      if (likelihood < MIN_LIKELIHOOD) return []
      const isNamed = likelihood >= NAMED_LIKELIHOOD
      return [{ row: each.row, matched: each.matched.size, likelihood, isNamed }]
    })
  }

  #best(count: number): [string, Weighed][] {
    return [...this.#kept].sort(([, a], [, b]) => b.weight - a.weight).slice(0, count)
  }
}

/**
 * Whether everything that points to the second points to the first too. If not, the copy may be a mix of copies of
 * both.
 */
function explains(first: Weighed, second: Weighed): boolean {
  return [...second.matched].every((number) => first.matched.has(number))
}
