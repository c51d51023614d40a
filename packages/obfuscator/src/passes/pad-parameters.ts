/**
 * Pads functions to the same number of parameters, so that the count does not identify them. Arguments
 * beyond the author's parameters are still dropped.
 */

import type { PassContext } from '../pass-context.ts'
import type { Random } from '../random.ts'
import type { Capacity } from '../semantics/capacity.ts'
import type { FunctionExpression } from '../syntax/ast.ts'
import { bind } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'
import { definePass } from './pass.ts'

export const padParameters = definePass({
  name: 'pad-parameters',
  summary: 'Gives all functions the same number of parameters.',
  settings: [],
  reads: [],
  writes: [],
  run(chunk, context) {
    const capacity = context.capacityOf(chunk)
    const count = countFor(capacity, context.random)
    const evened = rewrite(chunk, {
      FunctionExpression: (node, original) => {
        const missing = node.isVararg ? 0 : count - node.parameters.length
        return missing > 0 && capacity.hasLocals(original, missing)
          ? extended(node, missing, context)
          : undefined
      },
    })
    return { chunk: evened }
  },
})

/** Each parameter takes a stack slot in every call, and LuaJIT has 65,500 of them. */
const [MIN_PARAMETERS, MAX_PARAMETERS] = [3, 5]

/** The parameter count that is rarest among the author's functions. */
function countFor({ functions }: Capacity, random: Random): number {
  const uses = new Map<number, number>()
  for (const node of functions) {
    if (node.kind === 'Chunk' || node.isVararg) continue
    uses.set(node.parameters.length, (uses.get(node.parameters.length) ?? 0) + 1)
  }
  const counts = random.shuffle(
    Array.from({ length: MAX_PARAMETERS - MIN_PARAMETERS + 1 }, (_, i) => MIN_PARAMETERS + i),
  )
  return counts.toSorted((a, b) => (uses.get(a) ?? 0) - (uses.get(b) ?? 0))[0] as number
}

function extended(node: FunctionExpression, missing: number, { symbols }: PassContext): FunctionExpression {
  const more = Array.from({ length: missing }, () => bind(symbols.fresh(), node.at))
  return { ...node, parameters: [...node.parameters, ...more] }
}
