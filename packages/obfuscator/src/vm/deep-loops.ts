/** Finds the loops that probably run most often, so that the report can warn if they are virtualized. */

import type { Chunk, Node, Offset } from '../syntax/ast.ts'
import { runsOnce } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'
import type { Owner } from './variables.ts'

/** A loop nested in other loops of the same function. Loops that never repeat don't count. */
export type DeepLoop = { readonly at: Offset; readonly depth: number; readonly owner: Owner }

/** Loops with less nesting are not reported. */
const MIN_DEPTH = 2

/** Returns the innermost nested loops, deepest first, then in source order. */
export function deepLoops(chunk: Chunk): readonly DeepLoop[] {
  const found: DeepLoop[] = []
  const open: { readonly owner: Owner; depth: number; deepest: number }[] = [
    { owner: chunk, depth: 0, deepest: 0 },
  ]
  const top = () => open[open.length - 1] as (typeof open)[number]
  const loop = {
    enter: (node: Node): undefined => {
      if (runsOnce(node)) return
      top().depth += 1
      top().deepest = top().depth
    },
    leave: (_: Node, original: Node): undefined => {
      if (runsOnce(original)) return
      const { owner, depth, deepest } = top()
      if (depth === deepest && depth >= MIN_DEPTH) found.push({ at: original.at, depth, owner })
      top().depth -= 1
    },
  }
  rewrite(chunk, {
    FunctionExpression: {
      enter: (node) => void open.push({ owner: node, depth: 0, deepest: 0 }),
      leave: () => void open.pop(),
    },
    While: loop,
    Repeat: loop,
    NumericFor: loop,
    GenericFor: loop,
  })
  return found.toSorted((a, b) => b.depth - a.depth || a.at - b.at)
}
