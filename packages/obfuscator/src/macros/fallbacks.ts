/**
 * Drops code that only the unprotected file needs: fallbacks such as `WARD_JIT = WARD_JIT or function…`, and
 * branches that depend on a macro. A local that is set to a macro becomes an alias of the macro.
 */

import type { Assign, Chunk, Expression, If, IfClause, Local, Statement, SymbolId } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import { macroOf, staticTruth } from './macro-names.ts'

/** Removes fallbacks. Replaces each local that is set to a macro with the macro. */
export function dropFallbacks(chunk: Chunk): Chunk {
  const aliases = new Map<SymbolId, string>()
  return rewrite(chunk, {
    If: folded,
    Assign: (node) => (isFallback(node) ? [] : undefined),
    Local(node) {
      const [binding] = node.bindings
      if (!binding || !isAlias(node)) return undefined
      aliases.set(binding.symbol, binding.name)
      return []
    },
    LocalName({ symbol, at }): Expression | undefined {
      const name = aliases.get(symbol)
      return name === undefined ? undefined : { kind: 'GlobalName', at, name }
    },
  })
}

function isFallback({ targets, values }: Assign): boolean {
  const [target] = targets
  const [value] = values
  if (targets.length !== 1 || values.length !== 1 || target?.kind !== 'GlobalName' || !value) return false
  const isOther = value.kind === 'FunctionExpression' || isChoice(value) || macroOf(value) !== null
  return macroOf(target) !== null && isOther
}

/** Matches `MACRO or …`. */
function isChoice(value: Expression): boolean {
  return value.kind === 'Logical' && value.operator === 'or' && staticTruth(value.left) === true
}

function isAlias({ bindings, values }: Local): boolean {
  const [value] = values
  if (bindings.length !== 1 || values.length !== 1 || !value || !macroOf(bindings[0] ?? null)) return false
  return isChoice(value) || macroOf(value) !== null
}

/** Folds those clauses of an `if` whose condition is known because it depends only on macros. */
function folded(node: If): Statement | Statement[] | undefined {
  if (node.clauses.every(({ condition }) => staticTruth(condition) === null)) return undefined
  const clauses: IfClause[] = []
  let { otherwise } = node
  for (const clause of node.clauses) {
    const truth = staticTruth(clause.condition)
    if (truth === null) clauses.push(clause)
    if (truth !== true) continue
    otherwise = clause.body
    break
  }
  if (clauses.length > 0) return { ...node, clauses, otherwise }
  return otherwise ? { kind: 'Do', at: node.at, body: otherwise } : []
}
