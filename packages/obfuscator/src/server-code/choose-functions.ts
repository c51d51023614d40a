/**
 * Marks the functions that the `server` option names, as if the author had written `WARD_SERVER(function …
 * end)`.
 */

import type { PassContext } from '../pass-context.ts'
import type { Call, Chunk, FunctionExpression } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'
import { FunctionNames, findNamedFunctions, type NamedFunction } from './named-functions.ts'

const SERVER_MACRO = 'WARD_SERVER'
const MAX_LISTED = 10

/** Reports each name that does not refer to exactly one function. */
export function chooseFunctions(chunk: Chunk, context: PassContext): Chunk {
  const { serverNames, diagnostics } = context
  if (serverNames.length === 0) return chunk
  const functions = findNamedFunctions(chunk)
  const names = new FunctionNames(functions, diagnostics)
  const chosen = new Map<FunctionExpression, string>()
  for (const name of serverNames) {
    const [first, second] = names.find(name)
    if (!first) diagnostics.report(0, 'serverNameUnknown', name, listOf(functions))
    else if (second)
      diagnostics.report(second.func.at, 'serverNameTwice', name, diagnostics.placeOf(first.func.at))
    else if (!first.isMarked) chosen.set(first.func, name)
  }
  return rewrite(chunk, {
    LocalFunction: {
      enter: ({ at, binding, func }) =>
        chosen.has(func)
          ? { kind: 'Local', at, bindings: [binding], values: [marked(func, chosen, context)] }
          : undefined,
    },
    FunctionExpression: { enter: (node) => (chosen.has(node) ? marked(node, chosen, context) : undefined) },
  })
}

/** In a watched run, wraps the function in `ward.watch('name', …)` instead. */
function marked(
  func: FunctionExpression,
  chosen: ReadonlyMap<FunctionExpression, string>,
  { serverCode, ward }: PassContext,
): Call {
  const make = nodesAt(func.at)
  if (serverCode === 'watch' && ward !== null) {
    return make.call(
      make.index(make.use(ward), make.string('watch')),
      make.string(chosen.get(func) ?? ''),
      func,
    )
  }
  return make.call({ kind: 'GlobalName', at: func.at, name: SERVER_MACRO }, func)
}

function listOf(functions: readonly NamedFunction[]): string {
  const names = [...new Set(functions.map(({ name }) => name))].slice(0, MAX_LISTED)
  return names.length === 0
    ? 'the script names no function'
    : `choose from ${names.map((name) => `'${name}'`).join(', ')}`
}
