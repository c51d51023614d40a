/** Removes variables that were copied to the server and that the script itself no longer uses. */

import type { Chunk, LocalName, Statement, SymbolId } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'

export type Dropped = {
  readonly chunk: Chunk
  /** Those of the `captured` symbols that the script still uses. */
  readonly kept: ReadonlySet<SymbolId>
}

/**
 * @param captured variables that are never assigned after their declaration and whose values have no side
 * effects.
 */
export function dropUnused(chunk: Chunk, captured: ReadonlySet<SymbolId>): Dropped {
  const kept = reachable(usesByOwner(chunk, captured))
  const isDropped = (symbol: SymbolId): boolean => captured.has(symbol) && !kept.has(symbol)
  const dropped = rewrite(chunk, {
    LocalFunction: (node) => (isDropped(node.binding.symbol) ? [] : undefined),
    Local(node) {
      const { bindings, values } = node
      const left = bindings.flatMap((binding, i) =>
        isDropped(binding.symbol) ? [] : [{ binding, value: values[i] }],
      )
      if (left.length === bindings.length) return undefined
      if (left.length === 0) return []
      const open = values.slice(bindings.length)
      const own = left.flatMap(({ value }) => (value ? [value] : []))
      return { ...node, bindings: left.map(({ binding }) => binding), values: [...own, ...open] }
    },
  })
  return { chunk: dropped, kept: new Set([...captured].filter((symbol) => kept.has(symbol))) }
}

/**
 * Maps a captured variable to the captured variables that its value uses. The key null stands for the rest of
 * the script.
 */
type Uses = ReadonlyMap<SymbolId | null, ReadonlySet<SymbolId>>

function usesByOwner(chunk: Chunk, captured: ReadonlySet<SymbolId>): Uses {
  const uses = new Map<SymbolId | null, Set<SymbolId>>()
  const owners: (SymbolId | null)[] = [null]
  const enter = (node: Statement): void => void owners.push(ownerOf(node, captured) ?? owners.at(-1) ?? null)
  const leave = (): undefined => void owners.pop()
  rewrite(chunk, {
    Local: { enter, leave },
    LocalFunction: { enter, leave },
    LocalName: ({ symbol }: LocalName) => {
      if (!captured.has(symbol)) return
      const owner = owners.at(-1) ?? null
      uses.set(owner, (uses.get(owner) ?? new Set()).add(symbol))
    },
  })
  return uses
}

/**
 * Returns the captured variable that a declaration's values belong to. Values in a declaration of several
 * variables count as uses by the enclosing code.
 */
function ownerOf(node: Statement, captured: ReadonlySet<SymbolId>): SymbolId | null {
  if (node.kind === 'LocalFunction') return captured.has(node.binding.symbol) ? node.binding.symbol : null
  const [only] = node.kind === 'Local' && node.bindings.length === 1 ? node.bindings : []
  return only && captured.has(only.symbol) ? only.symbol : null
}

function reachable(uses: Uses): ReadonlySet<SymbolId> {
  const found = new Set<SymbolId>()
  const open: (SymbolId | null)[] = [null]
  for (let owner = open.pop(); owner !== undefined; owner = open.pop()) {
    for (const symbol of uses.get(owner) ?? []) {
      if (found.has(symbol)) continue
      found.add(symbol)
      open.push(symbol)
    }
  }
  return found
}
