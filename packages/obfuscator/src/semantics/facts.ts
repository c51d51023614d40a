/**
 * Properties of a resolved syntax tree: the resources and upvalues that each function uses, and the globals
 * of the chunk. Passes, limit checks and the renamer use them.
 */

import type { Binary, Binding, Block, Chunk, FunctionExpression, Node, SymbolId } from '../syntax/ast.ts'
import { combineVisitors, rewrite, type Visitors } from '../syntax/walk.ts'

/** Properties of one function. The first function is the chunk itself. */
type FunctionFacts = {
  readonly node: FunctionExpression | Chunk
  readonly parent: FunctionFacts | null
  /**
   * Variables of enclosing functions that this function or a nested function uses. Hosts count these as
   * upvalues.
   */
  readonly upvalues: ReadonlySet<SymbolId>
  /**
   * The maximum number of live locals at one position. Includes the three hidden locals of a `for` loop in
   * Lua 5.1 and LuaJIT.
   */
  readonly mostLocals: number
  /** Position of the local at which `mostLocals` is reached. */
  readonly mostLocalsAt: number
  /**
   * The maximum number of registers that one call, `return`, `local` or chain of `..` needs in addition to
   * the locals.
   */
  readonly mostValues: number
}

export type Facts = {
  readonly functions: readonly FunctionFacts[]
  readonly of: ReadonlyMap<FunctionExpression | Chunk, FunctionFacts>
  /** Names of all globals that the chunk reads or writes. */
  readonly globals: ReadonlySet<string>
  readonly usesVararg: boolean
  /** Number of variables visible where each symbol is declared, indexed by symbol. */
  readonly depths: readonly number[]
}

/**
 * Collects the properties of a resolved tree in one traversal. Additional visitors must not replace nodes.
 */
export function collectFacts(chunk: Chunk, along: Visitors = {}): Facts {
  const walk = new FactCollector(chunk)
  rewrite(chunk, combineVisitors(walk.visitors(), along))
  const { functions, globals, usesVararg, depths } = walk
  const of = new Map(functions.map((each) => [each.node, each]))
  return { functions, of, globals, usesVararg, depths }
}

type Open = {
  readonly node: FunctionExpression | Chunk
  readonly parent: Open | null
  readonly upvalues: Set<SymbolId>
  /** Number of variables that are visible outside the function. */
  readonly depth: number
  live: number
  mostLocals: number
  mostLocalsAt: number
  mostValues: number
}

const HIDDEN_FOR_LOCALS = 3

class FactCollector {
  readonly functions: Open[] = []
  readonly globals = new Set<string>()
  usesVararg = false
  // This is an array instead of a map, because symbols are consecutive integers from 0, and an array is
  // faster.
  readonly depths: number[] = []
  readonly #owner: Open[] = []
  #depth = 0
  #top: Open
  readonly #marks: number[] = []
  readonly #chains = new Map<Node, number>()
  readonly #repeated = new Set<Block>()

  constructor(chunk: Chunk) {
    this.#top = this.#push(chunk, null)
  }

  visitors(): Visitors {
    const scope = { enter: () => this.#open(), leave: () => this.#close() }
    const loop = {
      enter: () => {
        this.#open()
        this.#add(HIDDEN_FOR_LOCALS, -1)
      },
      leave: () => this.#close(),
    }
    return {
      Block: {
        enter: (node) => (this.#repeated.has(node) ? undefined : scope.enter()),
        leave: (node) => (this.#repeated.has(node) ? undefined : scope.leave()),
      },
      Repeat: {
        enter: (node) => {
          this.#repeated.add(node.body)
          this.#open()
        },
        leave: () => this.#close(),
      },
      NumericFor: loop,
      GenericFor: loop,
      FunctionExpression: {
        enter: (node) => {
          this.#top = this.#push(node, this.#top)
        },
        leave: () => {
          this.#depth = this.#top.depth
          this.#top = this.#top.parent ?? this.#top
        },
      },
      Binding: (node) => this.#declare(node),
      LocalName: (node) => this.#use(node.symbol),
      GlobalName: (node) => void this.globals.add(node.name),
      Call: (node) => this.#hold(node.args.length + 1),
      MethodCall: (node) => this.#hold(node.args.length + 2),
      Return: (node) => this.#hold(node.values.length),
      Local: (node) => this.#hold(node.values.length),
      Assign: (node) => this.#hold(node.values.length + 2 * node.targets.length),
      Binary: (node) => this.#chain(node),
      Vararg: () => {
        if (this.#top.parent === null) this.usesVararg = true
      },
    }
  }

  #push(node: FunctionExpression | Chunk, parent: Open | null): Open {
    const open = {
      node,
      parent,
      upvalues: new Set<SymbolId>(),
      depth: this.#depth,
      live: 0,
      mostLocals: 0,
      mostLocalsAt: node.at,
      mostValues: 0,
    }
    this.functions.push(open)
    return open
  }

  #open(): undefined {
    this.#marks.push(this.#top.live, this.#depth)
  }

  #close(): undefined {
    this.#depth = this.#marks.pop() ?? 0
    this.#top.live = this.#marks.pop() ?? 0
  }

  #declare(node: Binding): undefined {
    this.#owner[node.symbol] = this.#top
    this.depths[node.symbol] = this.#depth
    this.#depth += 1
    this.#add(1, node.at)
  }

  #add(count: number, at: number): void {
    const top = this.#top
    top.live += count
    if (top.live <= top.mostLocals) return
    top.mostLocals = top.live
    if (at >= 0) top.mostLocalsAt = at
  }

  #hold(count: number): undefined {
    if (count > this.#top.mostValues) this.#top.mostValues = count
  }

  /** Lua compiles `a .. b .. c` to a single operation on all its operands. */
  #chain(node: Binary): undefined {
    if (node.operator !== '..') return
    const length = 1 + (this.#chains.get(node.right) ?? 1)
    this.#chains.set(node, length)
    this.#hold(length)
  }

  #use(symbol: SymbolId): undefined {
    const owner = this.#owner[symbol]
    for (let open: Open | null = this.#top; open && owner && open !== owner; open = open.parent) {
      open.upvalues.add(symbol)
    }
  }
}
