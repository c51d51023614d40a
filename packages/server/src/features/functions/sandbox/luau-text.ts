/** Writes JSON values as Luau that makes them. Null becomes nil, so it leaves a gap in a list. */

const PLAIN = /^[\w .,:;/+-]*$/

export function luauOf(value: unknown): string {
  if (value === null || value === undefined) return 'nil'
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `{${value.map(luauOf).join(',')}}`
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined)
  return `{${members.map(([name, member]) => `[${quoted(name)}]=${luauOf(member)}`).join(',')}}`
}

/** With the bytes of its UTF-8 as numbers, so that no character means anything to Luau or to what carries the text. */
function quoted(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`
  const bytes = Array.from(Buffer.from(text), (byte) => `\\${String(byte).padStart(3, '0')}`)
  return `"${bytes.join('')}"`
}
