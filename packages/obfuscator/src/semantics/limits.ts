/**
 * Checks a valid syntax tree for constructs that host compilers reject: too many locals or upvalues in a
 * function, and excessive nesting. The check runs on the final tree, so that every output loads.
 */

import type { Diagnostics } from '../diagnostics.ts'
import type { Chunk, Node, Offset } from '../syntax/ast.ts'
import { dialectWords } from '../syntax/dialect.ts'
import { combineVisitors, rewrite, type Visitors } from '../syntax/walk.ts'
import { collectFacts, type Facts } from './facts.ts'
import type { Target } from './target.ts'

/** The tightest limits among the hosts of a target. */
export type Limits = {
  readonly locals: number
  readonly upvalues: number
  /** Maximum depth of nested statements and expressions. */
  readonly depth: number
}

// Lua 5.1: LUAI_MAXVARS, LUAI_MAXUPVALUES, LUAI_MAXCCALLS. LuaJIT: LJ_MAX_LOCVAR, LJ_MAX_UPVAL,
// LJ_MAX_XLEVEL. Luau: 200 locals, 200 upvalues, 1,000 levels. The depths here are below the hosts' limits,
// because a loader may add nesting.
const narrow: Limits = { locals: 200, upvalues: 60, depth: 190 }

export const limitsOf: Readonly<Record<Target, Limits>> = {
  lua51: narrow,
  luajit: narrow,
  luau: { locals: 200, upvalues: 200, depth: 900 },
  // Lua 5.4: LUAI_MAXCCALLS, MAXUPVAL.
  lua54: { locals: 200, upvalues: 250, depth: 190 },
  any: narrow,
}

/**
 * Reports constructs that the target would reject. Passes that only hide code must stay within the limits.
 *
 * @param along additional visitors for the same traversal. They must not replace nodes.
 * @returns the properties of the tree that were collected during the traversal.
 */
export function checkLimits(
  chunk: Chunk,
  target: Target,
  diagnostics: Diagnostics,
  along: Visitors = {},
): Facts {
  const limits = limitsOf[target]
  const words = wordsOf(target)
  const levels = new Levels(limits.depth)
  const found = collectFacts(chunk, combineVisitors(along, levels.visitors()))
  for (const at of levels.refused) diagnostics.report(at, 'tooDeepForTarget', words)
  // If parts of the tree were skipped, the collected properties are incomplete.
  if (levels.refused.length > 0) return found
  for (const facts of found.functions) {
    if (facts.mostLocals > limits.locals) {
      diagnostics.report(facts.mostLocalsAt, 'tooManyLocals', words, limits.locals)
    }
    if (facts.upvalues.size > limits.upvalues) {
      diagnostics.report(facts.node.at, 'tooManyUpvalues', words, limits.upvalues)
    }
  }
  return found
}

const wordsOf = (target: Target) => (target === 'any' ? dialectWords.lua51 : dialectWords[target])

/**
 * Number of nodes per nesting level of the host's parser: a call and its table, or a parenthesized expression
 * and its contents.
 */
const NODES_PER_LEVEL = 2

/**
 * Reports nesting that the target would reject. The source is checked as well, because deep nesting makes the
 * passes recurse deeply.
 */
export function checkDepth(chunk: Chunk, target: Target, diagnostics: Diagnostics): void {
  const limit = limitsOf[target].depth
  if ((chunk.nesting + 1) * NODES_PER_LEVEL <= limit) return
  const levels = new Levels(limit)
  rewrite(chunk, levels.visitors())
  for (const at of levels.refused) diagnostics.report(at, 'tooDeepForTarget', wordsOf(target))
}

/**
 * Counts levels as host parsers do. Every nested block or expression is one level. Left operands and called
 * or indexed expressions don't count, because host parsers read them in a loop.
 */
class Levels {
  /** Positions at which the nesting exceeds the limit. */
  readonly refused: Offset[] = []
  readonly #limit: number
  #depth = 0
  readonly #outer: number[] = []
  /** The next node to visit if that node does not count as a level; otherwise null. */
  #flat: Node | null = null

  constructor(limit: number) {
    this.#limit = limit
  }

  visitors(): Visitors {
    const leave = (): undefined => this.#leave()
    const visitor = { enter: (node: Node) => this.#enter(node, null), leave }
    const left = {
      enter: (node: Node & { readonly left: Node }) => this.#enter(node, node.left),
      leave,
    }
    const object = {
      enter: (node: Node & { readonly object: Node }) => this.#enter(node, node.object),
      leave,
    }
    return {
      Block: visitor,
      FunctionExpression: visitor,
      Unary: visitor,
      IfExpression: visitor,
      Table: visitor,
      Paren: visitor,
      Binary: left,
      Logical: left,
      Index: object,
      MethodCall: object,
      Call: { enter: (node) => this.#enter(node, node.callee), leave },
    }
  }

  #enter(node: Node, first: Node | null): false | undefined {
    const isFlat = this.#flat === node
    if (!isFlat && this.#depth === this.#limit) {
      this.refused.push(node.at)
      return false
    }
    this.#outer.push(this.#depth)
    if (!isFlat) this.#depth += 1
    this.#flat = first
    return undefined
  }

  #leave(): undefined {
    this.#depth = this.#outer.pop() ?? 0
  }
}
