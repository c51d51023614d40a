// Attributes of functions that passes give each other. They are never printed, and no source can have them.

/** Stays a function of the host: only its names, strings and numbers are hidden. */
export const HOT = ' hot'

/** Gets the balanced strategy whatever the preset says. */
export const FAST = ' fast'

/** Is to run only with the key that the service hands out. */
export const LOCKED = ' locked'
