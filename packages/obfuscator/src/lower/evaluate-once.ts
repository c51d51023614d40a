/** Creates locals for those subexpressions of a statement that must be evaluated only once and in order. */

import type { Symbols } from '../semantics/symbols.ts'
import type { Expression, Offset, Statement } from '../syntax/ast.ts'
import { nodesAt, oneValue } from '../syntax/nodes.ts'

export type Once = {
  /**
   * Returns the expression itself if evaluating it again is safe, and otherwise the local that contains its
   * value.
   */
  readonly keep: (part: Expression) => Expression
  /** Returns the statement, preceded by the declaration of all locals that `keep` created. */
  readonly before: (statement: Statement) => Statement
}

export function evaluateOnce(at: Offset, symbols: Symbols): Once {
  const make = nodesAt(at)
  const kept: { symbol: number; value: Expression }[] = []
  return {
    keep(part) {
      if (isRepeatable(part)) return part
      const symbol = symbols.fresh()
      kept.push({ symbol, value: part })
      return make.use(symbol)
    },
    before(statement) {
      if (kept.length === 0) return statement
      const locals = make.local(
        kept.map((each) => each.symbol),
        kept.map((each) => oneValue(each.value)),
      )
      return make.do([locals, statement])
    },
  }
}

/**
 * Whether an expression always has the same value and has no side effects. This includes locals, because
 * hosts read them in place.
 */
export function isRepeatable(part: Expression): boolean {
  return part.kind === 'LocalName' || part.kind === 'StringLiteral' || part.kind === 'NumberLiteral'
}
