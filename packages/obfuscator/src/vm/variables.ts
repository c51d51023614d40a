/**
 * Where each variable of a chunk is declared, which functions use it, and whether it changes. This decides
 * how it is stored once its function is flattened.
 */

import type { Binding, Chunk, FunctionExpression, Node, SymbolId, Target } from '../syntax/ast.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'

export type Owner = FunctionExpression | Chunk

/** Facts about one variable. */
export type Variable = {
  readonly owner: Owner
  /** Declared inside a loop of its owner, so several may exist at a time. */
  readonly isRepeated: boolean
  /** Used by a function inside its owner. */
  isCaptured: boolean
  /** Assigned other than by its declaration. */
  isAssigned: boolean
}

export type Variables = ReadonlyMap<SymbolId, Variable>

/** Collects every variable of a resolved chunk. */
export function collectVariables(chunk: Chunk): Variables {
  const walk = new VariableCollector(chunk)
  rewrite(chunk, walk.visitors())
  return walk.found
}

class VariableCollector {
  readonly found = new Map<SymbolId, Variable>()
  readonly #functions: { readonly node: Owner; loops: number }[]

  constructor(chunk: Chunk) {
    this.#functions = [{ node: chunk, loops: 0 }]
  }

  visitors(): Visitors {
    const loop = {
      enter: (_: Node): undefined => this.#count(1),
      leave: (_: Node): undefined => this.#count(-1),
    }
    return {
      While: loop,
      Repeat: loop,
      NumericFor: loop,
      GenericFor: loop,
      FunctionExpression: {
        enter: (node) => void this.#functions.push({ node, loops: 0 }),
        leave: () => void this.#functions.pop(),
      },
      Binding: (node) => this.#declare(node),
      LocalName: (node) => this.#use(node.symbol),
      Assign: (node) => {
        for (const each of node.targets) this.#assign(each)
      },
      CompoundAssign: (node) => this.#assign(node.target),
    }
  }

  get #top() {
    return this.#functions[this.#functions.length - 1] as { node: Owner; loops: number }
  }

  #count(by: number): undefined {
    this.#top.loops += by
  }

  #declare({ symbol }: Binding): undefined {
    const { node, loops } = this.#top
    this.found.set(symbol, { owner: node, isRepeated: loops > 0, isCaptured: false, isAssigned: false })
  }

  #use(symbol: SymbolId): undefined {
    const variable = this.found.get(symbol)
    if (variable && variable.owner !== this.#top.node) variable.isCaptured = true
  }

  #assign(target: Target): undefined {
    const variable = target.kind === 'LocalName' ? this.found.get(target.symbol) : undefined
    if (variable) variable.isAssigned = true
  }
}
