/**
 * Partitions the basic blocks of a region into superoperators: sequences of random length that may include
 * both sides of a branch. Each becomes one handler of the region's dispatch loop. At the end of a
 * superoperator, control jumps to the next one through the stream.
 */

import { findCompared, swapOperands } from '../order-watermark/comparisons.ts'
import type { OrderMark } from '../order-watermark/order-marks.ts'
import type { MarkedNodes } from '../order-watermark/pairs.ts'
import type { Random } from '../random.ts'
import type { Expression, Node, Statement } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import type { BasicBlock, Instruction, Region, RegionExit, Terminator } from './ir.ts'
import type { Policy } from './policy.ts'

/** The code of a handler, or of one side of a branch in it. */
export type Piece = { readonly statements: Statement[]; end: PieceEnd }

type PieceEnd =
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
  /** An equivalent superoperator with the operands of a comparison swapped. */
  twin: Twin | null
  /** Loop nesting depth within the region. */
  readonly depth: number
  /** Number of jumps to this superoperator. */
  uses: number
  /** The block that starts here, if a copy can redirect control to and from it. */
  readonly movable: BasicBlock | null
}

type Twin = { readonly made: Superoperator; readonly mark: OrderMark }

/**
 * Whether control reaches the superoperator only through words of the stream, so that a copy can redirect it.
 */
export function isPinned({ movable, twin }: Superoperator): boolean {
  return movable !== null || twin !== null
}

/** Returns all reachable superoperators, starting with the entry. */
export function cutSuperoperators(region: Region, marked: MarkedNodes, random: Random): Superoperator[] {
  const found = new SuperoperatorCutter(region, marked, random).run()
  return varied([...found, ...twins(found, marked)], region.policy.varied, random)
}

/**
 * Creates twins for the superoperators that compare with a constant, if all superoperators with this
 * comparison can have a twin.
 */
function twins(found: readonly Superoperator[], marked: MarkedNodes): Superoperator[] {
  const holders = new Map<Node, Superoperator[]>()
  for (const each of found) {
    for (const constant of marked.size > 0 ? comparedIn(each.piece, marked) : []) {
      holders.set(constant, [...(holders.get(constant) ?? []), each])
    }
  }
  const made: Superoperator[] = []
  for (const [constant, list] of holders) {
    const mark = marked.get(constant)
    if (!mark || list.some((each) => each === found[0] || isPinned(each) || hasDeclarations(each.piece)))
      continue
    for (const each of list) {
      const twin = { ...each, piece: turned(each.piece, constant) }
      each.twin = { made: twin, mark }
      made.push(twin)
    }
  }
  return made
}

function comparedIn({ statements, end }: Piece, marked: MarkedNodes): readonly Node[] {
  const own = statements.flatMap((each) => findCompared(each, marked))
  if (end.kind === 'return') return [...own, ...findCompared(end.statement, marked)]
  if (end.kind !== 'branch') return own
  const ways = [end.then, end.otherwise].flatMap((each) => comparedIn(each, marked))
  return [...own, ...findCompared(end.condition, marked), ...ways]
}

/** Returns a copy with the operands of this constant's comparison swapped. */
function turned({ statements, end }: Piece, constant: Node): Piece {
  return {
    statements: statements.map((each) => swapOperands(each, constant)),
    end: turnedEnd(end, constant),
  }
}

function turnedEnd(end: PieceEnd, constant: Node): PieceEnd {
  if (end.kind === 'return') return { ...end, statement: swapOperands(end.statement, constant) }
  if (end.kind !== 'branch') return end
  const [then, otherwise] = [turned(end.then, constant), turned(end.otherwise, constant)]
  return { ...end, condition: swapOperands(end.condition, constant), then, otherwise }
}

/** Maximum number of variants per merge point. */
const MAX_VARIANTS = 3

/**
 * At a merge point, each predecessor can continue in a separate copy with a different opcode, constants and
 * jumps.
 */
function varied(found: readonly Superoperator[], share: number, random: Random): Superoperator[] {
  const variants = new Map<Superoperator, Superoperator[]>()
  for (const each of found) {
    if (each.uses < 2 || isPinned(each) || !random.chance(share) || hasDeclarations(each.piece)) continue
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

function hasDeclarations({ statements, end }: Piece): boolean {
  if (statements.some(isDeclaring)) return true
  if (end.kind === 'return') return isDeclaring(end.statement)
  if (end.kind !== 'branch') return false
  return isDeclaring(end.condition) || hasDeclarations(end.then) || hasDeclarations(end.otherwise)
}

/** A variable must be declared only once in a tree, so code that declares one cannot be copied. */
function isDeclaring(node: Node): boolean {
  let isFound = false
  const note = {
    enter: (): boolean => {
      isFound = true
      return false
    },
  }
  rewrite(node, { Binding: note, FunctionExpression: note })
  return isFound
}

/** Whether a piece contains a comparison that can be swapped, or code that must not be duplicated. */
type Content = 'plain' | 'compares' | 'declares'

/** The remaining capacity of a piece. */
type Room = { readonly left: number; readonly content: Content }

/** Whether adding the code would cost a comparison its watermark slot. */
function isTooMuch(held: Content, added: Content): boolean {
  return held !== 'plain' && added !== 'plain' && (held === 'compares' || added === 'compares')
}

function nodesOf(end: Terminator | null): readonly Node[] {
  if (end?.kind === 'return') return [...end.before, end.statement]
  return end?.kind === 'branch' ? [...end.before, end.condition] : []
}

/** A position in a block. */
type Point = { readonly block: BasicBlock; readonly index: number }

class SuperoperatorCutter {
  readonly #policy: Policy
  readonly #isLoopBody: boolean
  readonly #marked: MarkedNodes
  readonly #random: Random
  readonly #predecessors = new Map<BasicBlock, number>()
  readonly #known = new Map<BasicBlock, Map<number, Superoperator>>()
  readonly #open: (Point & { readonly made: Superoperator })[] = []
  readonly #entry: BasicBlock

  constructor(region: Region, marked: MarkedNodes, random: Random) {
    this.#policy = region.policy
    this.#isLoopBody = region.isLoopBody
    this.#marked = marked
    this.#random = random
    const entry = threaded(region.entry)
    this.#entry = entry.isMovable ? region.entry : entry
    this.#count(this.#entry)
  }

  run(): Superoperator[] {
    const entry = this.#at(this.#entry, 0)
    const found = this.#needsWayIn ? [this.#wayTo(entry)] : []
    for (let i = 0; i < this.#open.length; i++) {
      const { block, index, made } = this.#open[i] as Point & { made: Superoperator }
      found.push(made)
      // The entry cannot have a twin.
      const content = made === found[0] && !this.#isLoopBody ? 'declares' : 'plain'
      made.piece = this.#piece({ block, index }, { left: this.#length(made.depth), content })
    }
    return found
  }

  /** Whether the entry starts with a comparison that could be a slot if the instruction stream led to it. */
  get #needsWayIn(): boolean {
    if (this.#isLoopBody) return false
    const [first] = this.#entry.instructions
    return this.#contentOf(first?.statements ?? nodesOf(this.#entry.end)) === 'compares'
  }

  #wayTo(to: Superoperator): Superoperator {
    to.uses += 1
    return {
      piece: { statements: [], end: { kind: 'goto', to } },
      depth: 0,
      uses: 0,
      twin: null,
      movable: null,
    }
  }

  #contentOf(nodes: readonly Node[]): Content {
    if (this.#marked.size === 0) return 'plain'
    if (nodes.some(isDeclaring)) return 'declares'
    return nodes.some((each) => findCompared(each, this.#marked).length > 0) ? 'compares' : 'plain'
  }

  /** Code in loops gets longer sequences. */
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
      twin: null,
      movable: block.isMovable && index === 0 ? block : null,
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

  #piece(start: Point, room: Room): Piece {
    const statements: Statement[] = []
    let { block, index } = start
    let { left, content } = room
    for (;;) {
      for (; index < block.instructions.length; index++) {
        const instruction = block.instructions[index] as Instruction
        const own = this.#contentOf(instruction.statements)
        if (left <= 0 || isTooMuch(content, own)) return { statements, end: this.#goto({ block, index }) }
        statements.push(...instruction.statements)
        left -= instruction.weight
        content = own === 'plain' ? content : own
      }
      const end = block.end ?? { kind: 'leave', how: 'end' }
      const own = this.#contentOf(nodesOf(end))
      const isFull = left <= 0 && !this.#policy.takesEnds && end.kind !== 'jump'
      if (isFull || isTooMuch(content, own)) return { statements, end: this.#goto({ block, index }) }
      content = own === 'plain' ? content : own
      const next = end.kind === 'jump' ? threaded(end.to) : null
      if (next === null) return { statements, end: this.#end(end, statements, { left, content }) }
      if (left <= 0 || !this.#isOnlyWay(next)) {
        return { statements, end: this.#goto({ block: next, index: 0 }) }
      }
      block = next
      index = 0
    }
  }

  /** Whether the block has a single predecessor in every copy. */
  #isOnlyWay(block: BasicBlock): boolean {
    return this.#predecessors.get(block) === 1 && !block.isMovable
  }

  #end(
    end: Exclude<Terminator, { kind: 'jump' }> | Terminator,
    statements: Statement[],
    { left, content }: Room,
  ): PieceEnd {
    if (end.kind === 'leave') return end
    if (end.kind === 'jump') return this.#goto({ block: threaded(end.to), index: 0 })
    statements.push(...end.before)
    if (end.kind === 'return') return { kind: 'return', statement: end.statement }
    const rest = { left: left - 1, content }
    const then = this.#way(threaded(end.then), rest)
    const otherwise = this.#way(threaded(end.otherwise), rest)
    return { kind: 'branch', condition: end.condition, then, otherwise }
  }

  #way(block: BasicBlock, room: Room): Piece {
    if (room.left > 0 && this.#isOnlyWay(block)) return this.#piece({ block, index: 0 }, room)
    if (!block.isMovable && block.instructions.length === 0 && block.end?.kind === 'leave')
      return { statements: [], end: block.end }
    return { statements: [], end: this.#goto({ block, index: 0 }) }
  }
}

/** Follows jumps through empty blocks (jump threading). */
function threaded(block: BasicBlock): BasicBlock {
  let at = block
  for (let steps = 0; steps < 1000 && !at.isMovable; steps++) {
    if (at.instructions.length > 0 || at.end?.kind !== 'jump') break
    at = at.end.to
  }
  return at
}

function successors(end: Terminator | null): BasicBlock[] {
  if (end?.kind === 'jump') return [threaded(end.to)]
  return end?.kind === 'branch' ? [threaded(end.then), threaded(end.otherwise)] : []
}

/** A piece's jumps, in the order that its code is emitted. */
export function jumpsOf(piece: Piece): Superoperator[] {
  const { end } = piece
  if (end.kind === 'goto') return [end.to]
  return end.kind === 'branch' ? [...jumpsOf(end.then), ...jumpsOf(end.otherwise)] : []
}
