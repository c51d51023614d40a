/**
 * Wraps a chunk into a function: `return function(<parameters>, ...) <chunk> end`. The script cannot see the
 * difference: in particular, the local `arg` that Lua 5.1 adds to vararg functions is routed to the global.
 */

import { collectFacts } from '../semantics/facts.ts'
import type { Symbols } from '../semantics/symbols.ts'
import type { Target } from '../semantics/target.ts'
import { instantiate } from '../semantics/template.ts'
import type { Binding, Chunk, FunctionExpression, Offset, Statement, SymbolId } from '../syntax/ast.ts'
import { bind, use } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'

/**
 * Parameters as `resolve` knew them, and the local that holds what the whole chunk is called with, if
 * anything.
 */
export type WrapperInputs = { readonly parameters: readonly Binding[]; readonly channel: SymbolId | null }

/** The function declares `...` only when the script uses it. */
export function wrapChunk(
  chunk: Chunk,
  { parameters, channel }: WrapperInputs,
  symbols: Symbols,
  target: Target,
): Chunk {
  const { inner, outer, isVararg } = asFunction(chunk, symbols, target)
  const at = chunk.at
  const func: FunctionExpression = {
    kind: 'FunctionExpression',
    at,
    attributes: [],
    parameters,
    isVararg,
    body: inner.body,
  }
  const statements: readonly Statement[] = [
    ...received(channel, symbols.fresh(), at),
    ...outer,
    { kind: 'Return', at, values: [func] },
  ]
  return { ...chunk, body: { kind: 'Block', at, statements } }
}

/** The chunk as the body of a function, and the statements that have to stand before that. */
export function asFunction(chunk: Chunk, symbols: Symbols, target: Target): FunctionParts {
  const isVararg = collectFacts(chunk).usesVararg
  const hasImplicitArg = isVararg && (target === 'lua51' || target === 'any')
  const parts = hasImplicitArg ? routeArg(chunk, symbols) : { inner: chunk, outer: [] }
  return { ...parts, isVararg }
}

type FunctionParts = {
  readonly inner: Chunk
  readonly outer: readonly Statement[]
  readonly isVararg: boolean
}

/** Reads the second argument. The first is the data of a split output. */
function received(channel: SymbolId | null, data: SymbolId, at: Offset): readonly Statement[] {
  if (channel === null) return []
  return [
    { kind: 'Local', at, bindings: [bind(data, at), bind(channel, at)], values: [{ kind: 'Vararg', at }] },
  ]
}

/**
 * Inside a vararg function, Lua 5.1 takes `arg` for a local of that function. The script means the global,
 * which is read from outside instead. A vararg function of the script keeps its own `arg`.
 */
function routeArg(chunk: Chunk, symbols: Symbols): { inner: Chunk; outer: readonly Statement[] } {
  const route = symbols.fresh()
  let varargs = 0
  let isUsed = false
  const inner = rewrite(chunk, {
    FunctionExpression: {
      enter(node) {
        if (node.isVararg) varargs += 1
      },
      leave(node) {
        if (node.isVararg) varargs -= 1
      },
    },
    GlobalName({ name, at }) {
      if (name !== 'arg' || varargs > 0) return undefined
      isUsed = true
      return {
        kind: 'Index',
        at,
        object: use(route, at),
        key: { kind: 'StringLiteral', at, value: 'arg' },
      }
    },
  })
  if (!isUsed) return { inner: chunk, outer: [] }
  const binding: Binding = { kind: 'Binding', at: chunk.at, symbol: route, name: '', isConst: false }
  const outer: readonly Statement[] = [
    { kind: 'Local', at: chunk.at, bindings: [binding], values: [] },
    ...instantiate(ROUTE, { route }, symbols, chunk.at),
  ]
  return { inner, outer }
}

const ROUTE = `
  route = setmetatable({}, {
    __index = function() return arg end,
    __newindex = function(_, _, value) arg = value end,
  })`
