/** Reads paginated lists, up to a limit. */

import { usage } from '../faults.ts'

const MAX_PAGE = 1000

/** `read` receives the page size. */
export async function takeNewest<T>(text: string, read: (limit: number) => AsyncIterable<T>): Promise<T[]> {
  const count = countOf(text)
  const taken: T[] = []
  for await (const one of read(Math.min(count, MAX_PAGE))) {
    taken.push(one)
    if (taken.length >= count) break
  }
  return taken
}

export function countOf(text: string, name = '--limit'): number {
  const count = Number(text)
  if (Number.isSafeInteger(count) && count > 0) return count
  throw usage(`${name} must be a whole number above 0, not '${text}'.`)
}
