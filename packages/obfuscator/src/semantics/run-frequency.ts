/**
 * Estimates statically how often a position in the tree runs. Passes check the estimate before they replace a
 * name or literal with something slower.
 */

import type { Chunk, FunctionExpression, Node } from '../syntax/ast.ts'
import type { Visitors } from '../syntax/walk.ts'

/**
 * `cold`: at most once per run of the chunk. `warm`: at most once per call of its function. `hot`: inside a
 * loop.
 */
export type Frequency = 'cold' | 'warm' | 'hot'

/**
 * `outside` is the number of loops around the function, and `loops` is the number of loops around the current
 * position.
 */
type FunctionRuns = { readonly node: FunctionExpression | Chunk; readonly outside: number; loops: number }

/** Tracks the current position of a traversal. Its visitors must be combined with those of the traversal. */
export class RunFrequency {
  readonly #functions: FunctionRuns[]

  constructor(chunk: Chunk) {
    this.#functions = [{ node: chunk, outside: 0, loops: 0 }]
  }

  get frequency(): Frequency {
    if (this.#top.loops > 0) return 'hot'
    return this.#functions.length > 1 ? 'warm' : 'cold'
  }

  /**
   * Whether the function is created inside a loop. In other functions, code before a `return` runs at most
   * once per call, even inside a loop.
   */
  get isHotFunction(): boolean {
    return this.#top.outside > 0
  }

  /** The function at the current position of the traversal. */
  get function(): FunctionExpression | Chunk {
    return this.#top.node
  }

  /** A function that is created inside a loop is assumed to be called inside a loop. */
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
    return this.#functions[this.#functions.length - 1] as FunctionRuns
  }

  #count(by: number): void {
    this.#top.loops += by
  }
}

function loopVisitors(enter: () => void, leave: () => void): Visitors {
  const loop = { enter: (_: Node): undefined => void enter(), leave: (_: Node): undefined => void leave() }
  return { While: loop, Repeat: loop, NumericFor: loop, GenericFor: loop }
}
