/** Finds the functions in a script that authors can refer to by name, and the calls to each function. */

import type { Diagnostics } from '../diagnostics.ts'
import { macroOf } from '../macros/macro-names.ts'
import { RunFrequency } from '../semantics/run-frequency.ts'
import type {
  Binding,
  Bytes,
  Chunk,
  Expression,
  FunctionExpression,
  Node,
  Offset,
  SymbolId,
  Target,
} from '../syntax/ast.ts'
import { combineVisitors, rewrite, type Visitors } from '../syntax/walk.ts'

/**
 * Identifies a variable, or all fields with the same name. Fields are identified by name, because files that
 * require the same module may use different local names for it.
 */
export type PathId = string

export type NamedFunction = {
  /** The variable or field that the function is assigned to, such as `price` or `Shop.price`. */
  readonly name: string
  readonly id: PathId
  readonly func: FunctionExpression
  /** Whether the author wrapped the function in `WARD_SERVER`. */
  readonly isMarked: boolean
  /** Number of literals, variables, fields and calls in the function. */
  readonly size: number
}

/**
 * The names that authors can use to refer to functions: the function's name, or `path:name` if several files
 * use the name. Functions that have both path and name in common can't be referred to.
 */
export class FunctionNames {
  readonly #found = new Map<string, NamedFunction[]>()
  readonly #diagnostics: Diagnostics

  constructor(functions: readonly NamedFunction[], diagnostics: Diagnostics) {
    this.#diagnostics = diagnostics
    for (const one of functions) for (const name of this.#namesOf(one)) this.#add(name, one)
  }

  /** Returns the functions that a name refers to. */
  find(name: string): readonly NamedFunction[] {
    return this.#found.get(name) ?? []
  }

  of(one: NamedFunction): string | null {
    return this.#namesOf(one).find((name) => this.find(name).length === 1) ?? null
  }

  #namesOf({ name, func }: NamedFunction): string[] {
    const file = this.#diagnostics.fileOf(func.at)
    return file === null ? [name] : [name, `${file}:${name}`]
  }

  #add(name: string, one: NamedFunction): void {
    const found = this.#found.get(name)
    if (found) found.push(one)
    else this.#found.set(name, [one])
  }
}

/** The calls to a function by its name. */
export type CallSites = {
  count: number
  /** Position of the first call inside a loop; null if there is none. */
  loop: Offset | null
  /** Position of the first use that is not a call; null if there is none. */
  value: Offset | null
}

/** Excludes methods, because their `self` is a table of the script. */
export function findNamedFunctions(chunk: Chunk): NamedFunction[] {
  const found: Omit<NamedFunction, 'size'>[] = []
  const names = new Map<SymbolId, Bytes>()
  const sizes = new FunctionSizes()
  const note = (target: Target | Binding, value: Expression | undefined): void => {
    const [name, id] = [nameOf(target, names), idOf(target)]
    const isMarked = value?.kind === 'Call' && macroOf(value.callee) === 'server'
    const func = isMarked ? value.args[0] : value
    if (name === null || id === null || func?.kind !== 'FunctionExpression') return
    if (func.parameters[0]?.name !== 'self') found.push({ name, id, func, isMarked })
  }
  rewrite(chunk, {
    Binding: ({ symbol, name }) => void names.set(symbol, name),
    Local: { enter: ({ bindings, values }) => bindings.forEach((each, i) => void note(each, values[i])) },
    LocalFunction: { enter: ({ binding, func }) => note(binding, func) },
    Assign: { enter: ({ targets, values }) => targets.forEach((each, i) => void note(each, values[i])) },
    ...sizes.visitors,
  })
  return found.map((each) => ({ ...each, size: sizes.of(each.func) }))
}

/** Counts the strings and numbers in these nodes. Field names and the numbers 0 and 1 don't count. */
export function countConstants(nodes: readonly Node[]): number {
  let constants = 0
  const count = (by: number): undefined => {
    constants += by
  }
  const visitors: Visitors = {
    StringLiteral: () => count(1),
    NumberLiteral: ({ value }) => count(value === 0 || value === 1 ? 0 : 1),
    Index: { enter: ({ key }) => count(key.kind === 'StringLiteral' ? -1 : 0) },
    KeyedItem: { enter: ({ key }) => count(key.kind === 'StringLiteral' ? -1 : 0) },
  }
  for (const node of nodes) rewrite(node, visitors)
  return constants
}

/** Measures all functions in one traversal, which takes linear time even if functions are deeply nested. */
class FunctionSizes {
  readonly #sizes = new Map<FunctionExpression, number>()
  readonly #before: number[] = []
  #size = 0

  readonly visitors: Visitors = {
    StringLiteral: () => this.#count(),
    NumberLiteral: () => this.#count(),
    LocalName: () => this.#count(),
    Index: { enter: () => this.#count() },
    Call: { enter: () => this.#count() },
    FunctionExpression: {
      enter: () => void this.#before.push(this.#size),
      leave: (_, original) => void this.#sizes.set(original, this.#size - (this.#before.pop() ?? 0)),
    },
  }

  of(func: FunctionExpression): number {
    return this.#sizes.get(func) ?? 0
  }

  #count(): undefined {
    this.#size += 1
  }
}

export function findCallSites(chunk: Chunk): ReadonlyMap<PathId, CallSites> {
  const sites = new Map<PathId, CallSites>()
  const runs = new RunFrequency(chunk)
  const settled = new Set<Expression>()
  const siteOf = (node: Expression): CallSites | undefined => {
    const id = settled.has(node) ? null : idOf(node)
    settled.add(node)
    if (id === null) return undefined
    const site = sites.get(id) ?? { count: 0, loop: null, value: null }
    sites.set(id, site)
    return site
  }
  const use = (node: Expression): void => {
    const site = siteOf(node)
    if (site) site.value ??= node.at
  }
  const visitors = combineVisitors(runs.visitors, {
    Assign: { enter: ({ targets }) => targets.forEach((each) => void settled.add(each)) },
    Call: {
      enter: ({ callee, at }) => {
        const site = siteOf(callee)
        if (!site) return
        site.count += 1
        if (runs.frequency === 'hot') site.loop ??= at
      },
    },
    Index: { enter: use },
    LocalName: { enter: use },
    GlobalName: { enter: use },
  })
  rewrite(chunk, visitors)
  return sites
}

function idOf(node: Expression | Binding): PathId | null {
  if (node.kind === 'GlobalName') return node.name
  if (node.kind === 'LocalName' || node.kind === 'Binding') return `#${node.symbol}`
  return node.kind === 'Index' && node.key.kind === 'StringLiteral' ? `.${node.key.value}` : null
}

function nameOf(node: Expression | Binding, names: ReadonlyMap<SymbolId, Bytes>): string | null {
  if (node.kind === 'GlobalName' || node.kind === 'Binding') return node.name
  if (node.kind === 'LocalName') return names.get(node.symbol) ?? null
  if (node.kind !== 'Index' || node.key.kind !== 'StringLiteral') return null
  const object = nameOf(node.object, names)
  return object === null ? null : `${object}.${node.key.value}`
}
