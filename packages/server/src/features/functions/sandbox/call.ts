/** Messages between the server and the thread that runs server functions. */

export type FunctionTask = {
  readonly name: string
  readonly source: string
  /**
   * Whether a build moved the function out of a script. A moved function does not receive the run's data as
   * an argument, and its result is the list of all return values.
   */
  readonly isMoved: boolean
  /**
   * Luau source that returns the run's data and the list of arguments. If null, the source is only compiled
   * and checked to return a function.
   */
  readonly given: string | null
  /** Seed for the function's random numbers. */
  readonly seed: number
}

/**
 * The error if a call crashes its interpreter, for example because the source has a hundred syntax errors.
 */
export const ENDED = 'the function terminated the Luau runtime it was running in'

/**
 * `uncompiled`: the source is not valid Luau. `failed`: the function ran, but raised an error or returned an
 * invalid answer.
 */
export type FunctionEnd =
  | { readonly kind: 'value'; readonly text: string }
  | { readonly kind: 'uncompiled' | 'failed'; readonly text: string }

export type FunctionResult = {
  readonly end: FunctionEnd
  readonly printed: readonly string[]
  /** CPU time in milliseconds. */
  readonly ms: number
}
