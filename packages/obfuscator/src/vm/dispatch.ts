/**
 * The dispatch tree of a region: a binary tree of comparisons from an opcode to its handler, with frequent
 * handlers near the root.
 */

import type { Random } from '../random.ts'
import type { Expression, If, Offset, Statement, SymbolId } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'

/** A leaf of the tree: the handler for every opcode in its interval. */
export type Arm = {
  readonly weight: number
  /** The opcode interval, inclusive at both ends; set by `spread`. */
  low: number
  high: number
  statements: readonly Statement[]
}

type Tree = Arm | { readonly weight: number; readonly left: Tree; readonly right: Tree }

/**
 * Opcodes are below this value so that LuaJIT, which allows 65,536 constants per function, needs no constants
 * for the comparisons. They are dense, so a modified comparison leads to the wrong handler.
 */
const MAX_OPCODE = 32_000
const MIN_OPCODE = 1000

const MAX_TREE_DEPTH = 24

/** Arranges the arms in a tree and assigns each an interval of `width` opcodes. */
export function buildDispatchTree(arms: readonly Arm[], width: number, random: Random): Tree {
  const tree = grow(random.shuffle(arms), random)
  spread(tree, random.int(MIN_OPCODE, Math.max(MIN_OPCODE, MAX_OPCODE - arms.length * width)), width)
  return tree
}

/** Builds a Huffman tree, flattened at the cold end to stay within the nesting limits of hosts. */
function grow(arms: readonly Arm[], random: Random): Tree {
  const total = arms.reduce((sum, { weight }) => sum + weight, 0)
  const floor = total / 2 ** (MAX_TREE_DEPTH / 2)
  const weightOf = (tree: Tree) => Math.max(tree.weight, floor)
  const leaves: Tree[] = arms.toSorted((a, b) => a.weight - b.weight)
  const made: Tree[] = []
  const lightest = (): Tree => {
    const [leaf] = leaves
    const [inner] = made
    if (leaf && (!inner || weightOf(leaf) <= weightOf(inner))) return leaves.shift() as Tree
    return made.shift() as Tree
  }
  while (leaves.length + made.length > 1) {
    const [light, heavy] = [lightest(), lightest()]
    // Hosts jump after the first branch of an `if` but fall through after the second one.
    const [left, right] = random.chance(0.8) ? [light, heavy] : [heavy, light]
    made.push({ weight: weightOf(light) + weightOf(heavy), left, right })
  }
  return lightest()
}

/** @returns the first opcode after the tree's opcodes. */
function spread(tree: Tree, low: number, width: number): number {
  if ('left' in tree) return spread(tree.right, spread(tree.left, low, width), width)
  tree.low = low
  tree.high = low + width - 1
  return low + width
}

/** The local to compare, and a function that encodes the bounds. */
export type Comparand = { readonly at: SymbolId; number(value: number): Expression }

/** Emits the comparisons and handlers as statements. */
export function emitDispatchTree(tree: Tree, look: Comparand, at: Offset): readonly Statement[] {
  if (!('left' in tree)) return tree.statements
  const make = nodesAt(at)
  const clauses: If['clauses'][number][] = []
  let rest: Tree = tree
  while ('left' in rest) {
    const condition: Expression = make.binary(make.use(look.at), '<', look.number(lowest(rest.right)))
    clauses.push({ kind: 'IfClause', at, condition, body: make.block(emitDispatchTree(rest.left, look, at)) })
    rest = rest.right
  }
  return [{ kind: 'If', at, clauses, otherwise: make.block(rest.statements) }]
}

function lowest(tree: Tree): number {
  let at = tree
  while ('left' in at) at = at.left
  return at.low
}
