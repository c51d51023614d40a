/** Reads answers of providers, which may have any form, and extends their links. */

/** A member of a JSON object; undefined for every other text. */
export function memberOf(text: string, name: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return undefined
    return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined
  } catch {
    return undefined
  }
}

/** Milliseconds since 1970 from milliseconds, seconds or a date as text; NaN for everything else. */
export function timeOf(value: unknown): number {
  if (typeof value === 'string' && !/^\d+$/.test(value)) return Date.parse(value)
  const number = typeof value === 'string' ? Number(value) : value
  if (typeof number !== 'number') return Number.NaN
  return number < SECONDS_END ? number * 1000 : number
}

/** As seconds this is the year 5138, as milliseconds it is 1973. */
const SECONDS_END = 100_000_000_000

/**
 * Put on as text: whatever takes a link apart writes `?id` as `?id=`, which providers do not know any more.
 */
export function withQuery(link: string, query: string): string {
  if (!link.includes('?')) return `${link}?${query}`
  return link.endsWith('?') || link.endsWith('&') ? link + query : `${link}&${query}`
}
