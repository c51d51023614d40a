/** Parses durations as people type them: `30d`, `12h`, `1d12h`. */

const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
  y: 365 * 86_400_000,
}
const PART = /(\d+(?:\.\d+)?)([smhdwy])/g
const WHOLE = /^(?:\d+(?:\.\d+)?[smhdwy])+$/

/** Returns milliseconds, or undefined if the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  if (!WHOLE.test(text)) return undefined
  const parts = [...text.matchAll(PART)]
  return Math.round(
    parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (UNITS[unit] ?? 0), 0),
  )
}
