/** Finds the globals that a script itself assigns. Such names are not treated as macros or variables. */

import type { Chunk, Expression } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'

/** Returns names that are assigned as globals, as `_G.name` or as `getgenv().name`. */
export function assignedNames(chunk: Chunk): ReadonlySet<string> {
  const names = new Set<string>()
  const add = (target: Expression): void => {
    if (target.kind === 'GlobalName') names.add(target.name)
    if (target.kind !== 'Index' || target.key.kind !== 'StringLiteral') return
    if (isGlobalTable(target.object)) names.add(target.key.value)
  }
  rewrite(chunk, {
    Assign: ({ targets }) => void targets.forEach(add),
    CompoundAssign: ({ target }) => add(target) ?? undefined,
  })
  return names
}

/** Matches `_G` or `getgenv()`. */
export function isGlobalTable(node: Expression): boolean {
  if (node.kind === 'Call') return node.args.length === 0 && isNamed(node.callee, 'getgenv')
  return isNamed(node, '_G')
}

function isNamed(node: Expression, name: string): boolean {
  return node.kind === 'GlobalName' && node.name === name
}
