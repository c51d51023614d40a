// How often a place in the tree may run, as far as one can see without running it. Passes ask this before they
// put anything slower in the place of a name or a literal.

import type { Chunk, FunctionExpression, Node } from '../syntax/ast.ts'
import type { Visitors } from '../syntax/walk.ts'

/** `cold`: at most once a run of the chunk. `warm`: once a call of its function. `hot`: inside a loop. */
export type Degree = 'cold' | 'warm' | 'hot'

/** A function with the loops around it, and the loops around the walk. */
type FunctionHeat = { readonly node: FunctionExpression | Chunk; readonly outside: number; loops: number }

/** Follows a walk; its visitors must be spread into the table of the walk. */
export class Heat {
  readonly #functions: FunctionHeat[]

  constructor(chunk: Chunk) {
    this.#functions = [{ node: chunk, outside: 0, loops: 0 }]
  }

  get degree(): Degree {
    if (this.#top.loops > 0) return 'hot'
    return this.#functions.length > 1 ? 'warm' : 'cold'
  }

  /** Made inside a loop; in others, what returns runs once a call even inside of a loop. */
  get isHotFunction(): boolean {
    return this.#top.outside > 0
  }

  /** The function in which the walk stands. */
  get function(): FunctionExpression | Chunk {
    return this.#top.node
  }

  /** A function that is made inside a loop is called inside one, as far as anyone can tell. */
  readonly visitors: Visitors = {
    FunctionExpression: {
      enter: (node) => {
        const { loops } = this.#top
        this.#functions.push({ node, outside: loops, loops })
      },
      leave: () => void this.#functions.pop(),
    },
    ...loopVisitors(
      () => this.#count(1),
      () => this.#count(-1),
    ),
  }

  get #top() {
    return this.#functions[this.#functions.length - 1] as FunctionHeat
  }

  #count(by: number): void {
    this.#top.loops += by
  }
}

function loopVisitors(enter: () => void, leave: () => void): Visitors {
  const loop = { enter: (_: Node): undefined => void enter(), leave: (_: Node): undefined => void leave() }
  return { While: loop, Repeat: loop, NumericFor: loop, GenericFor: loop }
}
