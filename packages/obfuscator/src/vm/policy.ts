/**
 * How far each strategy takes a function apart: what an instruction may hold, what stays whole, and the
 * length of superoperators. `passes/virtualize.ts` picks the strategy of each function.
 */

/** What stays whole, in the weights of `measure.ts`. */
export type Policy = {
  /** Expressions up to this weight stay one operand. */
  readonly expression: number
  /** `if` statements without loops. */
  readonly condition: number
  /** Innermost loops. */
  readonly loop: number
  /** The minimum and maximum length of a superoperator. */
  readonly runLength: readonly [number, number]
  /** Whether a full superoperator still takes the branch or return behind it. */
  readonly takesEnds: boolean
  /** The share of merge points that get variants. */
  readonly varied: number
  /** The share of constants that are operands in the stream; half of that inside loops. */
  readonly words: number
  /** Functions without loops below this weight stay native. */
  readonly tiny: number
  /** Heavier regions are split. */
  readonly region: number
}

/**
 * For code whose order is in a lock: blocks as small as they can be, so that what stands in the output side by
 * side says as little as possible, and no variants, since those would show where ways meet.
 */
export function leasedPolicy(policy: Policy): Policy {
  return { ...policy, condition: 0, runLength: [1, 1], takesEnds: false, varied: 0 }
}

/** From the fastest to the strongest. */
export const STRATEGIES = ['balanced', 'strong'] as const

export type Strategy = (typeof STRATEGIES)[number]

/** Above this source size, growth is reduced so that the output stays a few times the size of the source. */
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
