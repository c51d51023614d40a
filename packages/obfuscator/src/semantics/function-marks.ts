/**
 * Marks that passes put on functions as attributes. They are never printed, and no source can contain them.
 */

/** Stays native: only its names, strings and numbers are hidden. */
export const HOT = ' hot'

/** Uses the balanced strategy at every preset. */
export const FAST = ' fast'

/** Uses the strong strategy at every preset that virtualises. */
export const STRONG = ' strong'

/** Runs only with the key that the service hands out. */
export const LOCKED = ' locked'
