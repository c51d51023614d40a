/**
 * Cuts the basic blocks of a region into superoperators: sequences of random length that may follow both
 * ways of a branch. Each becomes one handler of the region's dispatch. Where one ends and another continues,
 * there is a jump through the stream.
 */

import type { Random } from '../random.ts'
import type { Expression, Node, Statement } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import type { BasicBlock, Region, RegionExit, Terminator } from './ir.ts'
import type { Policy } from './policy.ts'

/** Code of one handler, or of one way of a branch in it. */
export type Piece = { readonly statements: Statement[]; end: PieceEnd }

export type PieceEnd =
  | { readonly kind: 'goto'; readonly to: Superoperator }
  | {
      readonly kind: 'branch'
      readonly condition: Expression
      readonly then: Piece
      readonly otherwise: Piece
    }
  | { readonly kind: 'return'; readonly statement: Statement }
  | { readonly kind: 'leave'; readonly how: RegionExit }

export type Superoperator = {
  piece: Piece
  /** Loops around it in its region. */
  readonly depth: number
  /** Jumps that lead here. */
  uses: number
}

/** Every reachable superoperator, the entry first. */
export function cutSuperoperators(region: Region, policy: Policy, random: Random): Superoperator[] {
  const cutting = new SuperoperatorCutter(region, policy, random)
  return varied(cutting.run(), policy.varied, random)
}

/** The most variants of a merge point. */
const MAX_VARIANTS = 3

/**
 * At a merge point, each predecessor may continue in a copy of its own, with another opcode, other constants
 * and other jumps.
 */
function varied(found: readonly Superoperator[], share: number, random: Random): Superoperator[] {
  const variants = new Map<Superoperator, Superoperator[]>()
  for (const each of found) {
    if (each.uses < 2 || !random.chance(share) || hasDeclarations(each.piece)) continue
    const count = random.int(1, Math.min(each.uses, MAX_VARIANTS) - 1)
    variants.set(each, [each, ...Array.from({ length: count }, () => ({ ...each }))])
  }
  for (const each of found) redirect(each.piece, (to) => random.pick(variants.get(to) ?? [to]))
  return [...found, ...[...variants.values()].flatMap((each) => each.slice(1))]
}

function redirect(piece: Piece, choose: (to: Superoperator) => Superoperator): void {
  const { end } = piece
  if (end.kind === 'goto') piece.end = { kind: 'goto', to: choose(end.to) }
  if (end.kind !== 'branch') return
  redirect(end.then, choose)
  redirect(end.otherwise, choose)
}

/** A variable may be declared only once in a tree. */
function hasDeclarations({ statements, end }: Piece): boolean {
  let isFound = false
  const note = {
    enter: (): boolean => {
      isFound = true
      return false
    },
  }
  const look = (node: Node) => rewrite(node, { Binding: note, FunctionExpression: note })
  for (const each of statements) look(each)
  if (end.kind === 'return') look(end.statement)
  if (end.kind !== 'branch') return isFound
  look(end.condition)
  return isFound || hasDeclarations(end.then) || hasDeclarations(end.otherwise)
}

/** A position in a block. */
type Point = { readonly block: BasicBlock; readonly index: number }

class SuperoperatorCutter {
  readonly #policy: Policy
  readonly #random: Random
  readonly #predecessors = new Map<BasicBlock, number>()
  readonly #known = new Map<BasicBlock, Map<number, Superoperator>>()
  readonly #open: (Point & { readonly made: Superoperator })[] = []
  readonly #entry: BasicBlock

  constructor(region: Region, policy: Policy, random: Random) {
    this.#policy = policy
    this.#random = random
    this.#entry = threaded(region.entry)
    this.#count(this.#entry)
  }

  run(): Superoperator[] {
    const found = [this.#at(this.#entry, 0)]
    for (let i = 0; i < this.#open.length; i++) {
      const { block, index, made } = this.#open[i] as Point & { made: Superoperator }
      if (i > 0) found.push(made)
      made.piece = this.#piece({ block, index }, this.#length(made.depth))
    }
    return found
  }

  /** Code in loops gets the longer sequences. */
  #length(depth: number): number {
    const [least, most] = this.#policy.runLength
    const length = this.#random.int(least, most)
    return depth === 0 ? length : Math.max(length, this.#random.int(least, most))
  }

  #count(entry: BasicBlock): void {
    const open = [entry]
    this.#predecessors.set(entry, 2)
    for (let block = open.pop(); block; block = open.pop()) {
      for (const next of successors(block.end)) {
        const before = this.#predecessors.get(next) ?? 0
        this.#predecessors.set(next, before + 1)
        if (before === 0) open.push(next)
      }
    }
  }

  #at(block: BasicBlock, index: number): Superoperator {
    const inBlock = this.#known.get(block) ?? new Map<number, Superoperator>()
    this.#known.set(block, inBlock)
    const known = inBlock.get(index)
    if (known) return known
    const made: Superoperator = {
      piece: { statements: [], end: { kind: 'leave', how: 'end' } },
      depth: block.depth,
      uses: 0,
    }
    inBlock.set(index, made)
    this.#open.push({ block, index, made })
    return made
  }

  #goto({ block, index }: Point): PieceEnd {
    const to = this.#at(block, index)
    to.uses += 1
    return { kind: 'goto', to }
  }

  #piece(start: Point, length: number): Piece {
    const statements: Statement[] = []
    let { block, index } = start
    let left = length
    for (;;) {
      for (; index < block.instructions.length; index++) {
        if (left <= 0) return { statements, end: this.#goto({ block, index }) }
        const instruction = block.instructions[index]
        statements.push(...(instruction?.statements ?? []))
        left -= instruction?.weight ?? 0
      }
      const end = block.end ?? { kind: 'leave', how: 'end' }
      const next = end.kind === 'jump' ? threaded(end.to) : null
      if (next === null) return { statements, end: this.#end(end, statements, left) }
      if (left <= 0 || this.#predecessors.get(next) !== 1) {
        return { statements, end: this.#goto({ block: next, index: 0 }) }
      }
      block = next
      index = 0
    }
  }

  #end(
    end: Exclude<Terminator, { kind: 'jump' }> | Terminator,
    statements: Statement[],
    left: number,
  ): PieceEnd {
    if (end.kind === 'leave') return end
    if (end.kind === 'jump') return this.#goto({ block: threaded(end.to), index: 0 })
    statements.push(...end.before)
    if (end.kind === 'return') return { kind: 'return', statement: end.statement }
    const rest = left - 1
    const then = this.#way(threaded(end.then), rest)
    const otherwise = this.#way(threaded(end.otherwise), rest)
    return { kind: 'branch', condition: end.condition, then, otherwise }
  }

  #way(block: BasicBlock, left: number): Piece {
    if (left > 0 && this.#predecessors.get(block) === 1) return this.#piece({ block, index: 0 }, left)
    if (block.instructions.length === 0 && block.end?.kind === 'leave')
      return { statements: [], end: block.end }
    return { statements: [], end: this.#goto({ block, index: 0 }) }
  }
}

/** Follows jumps through empty blocks (jump threading). */
function threaded(block: BasicBlock): BasicBlock {
  let at = block
  for (let steps = 0; steps < 1000 && at.instructions.length === 0 && at.end?.kind === 'jump'; steps++) {
    at = at.end.to
  }
  return at
}

function successors(end: Terminator | null): BasicBlock[] {
  if (end?.kind === 'jump') return [threaded(end.to)]
  return end?.kind === 'branch' ? [threaded(end.then), threaded(end.otherwise)] : []
}

/** The jumps of a piece, in the order in which its code is written. */
export function jumpsOf(piece: Piece): Superoperator[] {
  const { end } = piece
  if (end.kind === 'goto') return [end.to]
  return end.kind === 'branch' ? [...jumpsOf(end.then), ...jumpsOf(end.otherwise)] : []
}
