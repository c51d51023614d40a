/** A language for tests: English in brackets, so that text which stands in no table shows. */
import type { english } from './english.ts'
import type { Words } from './words.ts'

export function pseudo(table: typeof english): Words<typeof english> {
  return bracket(table) as Words<typeof english>
}

function bracket(value: unknown): unknown {
  if (typeof value === 'string') return `⟦${value}⟧`
  if (typeof value === 'function') return (...given: unknown[]) => `⟦${value(...given)}⟧`
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(bracket)
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, bracket(each)]))
}
