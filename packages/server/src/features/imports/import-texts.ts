/** Checks for imported strings, shared by all sources. */
import { MAX_USER_KEY_LENGTH } from '@scriptward/client/messages'

const SHORTEST = 4
/**
 * Printable ASCII without leading or trailing spaces, as other services generate and sign their keys. Shorter
 * keys could be guessed.
 */
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])$/
export const KEY_WORDS = `must be ${SHORTEST} to ${MAX_USER_KEY_LENGTH} printable ASCII characters`

export function isImportable(key: string): boolean {
  return key.length >= SHORTEST && key.length <= MAX_USER_KEY_LENGTH && KEY.test(key)
}

/** Replaces line feeds and tabs, because notes of other services may have them but ours are a single line. */
export function onOneLine(text: string): string {
  return text.replace(/[\t\n\r]+/g, ' ')
}
