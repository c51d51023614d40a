/**
 * Patterns for strings in requests. Control characters are rejected because PostgreSQL can't store NUL, and
 * terminals interpret the others.
 */

/** Control characters, for use in a character class. */
export const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f'
/** A single line, which may be empty. */
export const ONE_LINE = `^[^${CONTROLS}]*$`
/** Text that may contain line breaks, but no tabs. */
export const LINES = '^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f]*$'
