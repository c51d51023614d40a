/**
 * Determines where a pass can add a local to the chunk and use it as an upvalue without exceeding the
 * target's limits.
 */

import type { Chunk, FunctionExpression } from '../syntax/ast.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'
import { collectFacts } from './facts.ts'
import { limitsOf } from './limits.ts'
import type { Target } from './target.ts'

export type Capacity = {
  /** All functions in the tree. The first one is the chunk itself. */
  readonly functions: readonly (FunctionExpression | Chunk)[]
  /** Whether this function has room for `count` more locals at any position. */
  hasLocals(node: FunctionExpression | Chunk, count: number): boolean
  /**
   * Whether this function and all enclosing functions have room for `count` more upvalues. Always true for
   * the chunk.
   */
  hasUpvalues(node: FunctionExpression | Chunk, count: number): boolean
}

// Lua 5.1 and LuaJIT have 250 registers per function, for locals and for the temporaries of nested calls.
// Some registers must stay free for both.
const SPARE_LOCALS = 30
const REGISTERS = 250 - SPARE_LOCALS

/** @param along additional visitors for the same traversal. They must not replace nodes. */
export type CapacityOf = (chunk: Chunk, along?: Visitors) => Capacity

/**
 * Creates a function that measures a syntax tree. The last result is cached, because a pass that changes
 * nothing returns the same tree.
 */
export function createCapacityMeasure(target: Target): CapacityOf {
  let last: { readonly chunk: Chunk; readonly capacity: Capacity } | null = null
  return (chunk, along) => {
    if (last?.chunk !== chunk) last = { chunk, capacity: measureCapacity(chunk, target, along) }
    else if (along) rewrite(chunk, along)
    return last.capacity
  }
}

function measureCapacity(chunk: Chunk, target: Target, along?: Visitors): Capacity {
  const limits = limitsOf[target]
  const facts = collectFacts(chunk, along)
  return {
    functions: facts.functions.map(({ node }) => node),
    hasLocals(node, count) {
      const found = facts.of.get(node)
      if (!found) return false
      const { mostLocals, mostValues } = found
      return (
        mostLocals + count + SPARE_LOCALS <= limits.locals && mostLocals + mostValues + count <= REGISTERS
      )
    },
    hasUpvalues(node, count) {
      for (let each = facts.of.get(node) ?? null; each?.parent; each = each.parent) {
        if (each.upvalues.size + count > limits.upvalues) return false
      }
      return true
    },
  }
}
