/** Lets the user paste a key or choose one. */

/** Maximum length of the output, in characters. */
export const MAX_OUTPUT = 200_000
export const MAX_SECONDS = 30
