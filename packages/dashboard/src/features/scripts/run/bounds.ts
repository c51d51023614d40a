/** How much a test run may do. */

/** In characters. */
export const MOST_OUTPUT = 200_000
export const MOST_SECONDS = 30
