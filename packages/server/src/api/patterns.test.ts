/**
 * A string is matched against its field's pattern before its length is checked, so a pattern with superlinear
 * backtracking could block the event loop for minutes at the maximum body size.
 */
import type { TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import { endpoints } from '../endpoints.ts'

const LENGTH = 50_000
/** A linear pattern takes less than a millisecond, and a quadratic one takes seconds. */
const MAX_MS = 500
/**
 * Contents of long strings: each kind of character that patterns distinguish, and alternating pairs of these
 * characters.
 */
const REPEATED = ['a', 'A', '0', ' ', '-', '_', '.', '=', '@', 'é', 'a ', ' a', 'a-', 'a.', '0a']
/** Prefixes and suffixes that make a long string fail immediately or only at its last position. */
const AROUND = ['', 'a', ' ', '-', '@', '=', '"', '\u0001']

/** All patterns of a schema, at every level. */
function patternsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([name, part]) =>
    name === 'pattern' && typeof part === 'string' ? [part] : patternsIn(part),
  )
}

const schemas: readonly TSchema[] = endpoints.flatMap(({ params, query, body }) => [params, query, body])
const patterns = [...new Set(patternsIn(schemas))]
const texts = AROUND.flatMap((start) =>
  REPEATED.flatMap((one) => AROUND.map((end) => start + one.repeat(LENGTH / one.length) + end)),
)

describe('the pattern of a field', () => {
  test.each(patterns)('%s matches a long string in linear time', (pattern) => {
    const compiled = new RegExp(pattern, 'u')
    const slow = texts.find((text) => {
      const start = process.cpuUsage()
      compiled.test(text)
      return process.cpuUsage(start).user / 1000 > MAX_MS
    })
    expect(slow && [slow.slice(0, 5), slow.slice(-5)]).toBeUndefined()
  })
})
