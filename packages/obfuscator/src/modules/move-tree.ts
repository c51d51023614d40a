/** Moves the syntax tree of one file to its position in a source tree. */

import type { Chunk, Offset, SymbolId } from '../syntax/ast.ts'

/**
 * @param parsed a syntax tree from the parser. `from` is added to its offsets, and `first` to its symbols.
 */
export function moved(parsed: Chunk, from: Offset, first: SymbolId): Chunk {
  const move = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null || part instanceof Map) return part
    if (Array.isArray(part)) return part.map(move)
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, moveMember(key, value)]))
  }
  const moveMember = (key: string, value: unknown) => {
    if (key === 'at') return (value as Offset) + from
    if (key === 'symbol') return (value as SymbolId) + first
    return move(value)
  }
  return move(parsed) as Chunk
}
