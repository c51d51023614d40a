/** The fields that a request changes, as the audit log stores them. */
import { isDeepStrictEqual } from 'node:util'
import type { Change, Members } from './entry.ts'
import { isSecret, maskedValue } from './mask.ts'

/** `row` is the resource before the change, if known. Unchanged fields are omitted. */
export function changesBetween(
  row: Members | undefined,
  body: unknown,
  isNullValue = false,
): Record<string, Change> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return {}
  const changes = Object.entries(body as Members).flatMap(([name, value]) => {
    if (value === undefined || (value === null && row && !isNullValue)) return []
    const change = row === undefined ? { after: maskedValue(name, value) } : changeOf(row, name, value)
    return change === undefined ? [] : [[name, change] as const]
  })
  return Object.fromEntries(changes)
}

function changeOf(row: Members, name: string, value: unknown): Change | undefined {
  const after = maskedValue(name, value)
  if (!Object.hasOwn(row, name)) return { after }
  const before = comparable(row[name], value)
  if (isDeepStrictEqual(before, value) && !isSecret(name)) return undefined
  return { before: maskedValue(name, before), after }
}

/**
 * Converts a stored value to its form in requests. The database stores booleans as numbers, and lists and
 * objects as JSON.
 */
function comparable(stored: unknown, given: unknown): unknown {
  if (typeof given === 'boolean' && typeof stored === 'number') return stored === 1
  if (typeof given === 'object' && given !== null && typeof stored === 'string') return JSON.parse(stored)
  return stored
}
