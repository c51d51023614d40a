/** How much a test run may do. */

/** In characters. */
export const MAX_OUTPUT = 200_000
export const MAX_SECONDS = 30
