/** Formats values as Lua source in ASCII. */

/**
 * Returns a multi-line Lua string, with a bracket level that does not occur in the text. The level is at
 * least 1, because Lua 5.1 rejects `[[` inside level 0.
 */
export function luaLongString(text: string): string {
  let level = '='
  while (text.includes(`]${level}]`) || text.endsWith(`]${level}`)) level += '='
  return `[${level}[${text}]${level}]`
}

/** Returns a Lua literal for a string, number or boolean, or a list or object of these. */
export function luaLiteral(value: unknown): string {
  if (typeof value === 'string') return luaString(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return `{${value.map(luaLiteral).join(',')}}`
  const members = Object.entries(value as object).map(
    ([name, member]) => `[${luaString(name)}]=${luaLiteral(member)}`,
  )
  return `{${members.join(',')}}`
}

/** Writes bytes outside printable ASCII as decimal escapes, which all dialects read the same way. */
export function luaString(text: string): string {
  const escaped = Array.from(Buffer.from(text, 'utf8'), (byte) =>
    byte < 32 || byte > 126 || byte === 34 || byte === 92
      ? `\\${String(byte).padStart(3, '0')}`
      : String.fromCharCode(byte),
  )
  return `"${escaped.join('')}"`
}
