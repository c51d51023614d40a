/**
 * Rewrites the author's statements in a different form for every build, as `vary/vary-generated.ts` does
 * for generated statements. Only uses forms that no host can tell apart and that are equally fast
 * everywhere.
 */

import type { Binary, Expression } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import { formVisitors } from '../vary/statement-forms.ts'
import { definePass } from './pass.ts'

/** An `else` or `and` adds nesting levels, and hosts allow about 190. */
const MAX_NESTING = 45

export const varyStatements = definePass({
  name: 'vary-statements',
  summary: 'Varies the form of branches, comparisons and declarations with every build.',
  settings: [],
  reads: [],
  writes: [],
  run(chunk, { source, random }) {
    // A label inside an `else` is out of reach of its `goto`.
    if (chunk.nesting > MAX_NESTING || source.mentions('goto') || source.mentions('::')) return { chunk }
    // LuaJIT's ffi types can observe on which side of `==` they are.
    const turned = source.mentions('ffi') ? TURNED_BY_ORDER : TURNED
    const varied = rewrite(chunk, {
      ...formVisitors(random, 'author'),
      Binary(node) {
        const operator = turned[node.operator]
        if (operator === undefined || !isTurnable(node) || random.chance(0.5)) return undefined
        return { ...node, operator, left: node.right, right: node.left }
      },
    })
    return { chunk: varied }
  },
})

/** The mirrored operator for swapped operands. Hosts and metamethods treat `a > b` as `b < a` anyway. */
const TURNED_BY_ORDER: Readonly<Record<string, Binary['operator']>> = {
  '<': '>',
  '>': '<',
  '<=': '>=',
  '>=': '<=',
}
const TURNED = { ...TURNED_BY_ORDER, '==': '==', '~=': '~=' } as typeof TURNED_BY_ORDER

/** If one side is a literal, the order of evaluation cannot be observed and `__eq` is not called. */
function isTurnable({ left, right }: Binary): boolean {
  return isLiteral(left) !== isLiteral(right)
}

function isLiteral({ kind }: Expression): boolean {
  return (
    kind === 'NumberLiteral' || kind === 'StringLiteral' || kind === 'NilLiteral' || kind === 'BooleanLiteral'
  )
}
