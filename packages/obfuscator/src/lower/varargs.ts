/**
 * Moves reads of a fixed number of values from `...` to the start of the function, where they happen only
 * once. Expression lists that use all of `...` stay unchanged, because LuaJIT either compiles those correctly
 * or does not compile them.
 *
 * LuaJIT versions with 64-bit references from before 2022, when issue 864 was fixed, read wrong values when a
 * trace that started inside a vararg function reaches `...`. They read the second value instead of the first,
 * and the function itself instead of the last. The dispatch loop causes such traces in code that had none
 * before, so `...` must not be read after a point where a trace can start.
 */

import { collectFacts } from '../semantics/facts.ts'
import { limitsOf } from '../semantics/limits.ts'
import type { Symbols } from '../semantics/symbols.ts'
import type { Target } from '../semantics/target.ts'
import type { Chunk, Expression, FunctionExpression, Local, SymbolId, Vararg } from '../syntax/ast.ts'
import { bind, use } from '../syntax/nodes.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'

type Owner = Chunk | FunctionExpression

/** Lua 5.1 and LuaJIT have 250 registers per function. Some of them must stay free for nested expressions. */
const REGISTERS = 230

/** A generic `for` reads an iterator, a state and an initial key. */
const VALUES_OF_FOR = 3

/**
 * Declares locals for the values of `...` at the start of every function that reads a fixed number of values.
 * A function without free locals keeps its reads.
 *
 * @param reading must have traversed the syntax tree.
 * @returns null if there is nothing to change.
 */
export function hoistVarargs(
  chunk: Chunk,
  reading: VarargReads,
  symbols: Symbols,
  target: Target,
): Chunk | null {
  const wanted = reading.wanted()
  if (target === 'luau' || target === 'lua54' || wanted.size === 0) return null
  const { of } = collectFacts(chunk)
  const settled = new Map<Owner, readonly SymbolId[]>()
  for (const [owner, { width }] of wanted) {
    const { mostLocals = 0, mostValues = 0 } = of.get(owner) ?? {}
    const hasRoom =
      mostLocals + width <= limitsOf[target].locals && mostLocals + mostValues + width <= REGISTERS
    if (hasRoom)
      settled.set(
        owner,
        Array.from({ length: width }, () => symbols.fresh()),
      )
  }
  return rewrite(chunk, replacing(wanted, settled))
}

/**
 * The reads in one function. `counts` contains the number of values per read, and `width` is the maximum of
 * these numbers.
 */
type Reads = { readonly counts: Map<Vararg, number>; width: number }

/**
 * Collects reads of a fixed number of values from `...`. Its visitors replace nothing, and can be combined
 * with those of another traversal.
 */
export class VarargReads {
  readonly #found: { readonly owner: Owner; readonly node: Vararg }[] = []
  readonly #open = new Set<Expression>()
  readonly #counts = new Map<Expression, number>()
  readonly visitors: Visitors

  constructor(chunk: Chunk) {
    const owners: Owner[] = [chunk]
    this.visitors = {
      FunctionExpression: { enter: (node) => void owners.push(node), leave: () => void owners.pop() },
      Vararg: (node) => void this.#found.push({ owner: owners[owners.length - 1] as Owner, node }),
      Call: ({ args }) => this.#takesAll(args.at(-1)),
      MethodCall: ({ args }) => this.#takesAll(args.at(-1)),
      Return: ({ values }) => this.#takesAll(values.at(-1)),
      Table: ({ items }) => {
        const last = items.at(-1)
        this.#takesAll(last?.kind === 'PositionalItem' ? last.value : undefined)
      },
      Local: ({ bindings, values }) => this.#takes(bindings.length, values),
      Assign: ({ targets, values }) => this.#takes(targets.length, values),
      GenericFor: ({ values }) => this.#takes(VALUES_OF_FOR, values),
    }
  }

  /**
   * Returns the functions that read a fixed number of values from `...`. Omits functions whose only read is
   * in their first statement.
   */
  wanted(): ReadonlyMap<Owner, Reads> {
    const all = new Map<Owner, Reads>()
    for (const { owner, node } of this.#found) {
      if (this.#open.has(node)) continue
      const count = this.#counts.get(node) ?? 1
      const reads = all.get(owner) ?? { counts: new Map(), width: 0 }
      all.set(owner, reads)
      reads.counts.set(node, count)
      reads.width = Math.max(reads.width, count)
    }
    for (const [owner, { counts }] of all) {
      if (counts.size === 1 && beginsWithRead(owner)) all.delete(owner)
    }
    return all
  }

  #takesAll(last: Expression | undefined): undefined {
    if (last?.kind === 'Vararg') this.#open.add(last)
  }

  #takes(places: number, values: readonly Expression[]): undefined {
    const last = values.at(-1)
    if (last?.kind === 'Vararg') this.#counts.set(last, Math.max(1, places - values.length + 1))
  }
}

function beginsWithRead({ body }: Owner): boolean {
  const first = body.statements[0]
  return first?.kind === 'Local' && first.values.length === 1 && first.values[0]?.kind === 'Vararg'
}

function replacing(
  wanted: ReadonlyMap<Owner, Reads>,
  settled: ReadonlyMap<Owner, readonly SymbolId[]>,
): Visitors {
  const several = new Map<Expression, readonly SymbolId[]>()
  const single = new Map<Expression, SymbolId>()
  for (const [owner, names] of settled) {
    for (const [node, count] of wanted.get(owner)?.counts ?? []) {
      if (count > 1) several.set(node, names.slice(0, count))
      else single.set(node, names[0] as SymbolId)
    }
  }
  const spread = <N extends { readonly values: readonly Expression[] }>(node: N): N | undefined => {
    const last = node.values.at(-1)
    const names = last && several.get(last)
    return (
      names && { ...node, values: [...node.values.slice(0, -1), ...names.map((each) => use(each, last.at))] }
    )
  }
  return {
    Vararg: (node) => {
      const symbol = single.get(node)
      return symbol === undefined ? undefined : use(symbol, node.at)
    },
    Paren: ({ inner }, original) =>
      original.inner.kind === 'Vararg' && inner !== original.inner ? inner : undefined,
    Local: spread,
    Assign: spread,
    GenericFor: spread,
    FunctionExpression: (node, original) => begun(node, settled.get(original)),
    Chunk: (node, original) => begun(node, settled.get(original)),
  }
}

function begun<N extends Owner>(node: N, names: readonly SymbolId[] | undefined): N | undefined {
  if (!names) return undefined
  const { at, body } = node
  const bindings = names.map((each) => bind(each, at))
  const first: Local = { kind: 'Local', at, bindings, values: [{ kind: 'Vararg', at }] }
  return { ...node, body: { ...body, statements: [first, ...body.statements] } }
}
