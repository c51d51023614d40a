/**
 * Lowers Luau's `export` of values: an exported variable becomes a field of a table. The file freezes that
 * table and returns it at its end.
 */

import type { Symbols } from '../semantics/symbols.ts'
import type { Binding, Block, Chunk, Index, Offset, Statement, SymbolId } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'
import type { Support } from './runtime-support.ts'

/** The exported variables of all files in a chunk. */
export class Exports {
  readonly #symbols: Symbols
  readonly #fields = new Map<SymbolId, { readonly table: SymbolId; readonly name: string }>()

  constructor(chunk: Chunk, symbols: Symbols) {
    this.#symbols = symbols
    rewrite(chunk, { Block: (node) => this.#collect(node) })
  }

  #collect({ statements }: Block): undefined {
    const exported = statements.flatMap(bindingsOf).filter((each) => each.isExported)
    if (exported.length === 0) return
    const table = this.#symbols.fresh()
    for (const { symbol, name } of exported) this.#fields.set(symbol, { table, name })
  }

  /** Lowers exported variables. Exported classes are lowered by `lowerClasses`. */
  lower(chunk: Chunk, support: Support): Chunk {
    if (this.#fields.size === 0) return chunk
    return rewrite(chunk, {
      LocalName: (node) => this.#field(node.symbol, node.at),
      Block: (node) => this.#returning(node, support),
    })
  }

  /** Returns the table field that replaces an exported variable; undefined for other variables. */
  targetOf({ symbol, at }: Binding): Index | undefined {
    return this.#field(symbol, at)
  }

  #field(symbol: SymbolId, at: Offset): Index | undefined {
    const field = this.#fields.get(symbol)
    const make = nodesAt(at)
    return field && make.index(make.use(field.table), make.string(field.name))
  }

  /** In an exporting file, declares the table at the start and returns it at the end. */
  #returning(node: Block, support: Support): Block | undefined {
    const tables = new Set<SymbolId>()
    const statements = node.statements.flatMap((each) => this.#assigned(each, tables))
    const [table] = tables
    if (table === undefined) return undefined
    const make = nodesAt(node.at)
    const end = make.return(make.call(support.use('freeze', node.at), make.use(table)))
    return { ...node, statements: [make.local([table], [make.table([])]), ...statements, end] }
  }

  #assigned(node: Statement, tables: Set<SymbolId>): readonly Statement[] {
    const bindings = bindingsOf(node)
    const targets = bindings.flatMap((each) => this.targetOf(each) ?? [])
    if (targets.length === 0) return [node]
    for (const { symbol } of bindings) tables.add(this.#fields.get(symbol)?.table as SymbolId)
    if (node.kind === 'Class') return [node]
    const values = node.kind === 'Local' ? node.values : node.kind === 'LocalFunction' ? [node.func] : []
    return values.length === 0 ? [] : [{ kind: 'Assign', at: node.at, targets, values }]
  }
}

function bindingsOf(node: Statement): readonly Binding[] {
  if (node.kind === 'Local') return node.bindings
  return node.kind === 'LocalFunction' || node.kind === 'Class' ? [node.binding] : []
}
