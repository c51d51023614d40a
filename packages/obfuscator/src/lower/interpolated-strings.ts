/**
 * Lowers Luau's interpolated strings, for hosts without them and for passes that handle only plain string
 * literals.
 */

import type { Expression, InterpolatedString } from '../syntax/ast.ts'
import { nodesAt, oneValue } from '../syntax/nodes.ts'
import type { Support } from './runtime-support.ts'

/**
 * A single value is concatenated with the strings around it. If there are several values, all are evaluated
 * before the first is converted to a string, as in Luau.
 */
export function lowerInterpolation(node: InterpolatedString, support: Support): Expression {
  const make = nodesAt(node.at)
  const pieces = node.strings.map((text) => make.string(text))
  const [first, last] = pieces
  const [value] = node.values
  if (!value) return first ?? make.string('')
  if (node.values.length > 1 || !first || !last) {
    const args = node.values.flatMap((each, i) => [pieces[i] ?? make.string(''), oneValue(each)])
    return make.call(
      support.use('interpolate', node.at),
      ...args,
      pieces[node.values.length] ?? make.string(''),
    )
  }
  const text = make.call(support.use('tostring', node.at), oneValue(value))
  const head = first.value === '' ? text : make.binary(first, '..', text)
  return last.value === '' ? head : make.binary(head, '..', last)
}

/** Returns the `string.format` call that Luau's compiler emits for an interpolated string. */
export function toFormatCall(node: InterpolatedString): Expression {
  const value = node.strings.map((text) => text.replaceAll('%', '%%')).join('%*')
  const object = nodesAt(node.at).string(value)
  return { kind: 'MethodCall', at: node.at, object, method: 'format', args: node.values.map(oneValue) }
}
