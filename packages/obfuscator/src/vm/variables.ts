/**
 * Records the declaring function of each variable in a chunk, the functions that use it, and whether it
 * changes. This determines how the variable is stored once its function is flattened.
 */

import type {
  Binding,
  Chunk,
  Expression,
  FunctionExpression,
  Local,
  Node,
  SymbolId,
  Target,
} from '../syntax/ast.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'

export type Owner = FunctionExpression | Chunk

/** Properties of one variable. */
type Variable = {
  readonly owner: Owner
  /**
   * Whether the variable is declared in a block of its owner. Such a variable goes out of scope before its
   * owner returns, and several instances of it can exist.
   */
  readonly endsEarly: boolean
  /** Whether a function nested in the owner uses the variable. */
  isCaptured: boolean
  /** Whether the variable is assigned after its declaration. */
  isAssigned: boolean
  /**
   * Whether the variable's value may be subject to garbage collection. False only for constants and the
   * results of operations on them.
   */
  mayHold: boolean
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
  readonly #functions: { readonly node: Owner; blocks: number }[]

  constructor(chunk: Chunk) {
    this.#functions = [{ node: chunk, blocks: 0 }]
  }

  visitors(): Visitors {
    const nested = {
      enter: (_: Node): undefined => this.#count(1),
      leave: (_: Node): undefined => this.#count(-1),
    }
    return {
      Block: nested,
      NumericFor: nested,
      GenericFor: nested,
      FunctionExpression: {
        enter: (node) => void this.#functions.push({ node, blocks: 0 }),
        leave: () => void this.#functions.pop(),
      },
      Binding: (node) => this.#declare(node),
      Local: (node) => this.#initialize(node),
      LocalFunction: ({ binding }) => this.#hold(binding.symbol),
      LocalName: (node) => this.#use(node.symbol),
      Assign: ({ targets, values }) => {
        for (const [i, each] of targets.entries()) this.#assign(each, valueAt(values, i))
      },
      CompoundAssign: ({ target, value }) => this.#assign(target, value),
    }
  }

  get #top() {
    return this.#functions[this.#functions.length - 1] as { node: Owner; blocks: number }
  }

  #count(by: number): undefined {
    this.#top.blocks += by
  }

  #declare({ symbol }: Binding): undefined {
    const { node, blocks } = this.#top
    const [endsEarly, isCaptured, isAssigned, mayHold] = [blocks > 1, false, false, false]
    this.found.set(symbol, { owner: node, endsEarly, isCaptured, isAssigned, mayHold })
  }

  #initialize({ bindings, values }: Local): undefined {
    for (const [i, { symbol }] of bindings.entries()) {
      const value = valueAt(values, i)
      if (value && mayBeObject(value)) this.#hold(symbol)
    }
  }

  #hold(symbol: SymbolId): undefined {
    const variable = this.found.get(symbol)
    if (variable) variable.mayHold = true
  }

  #use(symbol: SymbolId): undefined {
    const variable = this.found.get(symbol)
    if (variable && variable.owner !== this.#top.node) variable.isCaptured = true
  }

  #assign(target: Target, value: Expression | undefined): undefined {
    const variable = target.kind === 'LocalName' ? this.found.get(target.symbol) : undefined
    if (!variable) return
    variable.isAssigned = true
    if (value && mayBeObject(value)) variable.mayHold = true
  }
}

/** The expression that supplies the value at an index of a list; undefined for nil. */
function valueAt(values: readonly Expression[], place: number): Expression | undefined {
  return values[Math.min(place, values.length - 1)]
}

const COMPARISONS: ReadonlySet<string> = new Set(['==', '~=', '<', '<=', '>', '>='])

/** Whether the value may be garbage-collected. Strings are excluded, because weak tables do not drop them. */
export function mayBeObject(value: Expression): boolean {
  switch (value.kind) {
    case 'NilLiteral':
    case 'BooleanLiteral':
    case 'NumberLiteral':
    case 'StringLiteral':
      return false
    case 'Paren':
      return mayBeObject(value.inner)
    case 'Unary':
      return value.operator === '-' && mayBeObject(value.operand)
    case 'Binary':
      return !COMPARISONS.has(value.operator) && (mayBeObject(value.left) || mayBeObject(value.right))
    default:
      return true
  }
}
