import type { NamedScript } from './queries.ts'

/** Minimum length of a name. Shorter names could occur in any code. */
const MIN_LENGTH = 4

/**
 * Finds the script whose ID or name occurs in a copy; undefined if there is none, or if several names match.
 */
export function scriptNamedIn(copy: string, scripts: readonly NamedScript[]): NamedScript | undefined {
  const byId = scripts.find(({ id }) => copy.includes(id))
  if (byId !== undefined) return byId
  const [first, ...others] = scripts.filter(({ name }) => name.length >= MIN_LENGTH && copy.includes(name))
  return others.length === 0 ? first : undefined
}
