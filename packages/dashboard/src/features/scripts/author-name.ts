import { text } from '../../messages/text.ts'

/** Uploads with the API key of the account are recorded with the first characters of that key. */
const KEY_START = /^[\w-]{4,16}…$/

/** Returns the name of a token, the email address of a user, or "API key". */
export function authorName(author: string): string {
  return KEY_START.test(author) ? text.scripts.apiKey : author
}
