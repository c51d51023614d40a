/**
 * Marks that passes attach to functions as attributes. Marks are never printed, and cannot occur in a source.
 */

/** The function stays native. Only its names, strings and numbers are hidden. */
export const MARK_NATIVE = ' native'

/** The function uses the balanced strategy with every preset. */
export const MARK_BALANCED = ' balanced'

/** The function uses the strong strategy with every preset that virtualizes. */
export const MARK_STRONG = ' strong'

/** The function can run only with a key from the server. */
export const MARK_LOCKED = ' locked'
