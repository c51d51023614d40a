// What the compilers of the hosts refuse in a tree that is otherwise right: too many locals or upvalues in a
// function, nesting that is too deep. Checked on the tree as it will be printed, so no output fails to load.

import type { Diagnostics } from '../diagnostics.ts'
import type { Chunk, Node } from '../syntax/ast.ts'
import { dialectWords } from '../syntax/dialect.ts'
import { rewrite } from '../syntax/walk.ts'
import { type Facts, gatherFacts } from './facts.ts'
import type { Target } from './target.ts'

/** The narrowest of the hosts that a target must load on. */
export type Limits = {
  readonly locals: number
  readonly upvalues: number
  /** Statements and expressions inside each other. */
  readonly depth: number
}

// Lua 5.1: LUAI_MAXVARS, LUAI_MAXUPVALUES, LUAI_MAXCCALLS. LuaJIT: LJ_MAX_LOCVAR, LJ_MAX_UPVAL, LJ_MAX_XLEVEL. Luau: 200
// locals, 200 upvalues, 1,000 levels. The depths are below the hosts' own since a loader may be deep already.
const narrow: Limits = { locals: 200, upvalues: 60, depth: 190 }

export const limitsOf: Readonly<Record<Target, Limits>> = {
  lua51: narrow,
  luajit: narrow,
  luau: { locals: 200, upvalues: 200, depth: 900 },
  any: narrow,
}

/**
 * Reports what the target would refuse. Passes that only hide must have kept within the limits already.
 *
 * @returns the facts that were gathered for it.
 */
export function checkLimits(chunk: Chunk, target: Target, diagnostics: Diagnostics): Facts {
  const limits = limitsOf[target]
  const words = wordsOf(target)
  const found = gatherFacts(chunk)
  for (const facts of found.functions) {
    if (facts.mostLocals > limits.locals) {
      diagnostics.report(facts.mostLocalsAt, 'tooManyLocals', words, limits.locals)
    }
    if (facts.upvalues.size > limits.upvalues) {
      diagnostics.report(facts.node.at, 'tooManyUpvalues', words, limits.upvalues)
    }
  }
  checkDepth(chunk, target, diagnostics)
  return found
}

const wordsOf = (target: Target) => (target === 'any' ? dialectWords.lua51 : dialectWords[target])

/**
 * Reports nesting that the target would refuse, for a source too: passes go down as deep as it does. Counts as the hosts' parsers do: every block and every expression inside another takes a level, except for
 * left operands and called or indexed expressions, which they read in a loop.
 */
export function checkDepth(chunk: Chunk, target: Target, diagnostics: Diagnostics): void {
  const refuse = (at: number) => diagnostics.report(at, 'tooDeepForTarget', wordsOf(target))
  const level = new Levels(limitsOf[target].depth, refuse)
  const visitor = {
    enter: (node: Node) => level.enter(node),
    leave: (_: Node, original: Node) => level.leave(original),
  }
  const leftOf = (first: (node: never) => Node) => ({
    enter: (node: Node) => level.enter(node, first(node as never)),
    leave: (_: Node, original: Node) => level.leave(original),
  })
  const left = leftOf((node: { readonly left: Node }) => node.left)
  const object = leftOf((node: { readonly object: Node }) => node.object)
  const callee = leftOf((node: { readonly callee: Node }) => node.callee)
  rewrite(chunk, {
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
    Call: callee,
  })
}

class Levels {
  #depth = 0
  readonly #flat = new Set<Node>()
  readonly #limit: number
  readonly #refuse: (at: number) => void

  constructor(limit: number, refuse: (at: number) => void) {
    this.#limit = limit
    this.#refuse = refuse
  }

  enter(node: Node, first?: Node): boolean | undefined {
    if (first) this.#flat.add(first)
    if (this.#flat.has(node)) return undefined
    if (this.#depth >= this.#limit) {
      this.#refuse(node.at)
      return false
    }
    this.#depth += 1
    return undefined
  }

  leave(node: Node): undefined {
    if (!this.#flat.has(node)) this.#depth -= 1
  }
}
