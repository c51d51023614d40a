/**
 * Writes the author's own statements in another form in every build, as `vary/vary-generated.ts` does with
 * generated ones. Only forms that no host can tell apart and none runs slower.
 */

import type { Binary, Expression } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import { formVisitors } from '../vary/statement-forms.ts'
import { definePass } from './pass.ts'

/** An `else` and an `and` add nesting levels; hosts allow about 190. */
const MAX_NESTING = 45

export const varyStatements = definePass({
  name: 'vary-statements',
  summary: 'Varies the form of branches, comparisons and declarations with every build.',
  settings: [],
  reads: [],
  writes: [],
  run(chunk, { source, random }) {
    // A label inside an `else` cannot be reached.
    if (chunk.nesting > MAX_NESTING || source.mentions('goto') || source.mentions('::')) return { chunk }
    // LuaJIT's ffi types may tell on which side of `==` they stand.
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

/** The operator after both sides are swapped. For hosts and metamethods, `a > b` is `b < a` anyway. */
const TURNED_BY_ORDER: Readonly<Record<string, Binary['operator']>> = {
  '<': '>',
  '>': '<',
  '<=': '>=',
  '>=': '<=',
}
const TURNED = { ...TURNED_BY_ORDER, '==': '==', '~=': '~=' } as typeof TURNED_BY_ORDER

/** With a literal on one side, the order of evaluation cannot be observed, and no `__eq` is called. */
function isTurnable({ left, right }: Binary): boolean {
  return isLiteral(left) !== isLiteral(right)
}

function isLiteral({ kind }: Expression): boolean {
  return (
    kind === 'NumberLiteral' || kind === 'StringLiteral' || kind === 'NilLiteral' || kind === 'BooleanLiteral'
  )
}
