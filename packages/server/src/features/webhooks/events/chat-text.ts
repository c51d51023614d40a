/**
 * Escapes strings from users for a Discord message. The strings appear literally and can't format, mention,
 * link or hide anything.
 */

/**
 * Maximum length of each string in a message, in UTF-16 units. A string never has fewer UTF-16 units than
 * Discord counts.
 */
export const CHAT_LIMITS = {
  username: 80,
  embeds: 10,
  fields: 25,
  title: 256,
  name: 256,
  value: 1024,
  footer: 2048,
  total: 6000,
} as const

/** Maximum number of characters shown for each string. Ten strings of this length fit in one message. */
const SHOWN = 200
/**
 * Matches format characters, including those that change the writing direction, fillers, and the empty
 * braille cell.
 */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu
const MARKDOWN = /[\\`*_~|<>#[\]()@:+\-!]/g
const NONE = 'N/A'

/** Returns a single line without markup, or `N/A` if nothing is visible. */
export function plainText(text: string | number | null | undefined, most: number = SHOWN): string {
  const clean = visible(String(text ?? ''))
  return escapeWithin(clean, most) || NONE
}

/** Masks a user key for readers who must not be able to use it. */
export function maskKey(key: string): string {
  return key.length < 12 ? '…' : `${key.slice(0, 4)}…${key.slice(-4)}`
}

/** Formats a string without backticks in a fixed-width font. */
export function codeText(text: string): string {
  return `\`${visible(text).replaceAll('`', '')}\``
}

/** Mentions a Discord account by its ID without notifying it. Shows any other string as plain text. */
export function mentionText(chatId: string | null | undefined): string {
  return /^\d{5,22}$/.test(chatId ?? '') ? `<@${chatId}>` : plainText(chatId)
}

/** Returns a valid sender name. Discord rejects its own names and some characters. */
export function senderName(name: string, fallback: string): string {
  const clean = visible(name)
    .replace(/[@#:`]/g, '')
    .replace(/discord|clyde/gi, (word) => `${word.slice(0, 1)}.${word.slice(1)}`)
    .trim()
  const isReserved = clean === '' || /^(everyone|here)$/i.test(clean)
  return cut(isReserved ? fallback : clean, CHAT_LIMITS.username).trim()
}

/** Truncates a string to at most `most` UTF-16 units, never within a character, and adds an ellipsis. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  let start = ''
  for (const character of text) {
    if (start.length + character.length >= most) break
    start += character
  }
  return `${start}…`
}

function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .replace(INVISIBLE, '')
    .replace(/\s+/gu, ' ')
    .trim()
}

/** Truncates between characters, but never between a backslash and the character that it escapes. */
function escapeWithin(text: string, most: number): string {
  let escaped = ''
  for (const character of text) {
    const next = character.replace(MARKDOWN, '\\$&')
    if (escaped.length + next.length >= most) return `${escaped}…`
    escaped += next
  }
  return escaped
}
