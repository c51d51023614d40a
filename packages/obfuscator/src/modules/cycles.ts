/** Detects files that require each other while they are still loading. This fails on every host. */

import type { Offset } from '../syntax/ast.ts'

/** `at` is the position of a `require` in `from`. That call always runs when the file runs. */
export type Edge = { readonly from: string; readonly to: string; readonly at: Offset }

/** `paths` starts and ends with the same file. `at` is the position of the call that closes the cycle. */
export type Cycle = { readonly paths: readonly string[]; readonly at: Offset }

/**
 * Finds the first cycle in a depth-first search from the main file. The search is iterative, because chains
 * of files can be long.
 */
export function findCycle(main: string, edges: readonly Edge[]): Cycle | null {
  const outgoing = Map.groupBy(edges, ({ from }) => from)
  const done = new Set<string>()
  const open = [{ path: main, next: 0 }]
  const way = new Set([main])
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const edge = outgoing.get(top.path)?.[top.next]
    top.next += 1
    if (!edge) {
      done.add(top.path)
      way.delete(top.path)
      open.pop()
    } else if (way.has(edge.to)) {
      const paths = [...way]
      return { paths: [...paths.slice(paths.indexOf(edge.to)), edge.to], at: edge.at }
    } else if (!done.has(edge.to)) {
      way.add(edge.to)
      open.push({ path: edge.to, next: 0 })
    }
  }
  return null
}
