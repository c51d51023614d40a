// The way from a word of the stream to its arm: a binary tree of comparisons, in which arms that run often are near the
// root. Which code is in the arms is not known here.

import { nodesAt } from '../passes/build.ts'
import type { Random } from '../random.ts'
import type { Expression, If, Offset, Statement, SymbolId } from '../syntax/ast.ts'

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
 * Numbers of arms are below `UNITS * UNIT`. Borders stand at whole units, so that many regions in one function have few
 * different ones: LuaJIT takes 65,536 constants.
 */
const UNIT = 64
const UNITS = 2048

const DEEPEST = 24

/** Arranges the arms and gives each its interval of numbers. */
export function arrange(arms: readonly Arm[], random: Random): Tree {
  const tree = grow(random.shuffle(arms), random)
  spread(tree, 0, UNITS - 1, random)
  return tree
}

/** Huffman's tree, flattened at the cold end so that it stays within the nesting of hosts. */
function grow(arms: readonly Arm[], random: Random): Tree {
  const total = arms.reduce((sum, { weight }) => sum + weight, 0)
  const floor = total / 2 ** (DEEPEST / 2)
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

function spread(tree: Tree, low: number, high: number, random: Random): void {
  if (!('left' in tree)) {
    tree.low = low * UNIT
    tree.high = high * UNIT + UNIT - 1
    return
  }
  const [left, right] = [size(tree.left), size(tree.right)]
  const share = (left / (left + right)) * (0.8 + random.int(0, 40) / 100)
  const width = high - low + 1
  const border = low + Math.min(Math.max(left, Math.floor(width * share)), width - right)
  spread(tree.left, low, border - 1, random)
  spread(tree.right, border, high, random)
}

function size(tree: Tree): number {
  return 'left' in tree ? size(tree.left) + size(tree.right) : 1
}

/** The local that is compared, and how its borders are written. */
export type Look = { readonly at: SymbolId; number(value: number): Expression }

/** The comparisons and arms as statements. */
export function branches(tree: Tree, look: Look, at: Offset): readonly Statement[] {
  if (!('left' in tree)) return tree.statements
  const make = nodesAt(at)
  const clauses: If['clauses'][number][] = []
  let rest: Tree = tree
  while ('left' in rest) {
    const condition: Expression = make.binary(make.use(look.at), '<', look.number(lowest(rest.right)))
    clauses.push({ kind: 'IfClause', at, condition, body: make.block(branches(rest.left, look, at)) })
    rest = rest.right
  }
  return [{ kind: 'If', at, clauses, otherwise: make.block(rest.statements) }]
}

function lowest(tree: Tree): number {
  let at = tree
  while ('left' in at) at = at.left
  return at.low
}
