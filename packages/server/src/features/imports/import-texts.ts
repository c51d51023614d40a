/** Checks for imported strings, shared by all sources. */
import { MAX_USER_KEY_LENGTH } from '@scriptward/client/messages'

const SHORTEST = 4
/**
 * Printable ASCII without leading or trailing spaces, because other services generate and sign keys in this
 * form. The minimum length keeps keys from being guessed.
 */
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])$/
export const KEY_WORDS = `must be ${SHORTEST} to ${MAX_USER_KEY_LENGTH} printable ASCII characters`

export function isImportable(key: string): boolean {
  return key.length >= SHORTEST && key.length <= MAX_USER_KEY_LENGTH && KEY.test(key)
}

/**
 * Replaces line feeds and tabs, because a note is a single line in Scriptward, but may have several lines in
 * other services.
 */
export function onOneLine(text: string): string {
  return text.replace(/[\t\n\r]+/g, ' ')
}
