/**
 * Marks that passes attach to functions as attributes. They are never printed and cannot occur in a source.
 */

/** The function stays native: only its names, strings and numbers are hidden. */
export const MARK_NATIVE = ' native'

/** The function uses the balanced strategy at every preset. */
export const MARK_BALANCED = ' balanced'

/** The function uses the strong strategy at every preset that virtualizes. */
export const MARK_STRONG = ' strong'

/** The function needs a key from the server to run. */
export const MARK_LOCKED = ' locked'
