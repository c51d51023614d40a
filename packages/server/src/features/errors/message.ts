/**
 * An error's message in two forms: one to display, and one that identifies the error on every host and in
 * every version.
 */

const MAX_MESSAGE = 300
const NO_MESSAGE = 'no message'

/**
 * A position at the start of a message, such as `Garden:12:`, `Garden:lib/shop.lua:12:` or `[string
 * "Garden"]:12:`.
 */
const POSITION =
  /^(?:\[string "[^"\n]*"\]|[^\s:'"][^:'"\n]{0,255})(?::(?!\/\/)[^\s:'"\n]{1,255})?:\d{1,9}:\s*/

/** The first line of a message, without positions. */
export function messageOf(text: string): string {
  const first = text.split('\n').find((line) => line.trim() !== '') ?? ''
  let rest = first.trim()
  for (let next = rest.replace(POSITION, ''); next !== rest; next = rest.replace(POSITION, '')) rest = next
  return rest.slice(0, MAX_MESSAGE).toWellFormed() || NO_MESSAGE
}

const STACK_OVERFLOW = 'stack overflow'

/**
 * Errors that different hosts word differently. The position already identifies the failing expression, so
 * the value's type is left out.
 */
const WORDINGS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^(?:attempt to index|cannot index)\b/, 'index'],
  [/^attempt to call\b/, 'call'],
  [/^attempt to perform (?:bitwise|arithmetic)\b/, 'arithmetic'],
  [/^attempt to (?:unary minus|mod|div|number has no integer)/, 'arithmetic'],
  [/^attempt to concatenate\b/, 'concatenate'],
  [/^attempt to compare\b/, 'compare'],
  [/^attempt to get length\b/, 'length'],
  [/^(?:bad|invalid|missing) argument #\d+/, 'argument'],
  [/^(?:'for' (?:initial|limit|step)|(?:bad|invalid) 'for')/, 'for'],
  [/stack overflow/, STACK_OVERFLOW],
  [/not enough memory/, 'memory'],
]

const QUOTED = /'[^'\n]*'|"[^"\n]*"|`[^`\n]*`/g
const NUMBER = /\b0x[\da-f]+|\d+(?:\.\d+)?/gi

/** The message without the parts that vary between occurrences. */
export function messageIdentity(message: string): string {
  const known = WORDINGS.find(([pattern]) => pattern.test(message))
  if (known) return nameOf(known[1])
  return message.replace(QUOTED, "'…'").replace(NUMBER, '#').replace(/\s+/g, ' ')
}

/** Returns whether this is the identity of a stack overflow, on any host. */
export const isStackOverflow = (identity: string): boolean => identity === nameOf(STACK_OVERFLOW)

function nameOf(wording: string): string {
  return `@${wording}`
}
