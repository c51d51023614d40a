// How much of a function is taken apart, by strategy: what an instruction may hold, what stays whole, and how long the
// superoperators are. Which function gets which strategy is decided in `passes/virtualize.ts`.

/** How much of the source stays whole, in the weights of `measure.ts`. */
export type Policy = {
  /** Expressions up to this stay one operand. */
  readonly expression: number
  /** `if` statements without loops. */
  readonly condition: number
  /** Innermost loops. */
  readonly loop: number
  /** The least and the most that one superoperator holds. */
  readonly runLength: readonly [number, number]
  /** The share of the places where ways meet that have variants. */
  readonly varied: number
  /** The share of the constants that are words of the stream; inside loops it is half of that. */
  readonly words: number
  /** Functions without loops below this stay functions of the host. */
  readonly tiny: number
  /** Regions above this are split. */
  readonly region: number
}

/** From the fastest to the strongest. */
export const STRATEGIES = ['balanced', 'strong'] as const

export type Strategy = (typeof STRATEGIES)[number]

/** What makes the output larger is done less in a source above this, so that its output stays a few times its size. */
const PLENTY = 65_536

/** @param sourceSize bytes of the whole source. */
export function policyFor(strategy: Strategy, sourceSize: number): Policy {
  const share = Math.min(1, PLENTY / sourceSize)
  if (strategy === 'strong') {
    return {
      expression: 2,
      condition: 2,
      loop: 0,
      runLength: [1, 5],
      varied: 0.4 * share,
      words: 0.1 + 0.5 * share,
      tiny: 0,
      region: 1200,
    }
  }
  return {
    expression: 24,
    condition: 40,
    loop: 500,
    runLength: [12, 40],
    varied: 0.2 * share,
    words: 0.1 + 0.2 * share,
    tiny: 16,
    region: 1200,
  }
}
