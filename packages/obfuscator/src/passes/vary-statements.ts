// Gives the author's own statements another form in every build, as `vary.ts` does with ours. Only what no host can tell
// apart, and what none runs slower.

import type { Binary, Expression } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import { formVisitors } from '../vary/statement-forms.ts'
import { definePass } from './pass.ts'

/** An `else` and an `and` take levels, of which hosts have about 190. */
const MAX_NESTING = 45

export const varyStatements = definePass({
  name: 'vary-statements',
  summary: 'Writes branches, comparisons and declarations in another form in every build.',
  settings: [],
  reads: [],
  writes: [],
  run(chunk, { source, random }) {
    // A label in an `else` is out of reach.
    if (chunk.nesting > MAX_NESTING || source.mentions('goto') || source.mentions('::')) return { chunk }
    // Types of LuaJIT's ffi may tell which side of `==` they stand on.
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

/** What a comparison is when its sides change places: for hosts, and for metamethods, `a > b` is `b < a` anyway. */
const TURNED_BY_ORDER: Readonly<Record<string, Binary['operator']>> = {
  '<': '>',
  '>': '<',
  '<=': '>=',
  '>=': '<=',
}
const TURNED = { ...TURNED_BY_ORDER, '==': '==', '~=': '~=' } as typeof TURNED_BY_ORDER

/** With a literal on one side it cannot be told which side was read first, and two tables are not compared for equality. */
function isTurnable({ left, right }: Binary): boolean {
  return isLiteral(left) !== isLiteral(right)
}

function isLiteral({ kind }: Expression): boolean {
  return (
    kind === 'NumberLiteral' || kind === 'StringLiteral' || kind === 'NilLiteral' || kind === 'BooleanLiteral'
  )
}
