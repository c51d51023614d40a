/** Texts of an import, wherever it comes from. */
import { MAX_USER_KEY_LENGTH } from '@scriptward/client/messages'

const SHORTEST = 4
/** Printable ASCII without blanks at its ends, as other services make and sign their keys; what is shorter could be guessed. */
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])$/
export const KEY_WORDS = `must be ${SHORTEST} to ${MAX_USER_KEY_LENGTH} printable ASCII characters`

export function isImportable(key: string): boolean {
  return key.length >= SHORTEST && key.length <= MAX_USER_KEY_LENGTH && KEY.test(key)
}

/** Notes of other services have line feeds and tabs; ours have one line. */
export function onOneLine(text: string): string {
  return text.replace(/[\t\n\r]+/g, ' ')
}
