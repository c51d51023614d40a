/**
 * Recognizes the order of two statements in a lifted program by short token sequences (n-grams). Each n-gram
 * occurs in only one of the two orders, and nowhere else in the program.
 */

import { tokensOf } from './text-tokens.ts'
import type { Token } from './tokens.ts'

/**
 * The n-grams that indicate each order of a slot's statements: `zero` for the original order, and `one` for
 * the swapped order.
 */
export type OrderMark = { readonly zero: readonly number[]; readonly one: readonly number[] }

/** The order marks of a build. */
export type OrderMarks = {
  /** Hashes of the names of all globals in the program. */
  readonly globals: readonly number[]
  /** The marks of the first slots, in slot order. */
  readonly marks: readonly OrderMark[]
}

/**
 * Two adjacent parts of a program that can be swapped. Swapping them replaces the tokens from `first` to
 * `end` with `turned`.
 */
export type Turn = {
  readonly first: number
  readonly end: number
  /** Index of the boundary between the two parts, relative to `first`. */
  readonly joint: number
  readonly turned: readonly Token[]
  readonly turnedJoint: number
}

export const NO_ORDER_MARKS: OrderMarks = { globals: [], marks: [] }

const SHORTEST = 2
const LONGEST = 5
/**
 * Maximum number of n-grams to keep per order. The shortest n-grams come first, because they survive lifting
 * most often.
 */
const MAX_GRAMS = 8

/**
 * Reads the marks in a program. The result is 0 or 1 for each mark, or -1 if the order can't be determined.
 *
 * @param read the result of `readText`
 */
export function readOrder(read: readonly number[], { globals, marks }: OrderMarks): Int8Array {
  const wanted = new Set(marks.flatMap(({ zero, one }) => [...zero, ...one]))
  const tokens = tokensOf(read, new Set(globals))
  const met = new Set<number>()
  for (let size = SHORTEST; size <= LONGEST; size++) {
    for (let i = 0; i + size <= tokens.length; i++) {
      const gram = gramAt(tokens, i, size)
      if (wanted.has(gram)) met.add(gram)
    }
  }
  return Int8Array.from(marks, ({ zero, one }) => {
    const share = (grams: readonly number[]) => grams.filter((each) => met.has(each)).length / grams.length
    const [isZero, isOne] = [share(zero), share(one)]
    return isZero === isOne ? -1 : isZero < isOne ? 1 : 0
  })
}

/** Finds the n-grams that reveal whether two statements were swapped. */
export class GramIndex {
  readonly #tokens: readonly Token[]
  readonly #straight = new Map<number, number>()
  readonly #turned = new Map<number, number>()

  /** @param turns all possible swaps */
  constructor(tokens: readonly Token[], turns: readonly Turn[]) {
    this.#tokens = tokens
    for (let size = SHORTEST; size <= LONGEST; size++) {
      for (let i = 0; i + size <= tokens.length; i++) count(this.#straight, gramAt(tokens, i, size))
    }
    for (const each of turns) for (const gram of this.#ways(each).turned) count(this.#turned, gram)
  }

  /** Returns null if no n-gram distinguishes the two orders. */
  mark(turn: Turn): OrderMark | null {
    const { straight, turned } = this.#ways(turn)
    const only = (grams: ReadonlySet<number>, inStraight: number) =>
      [...grams]
        .filter((each) => (this.#straight.get(each) ?? 0) === inStraight)
        .filter((each) => (this.#turned.get(each) ?? 0) === 1 - inStraight)
        .slice(0, MAX_GRAMS)
    const [zero, one] = [only(straight, 1), only(turned, 0)]
    return zero.length === 0 || one.length === 0 ? null : { zero, one }
  }

  /** Returns the n-grams of both orders that cross the boundary. They include the surrounding tokens. */
  #ways({ first, end, joint, turned, turnedJoint }: Turn) {
    const before = this.#tokens.slice(Math.max(0, first - LONGEST), first)
    const after = this.#tokens.slice(end, end + LONGEST)
    const whole = (tokens: readonly Token[]) => [...before, ...tokens, ...after]
    return {
      straight: crossing(whole(this.#tokens.slice(first, end)), before.length + joint),
      turned: crossing(whole(turned), before.length + turnedJoint),
    }
  }
}

function count(counts: Map<number, number>, gram: number): void {
  counts.set(gram, (counts.get(gram) ?? 0) + 1)
}

/** The n-grams that cross a boundary, shortest first. */
function crossing(tokens: readonly Token[], place: number): ReadonlySet<number> {
  const found = new Set<number>()
  for (let size = SHORTEST; size <= LONGEST; size++) {
    for (let i = Math.max(0, place - size + 1); i < place && i + size <= tokens.length; i++) {
      found.add(gramAt(tokens, i, size))
    }
  }
  return found
}

function gramAt(tokens: readonly Token[], at: number, size: number): number {
  let value = size
  for (let i = at; i < at + size; i++)
    value = Math.imul(value, 0x01000193) ^ ((tokens[i] as number) + (value >>> 15))
  return value >>> 0
}
