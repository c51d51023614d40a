/**
 * Wraps a chunk in a function: `return function(<parameters>, ...) <chunk> end`. The script can't tell the
 * difference. In particular, uses of the `arg` local that Lua 5.1 adds to vararg functions are redirected to
 * the global.
 */

import { collectFacts } from '../semantics/facts.ts'
import type { Symbols } from '../semantics/symbols.ts'
import type { Target } from '../semantics/target.ts'
import { instantiate } from '../semantics/template.ts'
import type { Binding, Chunk, FunctionExpression, Offset, Statement, SymbolId } from '../syntax/ast.ts'
import { bind, use } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'

/**
 * `parameters` are the parameters as bound by `resolve`. `channel` is the local for the channel argument of
 * the outer chunk; null if there is none.
 */
export type WrapperInputs = { readonly parameters: readonly Binding[]; readonly channel: SymbolId | null }

/** The function declares `...` only if the script uses it. */
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

/** Returns the chunk as a function body, together with the statements that must precede the function. */
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

/** Reads the second argument of the chunk. The first argument is the data of a split output. */
function received(channel: SymbolId | null, data: SymbolId, at: Offset): readonly Statement[] {
  if (channel === null) return []
  return [
    { kind: 'Local', at, bindings: [bind(data, at), bind(channel, at)], values: [{ kind: 'Vararg', at }] },
  ]
}

/**
 * Inside a vararg function, Lua 5.1 resolves `arg` to a local of that function. The script expects the
 * global, so the global is read outside the function instead. Vararg functions in the script keep their own
 * `arg`.
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
