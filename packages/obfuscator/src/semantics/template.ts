/**
 * Turns Lua text of our own into statements, so that what a pass adds at run time reads as Lua and not as
 * node factories. The texts stand in the files that use them.
 */

import { Diagnostics } from '../diagnostics.ts'
import type { Expression, Node, Offset, Statement, SymbolId } from '../syntax/ast.ts'
import { parse } from '../syntax/parser.ts'
import { rewrite } from '../syntax/walk.ts'
import { resolve } from './resolve.ts'
import type { Symbols } from './symbols.ts'

/** What a name of the text stands for: a symbol of the chunk, or an expression that replaces it. */
export type Holes = Readonly<Record<string, SymbolId | Expression>>

/** Every local of the text becomes a fresh symbol. Names that are neither local nor a hole are globals. */
export function instantiate(text: string, holes: Holes, symbols: Symbols, at: Offset): readonly Statement[] {
  const diagnostics = new Diagnostics(text)
  const parsed = parse(text, diagnostics)
  const fresh = new Map<SymbolId, SymbolId>()
  const own = (symbol: SymbolId): SymbolId => {
    const known = fresh.get(symbol) ?? symbols.fresh()
    fresh.set(symbol, known)
    return known
  }
  const resolved = resolve(parsed, [], diagnostics)
  const placed = rewrite(resolved, {
    Binding: (node) => ({ ...node, at, symbol: own(node.symbol) }),
    LocalName: (node) => ({ ...node, at, symbol: own(node.symbol) }),
    GlobalName(node) {
      const hole = Object.hasOwn(holes, node.name) ? holes[node.name] : undefined
      if (hole === undefined) return undefined
      return typeof hole === 'number' ? { kind: 'LocalName', at, symbol: hole } : hole
    },
  })
  return placed.body.statements
}

/**
 * Freezes the strings of such statements, which name library functions, so that no pass hides them behind a
 * table of its own.
 */
export function freezeStrings(statements: readonly Statement[], frozen: Set<Node>): readonly Statement[] {
  const freeze = (node: Node): undefined => void frozen.add(node)
  for (const each of statements) rewrite(each, { StringLiteral: freeze })
  return statements
}
