/** Limits of a test run. */

/** Maximum length of the output, in characters. */
export const MAX_OUTPUT = 200_000
export const MAX_SECONDS = 30
