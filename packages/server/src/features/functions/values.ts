/** Values that may be passed between a script and a server function: JSON of limited size and depth. */
import { CALL_MB, CALL_MS, DEEPEST_VALUE, MAX_VALUES_BYTES } from './sandbox/limits.ts'

export const MAX_VALUES = 16
/** Milliseconds of CPU time and MiB of memory. */
export const CALL_LIMITS = { ms: CALL_MS, mb: CALL_MB }

/** Describes the error in a call's arguments. Returns undefined if they are valid. */
export function findUnfitValues(values: readonly unknown[]): string | undefined {
  if (values.length > MAX_VALUES) return `must be at most ${MAX_VALUES}`
  return findUnfit(values, -1) ?? findTooLarge(values)
}

/** Describes the error in the data about a run. Returns undefined if the data is valid. */
export function findUnfitFacts(facts: object): string | undefined {
  return findUnfit(facts, 0) ?? findTooLarge(facts)
}

/** A number that is too large for JavaScript is parsed as infinity, which JSON can't represent. */
function findUnfit(value: unknown, depth: number): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return 'must not contain numbers beyond 1.8e308'
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= DEEPEST_VALUE) return `must not be nested more than ${DEEPEST_VALUE} levels deep`
  for (const part of Object.values(value)) {
    const fix = findUnfit(part, depth + 1)
    if (fix !== undefined) return fix
  }
  return undefined
}

function findTooLarge(value: unknown): string | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(value))
  return bytes > MAX_VALUES_BYTES
    ? `must have at most ${MAX_VALUES_BYTES} bytes as JSON (have ${bytes})`
    : undefined
}
