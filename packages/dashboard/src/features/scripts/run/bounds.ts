/** Limits of a test run. */

/** In characters. */
export const MAX_OUTPUT = 200_000
export const MAX_SECONDS = 30
