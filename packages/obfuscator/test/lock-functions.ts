/** Gives every function of a program a separate lock. */

import { readTree, writeTree } from '../attacks/tree.ts'
import type { Bytes, FunctionExpression, LocalFunction, Statement } from '../src/syntax/ast.ts'
import type { Dialect } from '../src/syntax/dialect.ts'
import { nodesAt } from '../src/syntax/nodes.ts'
import { rewrite } from '../src/syntax/walk.ts'

export function lockFunctions(source: Bytes, dialect?: Dialect): Bytes {
  const locked = rewrite(readTree(source, dialect), {
    LocalFunction: (node) => declaration(node),
    FunctionExpression: (node) => marked(node),
  })
  return writeTree(locked)
}

function marked(node: FunctionExpression) {
  return nodesAt(node.at).call({ kind: 'GlobalName', at: node.at, name: 'WARD_ENCFUNC' }, node)
}

/** The name of a local function is in scope in its own body. */
function declaration({ at, binding, func }: LocalFunction): Statement[] {
  const make = nodesAt(at)
  const local: Statement = { kind: 'Local', at, bindings: [binding], values: [] }
  return [local, make.assign(make.use(binding.symbol), func)]
}
