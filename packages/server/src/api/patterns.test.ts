/**
 * A text is held against the pattern of its member before its length counts, so a pattern that reads a long text again and
 * again would block the event loop: for minutes, at the size that a body may have.
 */
import type { TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import { endpoints } from '../endpoints.ts'

const LENGTH = 50_000
/** A pattern that reads each character once takes less than a millisecond, one that reads it for each other takes seconds. */
const MAX_MS = 500
/** What long texts are made of: each kind of character that patterns tell apart, and two of them in turns. */
const REPEATED = ['a', 'A', '0', ' ', '-', '_', '.', '=', '@', 'é', 'a ', ' a', 'a-', 'a.', '0a']
/** What a long text may begin and end with, so that it fits nowhere or only in its last place. */
const AROUND = ['', 'a', ' ', '-', '@', '=', '"', '\u0001']

/** All patterns of a schema, on every level. */
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

describe('patterns of members', () => {
  test.each(patterns)('%s reads a long text once', (pattern) => {
    const compiled = new RegExp(pattern, 'u')
    const slow = texts.find((text) => {
      const start = process.cpuUsage()
      compiled.test(text)
      return process.cpuUsage(start).user / 1000 > MAX_MS
    })
    expect(slow && [slow.slice(0, 5), slow.slice(-5)]).toBeUndefined()
  })
})
