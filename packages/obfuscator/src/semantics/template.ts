/**
 * Converts Lua templates to statements, so that the runtime code that a pass adds can be written as Lua
 * instead of as node factories. Each template is defined in the file that uses it.
 */

import { Diagnostics } from '../diagnostics.ts'
import type { Expression, Node, Offset, Statement, SymbolId } from '../syntax/ast.ts'
import type { Dialect } from '../syntax/dialect.ts'
import { parse } from '../syntax/parser.ts'
import { rewrite } from '../syntax/walk.ts'
import { resolve } from './resolve.ts'
import type { Symbols } from './symbols.ts'

/** Maps names in the template to their replacements: a symbol of the chunk, or an expression. */
export type Holes = Readonly<Record<string, SymbolId | Expression>>

/** Gives every local in the template a new symbol. Names that are neither locals nor holes are globals. */
export function instantiate(
  text: string,
  holes: Holes,
  symbols: Symbols,
  at: Offset,
  dialect: Dialect = 'any',
): readonly Statement[] {
  const diagnostics = new Diagnostics(text)
  const parsed = parse(text, diagnostics, dialect)
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
 * Freezes the strings in these statements, so that no pass moves them to a table. These strings are names of
 * library functions.
 */
export function freezeStrings(statements: readonly Statement[], frozen: Set<Node>): readonly Statement[] {
  const freeze = (node: Node): undefined => void frozen.add(node)
  for (const each of statements) rewrite(each, { StringLiteral: freeze })
  return statements
}
