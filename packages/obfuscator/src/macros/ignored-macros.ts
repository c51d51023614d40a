/** Expands other obfuscators' macros that have no effect in Scriptward. */

import type { Call, Expression, Offset } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import type { Macro } from './macro-table.ts'

/** Returns the expression that replaces a call; null if the macro does not accept these arguments. */
export function withoutMacro(macro: Macro, { args, at }: Call): Expression | null {
  const make = nodesAt(at)
  const [first, ...rest] = args
  switch (macro) {
    case 'same':
    case 'assumed':
      return first && isOneValue(first) && rest.every(isIdle) ? first : null
    case 'run':
      return first && isCallable(first) && rest.every(isIdle) ? make.call(first) : null
    case 'slots':
      return first && args.length <= 2 && args.every(isIdle) ? make.table([]) : null
    case 'yes':
      return first ? null : make.boolean(true)
    default:
      return null
  }
}

/** Returns the value of a macro that is used without a call; null for other macros. */
export function macroValue(macro: Macro, at: Offset, line: number): Expression | null {
  if (macro === 'obfuscated') return nodesAt(at).boolean(true)
  if (macro === 'line') return nodesAt(at).number(line)
  return macro === 'version' ? nodesAt(at).string('Scriptward') : null
}

function isOneValue({ kind }: Expression): boolean {
  return kind !== 'Vararg'
}

function isCallable({ kind }: Expression): boolean {
  return kind === 'FunctionExpression' || kind === 'LocalName' || kind === 'GlobalName' || kind === 'Index'
}

/** Whether removing the expression leaves the behavior of the program unchanged. */
function isIdle(node: Expression): boolean {
  if (node.kind === 'Unary') return node.operator !== '#' && isIdle(node.operand)
  return /^(NilLiteral|BooleanLiteral|NumberLiteral|StringLiteral|LocalName|GlobalName|FunctionExpression)$/.test(
    node.kind,
  )
}
