import { text } from '../../messages/text.ts'

/** Uploads with the account's API key are recorded with the key's first characters. */
const KEY_START = /^[\w-]{4,16}…$/

/** Returns a token's name, a user's email address, or "API key". */
export function authorName(author: string): string {
  return KEY_START.test(author) ? text.scripts.apiKey : author
}
