/** What passes between the service and the thread that runs server functions. */

/** Values and facts as the texts of Luau that make them. */
export type FunctionTask = {
  readonly name: string
  readonly source: string
  /** Null only compiles the source and looks whether it returns a function. */
  readonly call: { readonly values: string; readonly run: string } | null
  /** Of its random numbers. */
  readonly seed: number
}

/** Of the error of a call that took its interpreter with it, as a source with a hundred mistakes does. */
export const ENDED = 'the function ended the Luau that it ran in'

/** `uncompiled`: the source is no Luau. `failed`: it ran, and what it did is no answer. */
export type FunctionEnd =
  | { readonly kind: 'value'; readonly text: string }
  | { readonly kind: 'uncompiled' | 'failed'; readonly text: string }

export type FunctionResult = {
  readonly end: FunctionEnd
  readonly printed: readonly string[]
  /** Processor time in milliseconds. */
  readonly ms: number
}
