/**
 * Marks that passes put on functions as attributes. They are never printed, and no source can contain them.
 */

/** Stays native: only its names, strings and numbers are hidden. */
export const MARK_NATIVE = ' native'

/** Uses the balanced strategy at every preset. */
export const MARK_BALANCED = ' balanced'

/** Uses the strong strategy at every preset that virtualises. */
export const MARK_STRONG = ' strong'

/** Runs only with the key that the service hands out. */
export const MARK_LOCKED = ' locked'
