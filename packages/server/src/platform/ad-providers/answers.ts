/** Reads providers' responses, which can have any shape, and appends parameters to links. */

/** Returns a field of a JSON object, or undefined for any other input. */
export function memberOf(text: string, name: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return undefined
    return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined
  } catch {
    return undefined
  }
}

/**
 * Converts milliseconds, seconds or a date string to milliseconds since 1970. Returns NaN for everything
 * else.
 */
export function timeOf(value: unknown): number {
  if (typeof value === 'string' && !/^\d+$/.test(value)) return Date.parse(value)
  const number = typeof value === 'string' ? Number(value) : value
  if (typeof number !== 'number') return Number.NaN
  return number < SECONDS_END ? number * 1000 : number
}

/** Corresponds to the year 5138 in seconds, or 1973 in milliseconds. */
const SECONDS_END = 100_000_000_000

/**
 * Appends the query to the string, because URL parsers would rewrite `?id` as `?id=`, which providers don't
 * recognize.
 */
export function withQuery(link: string, query: string): string {
  if (!link.includes('?')) return `${link}?${query}`
  return link.endsWith('?') || link.endsWith('&') ? link + query : `${link}&${query}`
}
