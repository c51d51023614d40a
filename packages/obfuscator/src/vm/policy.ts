/**
 * Defines how far each strategy splits a function: the contents of an instruction, the constructs that stay
 * intact, and the length of superoperators. `passes/virtualize.ts` picks the strategy for each function.
 */

/** The limits up to which constructs stay intact, in the weights that `measure.ts` computes. */
export type Policy = {
  /** Expressions up to this weight become one operand. */
  readonly expression: number
  /** Maximum weight of `if` statements without loops. */
  readonly condition: number
  /** Maximum weight of innermost loops. */
  readonly loop: number
  /** The minimum and maximum length of a superoperator. */
  readonly runLength: readonly [number, number]
  /** Whether a full superoperator still includes the branch or return that follows it. */
  readonly takesEnds: boolean
  /** The fraction of merge points that get variants. */
  readonly varied: number
  /**
   * The fraction of constants that become operands in the stream. Inside loops, the fraction is half of this.
   */
  readonly words: number
  /** Functions without loops below this weight stay native. */
  readonly tiny: number
  /** Regions above this weight are split. */
  readonly region: number
}

/**
 * The policy for code whose order is encrypted in a lock. Blocks are as small as possible, so that adjacent
 * code in the output reveals as little as possible. There are no variants, because those would reveal merge
 * points.
 */
export function leasedPolicy(policy: Policy): Policy {
  return { ...policy, condition: 0, runLength: [1, 1], takesEnds: false, varied: 0 }
}

/** Ordered from the fastest to the strongest. */
export const STRATEGIES = ['balanced', 'strong'] as const

export type Strategy = (typeof STRATEGIES)[number]

/**
 * Above this source size, growth is reduced so that the output stays within a few times the size of the
 * source.
 */
const PLENTY = 65_536

/** @param sourceSize the size of the entire source in bytes. */
export function policyFor(strategy: Strategy, sourceSize: number): Policy {
  const share = Math.min(1, PLENTY / sourceSize)
  if (strategy === 'strong') {
    return {
      expression: 2,
      condition: 2,
      loop: 0,
      runLength: [1, 5],
      takesEnds: true,
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
    takesEnds: true,
    varied: 0.2 * share,
    words: 0.1 + 0.2 * share,
    tiny: 16,
    region: 1200,
  }
}
