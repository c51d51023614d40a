/** Writes JSON values as Luau expressions. Null becomes nil, which leaves a hole in a list. */

const PLAIN = /^[\w .,:;/+-]*$/

export function luauOf(value: unknown): string {
  if (value === null || value === undefined) return 'nil'
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `{${value.map(luauOf).join(',')}}`
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined)
  return `{${members.map(([name, member]) => `[${quoted(name)}]=${luauOf(member)}`).join(',')}}`
}

/**
 * Writes the UTF-8 bytes as decimal escapes, so that no character has a special meaning in Luau or is altered
 * in transit.
 */
export function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : quotedBytes(Buffer.from(text))
}

export function quotedBytes(bytes: Uint8Array): string {
  return `"${Array.from(bytes, (byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`
}
