// The way from a word of the stream to its arm: a binary tree of comparisons, in which arms that run often are near the
// root. Which code is in the arms is not known here.

import type { Random } from '../random.ts'
import type { Expression, If, Offset, Statement, SymbolId } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'

/** One arm: what runs for every number of its interval. */
export type Arm = {
  readonly weight: number
  /** Numbers from `low` to `high`, both included; set by `spread`. */
  low: number
  high: number
  statements: readonly Statement[]
}

type Tree = Arm | { readonly weight: number; readonly left: Tree; readonly right: Tree }

/**
 * Numbers of arms are below this, so that LuaJIT needs no constants for borders; it takes 65,536 in a function. They are close
 * to each other, so that a border that was changed leads to another arm than the one that was meant.
 */
const MAX_OPCODE = 32_000
const MIN_OPCODE = 1000

const MAX_TREE_DEPTH = 24

/** Arranges the arms and gives each its interval of so many numbers. */
export function buildDispatchTree(arms: readonly Arm[], width: number, random: Random): Tree {
  const tree = grow(random.shuffle(arms), random)
  spread(tree, random.int(MIN_OPCODE, Math.max(MIN_OPCODE, MAX_OPCODE - arms.length * width)), width)
  return tree
}

/** Huffman's tree, flattened at the cold end so that it stays within the nesting of hosts. */
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
    // A host jumps behind the first way of an `if`, and falls out of the other.
    const [left, right] = random.chance(0.8) ? [light, heavy] : [heavy, light]
    made.push({ weight: weightOf(light) + weightOf(heavy), left, right })
  }
  return lightest()
}

/** @returns the first number behind those of the tree. */
function spread(tree: Tree, low: number, width: number): number {
  if ('left' in tree) return spread(tree.right, spread(tree.left, low, width), width)
  tree.low = low
  tree.high = low + width - 1
  return low + width
}

/** The local that is compared, and how its borders are written. */
export type Comparand = { readonly at: SymbolId; number(value: number): Expression }

/** The comparisons and arms as statements. */
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
