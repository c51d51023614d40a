/**
 * Emits a region: opcodes and addresses for all superoperators, the dispatch loop that reads the stream, and
 * the words of the stream. `superoperators.ts` determines the contents of each superoperator.
 */

import type { MarkedNodes } from '../order-watermark/pairs.ts'
import type { PassContext } from '../pass-context.ts'
import type { Random } from '../random.ts'
import type { Expression, LocalName, Offset, Statement, SymbolId } from '../syntax/ast.ts'
import { NOWHERE } from '../syntax/line-map.ts'
import { nodesAt } from '../syntax/nodes.ts'
import type { ArmKey, ConstantPool } from './constant-pool.ts'
import { type Arm, buildDispatchTree, emitDispatchTree } from './dispatch.ts'
import type { InstructionStream, Word } from './instruction-stream.ts'
import { EXITS, type Region, type RegionExit } from './ir.ts'
import { offerOrders } from './order-offers.ts'
import { lengthOf, operandsOf, type PlacedSuperoperator, placeSuperoperator } from './placed-superoperator.ts'
import { cutSuperoperators, isPinned, jumpsOf, type Piece, type Superoperator } from './superoperators.ts'
import { comparisonWithLiteral, deriveState, type LiteralComparison } from './value-keys.ts'
import type { WordList } from './word-list.ts'

/** The state shared by all regions of a chunk. */
export type Output = {
  readonly context: PassContext
  readonly words: InstructionStream
  readonly marked: MarkedNodes
  readonly constants: ConstantPool
}

/** Emits the dispatch loop of a region. */
export function emitRegion(region: Region, output: Output, at: Offset): readonly Statement[] {
  return new RegionEmitter(region, output, at).run()
}

/**
 * Fraction of superoperators that directly follow their predecessor in the stream. It is zero in a locked
 * block, where adjacency would reveal the order.
 */
const SHARE_OF_FOLLOWERS = 0.8

/**
 * Maximum padding at either end of the words of a locked block, so that the address of its first word
 * does not reveal the length of the preceding words.
 */
const MAX_LOCKED_PAD = 9

/** A larger word would need a fourth digit. */
const MAX_WORD = 200_000

/** The formulas for decoding a word, given the word and the previous state. */
const FORMS = [
  { decode: 'word-state', word: (value: number, state: number) => value + state },
  { decode: 'word+state', word: (value: number, state: number) => value - state },
  { decode: 'state-word', word: (value: number, state: number) => state - value },
] as const

class RegionEmitter {
  readonly #region: Region
  readonly #output: Output
  /** The stream for decoys and watermark slots; null in a locked block, whose words are encrypted anyway. */
  readonly #open: InstructionStream | null
  readonly #random: Random
  readonly #make: ReturnType<typeof nodesAt>
  readonly #at: Offset
  readonly #pointer: SymbolId
  readonly #state: SymbolId
  readonly #placed = new Map<Superoperator, PlacedSuperoperator>()
  readonly #direction: 1 | -1
  readonly #form: (typeof FORMS)[number]
  readonly #left = new Set<RegionExit>()

  constructor(region: Region, output: Output, at: Offset) {
    const { symbols, random } = output.context
    this.#region = region
    this.#output = output
    this.#open = region.lease ? null : output.words
    this.#random = random
    // The first statement of a locked block is on the line where the block starts, so line breaks around
    // jumps would reveal it.
    this.#at = region.lease ? NOWHERE : at
    this.#make = nodesAt(this.#at)
    this.#pointer = symbols.fresh()
    this.#state = symbols.fresh()
    this.#direction = random.chance(0.5) ? 1 : -1
    this.#form = random.pick(FORMS)
  }

  run(): readonly Statement[] {
    const found = cutSuperoperators(this.#region, this.#output.marked, this.#random)
    const order = this.#order(found)
    const tree = buildDispatchTree(
      [...[...this.#placed.values()].map(({ arm }) => arm), ...this.#junk(order.length)],
      this.#open?.wantsOffers ? 2 : 1,
      this.#random,
    )
    for (const each of order) {
      each.number = this.#random.int(each.arm.low, each.arm.high)
      const spent = this.#region.spent.count
      const hidden = this.#hidden(each.made.piece, this.#key(each))
      // A different opcode would change the word of a number that differs between keys.
      each.isFree = this.#region.spent.count === spent && each.varied.size === 0
      // In a handler without operands, skipping decoys would take extra time.
      if (each.next === null || operandsOf(each) > 0) each.decoys = this.#open?.decoysHere(this.#random) ?? 0
      each.arm.statements = this.#code(hidden, each, { jump: 0 })
    }
    this.#place(order)
    this.#write(order)
    const entry = this.#placed.get(found[0] as Superoperator) as PlacedSuperoperator
    return this.#loop(
      entry,
      emitDispatchTree(tree, { at: this.#state, number: (value) => this.#number(value) }, this.#at),
    )
  }

  get #words(): WordList {
    return this.#region.lease ?? this.#output.words
  }

  // --- addresses

  /** Places most superoperators directly after their predecessor. */
  #order(found: readonly Superoperator[]): PlacedSuperoperator[] {
    const order: PlacedSuperoperator[] = []
    for (const start of this.#random.shuffle(found)) {
      let each: Superoperator | null = start
      while (each && !this.#placed.has(each)) {
        const placed: PlacedSuperoperator = this.#create(each)
        order.push(placed)
        const targets: Superoperator[] = jumpsOf(each.piece)
        const next: Superoperator | undefined = targets.find((to) => !isPinned(to) && !this.#placed.has(to))
        each = next && this.#random.chance(this.#open ? SHARE_OF_FOLLOWERS : 0) ? next : null
        placed.next = each
      }
    }
    for (const placed of order) this.#connect(placed)
    for (const { made } of order) {
      const twin = made.twin && this.#placed.get(made.twin.made)
      if (twin) twin.isLanding = true
    }
    const entry = this.#placed.get(found[0] as Superoperator)
    if (entry) entry.isLanding = true
    return order
  }

  #create(made: Superoperator): PlacedSuperoperator {
    const placed = placeSuperoperator(made)
    this.#placed.set(made, placed)
    return placed
  }

  #connect(placed: PlacedSuperoperator): void {
    for (const to of jumpsOf(placed.made.piece)) {
      if (to === placed.next) continue
      placed.jumps.push(to)
      const target = this.#placed.get(to)
      if (target) target.isLanding = true
    }
  }

  #place(order: readonly PlacedSuperoperator[]): void {
    const length = order.reduce((sum, each) => sum + lengthOf(each), 0)
    this.#open?.pad(this.#random)
    this.#padLocked()
    const first = this.#words.reserve(Array.from({ length }, () => 0))
    this.#padLocked()
    let address = this.#direction === 1 ? first : first + length - 1
    for (const each of order) {
      each.address = address
      address += this.#direction * lengthOf(each)
    }
  }

  #padLocked(): void {
    if (this.#open) return
    const length = this.#random.int(0, MAX_LOCKED_PAD)
    this.#words.reserve(Array.from({ length }, () => this.#random.int(0, MAX_WORD)))
  }

  #write(order: readonly PlacedSuperoperator[]): void {
    order.forEach((each, i) => {
      for (const { index, word } of this.#encode(each, each.number, order[i - 1]?.number ?? 0)) {
        this.#words.set(index, word)
      }
      for (let j = 1; j <= each.decoys; j++) {
        this.#open?.decoy(each.address + this.#direction * (operandsOf(each) + j), this.#random)
      }
      for (const [operand, node] of each.varied) {
        this.#open?.vary(node, each.address + this.#direction * (operand + 1))
      }
    })
    if (this.#open === null) return
    if (this.#open.wantsOffers) this.#offer(order)
    for (const { words, mark } of offerOrders(this.#region.swaps, order, this.#direction)) {
      this.#open.offer(words, mark)
    }
  }

  /** The words of a superoperator, given its opcode and the previous opcode. */
  #encode(each: PlacedSuperoperator, number: number, before: number): Word[] {
    const state = each.isLanding ? this.#region.key.value - each.address : before
    const targets = each.jumps.map((to) => this.#placed.get(to)?.address ?? 0)
    const operands = [...targets, ...each.constants].map((value, j) => ({
      index: each.address + this.#direction * (j + 1),
      word: value + number,
    }))
    return [{ index: each.address, word: this.#form.word(number, state) }, ...operands]
  }

  /**
   * Offers alternative opcodes as watermark slots, but never for two adjacent superoperators if the word
   * of one depends on the opcode of the other.
   */
  #offer(order: readonly PlacedSuperoperator[]): void {
    let isOffered = false
    order.forEach((each, i) => {
      const { low, high } = each.arm
      const isMoving = each.jumps.some(isPinned)
      isOffered = each.isFree && !isMoving && low < high && !(isOffered && !each.isLanding)
      if (!isOffered) return
      const other = low + ((each.number - low + this.#random.int(1, high - low)) % (high - low + 1))
      const next = order[i + 1]
      const behind = next && !next.isLanding ? this.#encode(next, next.number, other).slice(0, 1) : []
      this.#open?.offer([...this.#encode(each, other, order[i - 1]?.number ?? 0), ...behind])
    })
  }

  // --- code

  /**
   * Hides the constants. This happens before jumps are emitted, because a jump may have to skip the
   * operands of all constants.
   */
  #hidden(piece: Piece, key: ArmKey): Piece {
    const { constants } = this.#output
    const statements = piece.statements.flatMap((each) => constants.hide(each, key))
    const { end } = piece
    if (end.kind === 'return') {
      const [statement, ...before] = constants.hide(end.statement, key).toReversed() as [
        Statement,
        ...Statement[],
      ]
      return { statements: [...statements, ...before.toReversed()], end: { ...end, statement } }
    }
    if (end.kind !== 'branch') return { statements, end }
    const found = this.#output.constants.keysFromValues ? comparisonWithLiteral(end.condition) : null
    const { first, value } = this.#valueOf(found, key)
    const condition = found && value ? found.with(value) : end.condition
    const { before, hidden } = constants.hideIn(condition, key)
    const [then, otherwise] = [this.#hidden(end.then, key), this.#hidden(end.otherwise, key)]
    if (found && value) {
      const { literal, isEqual } = found
      // The code that derives the state contains the opcode, so it counts as a constant.
      key.spent.count += 1
      const set = deriveState(this.#state, key.value, { value, literal }, constants.stateArithmetic(value.at))
      const way = isEqual ? then : otherwise
      way.statements.unshift(set)
    }
    return {
      statements: [...statements, ...before, ...first],
      end: { ...end, condition: hidden, then, otherwise },
    }
  }

  /** Stores the compared value in a local. */
  #valueOf(
    found: LiteralComparison | null,
    key: ArmKey,
  ): { readonly first: readonly Statement[]; readonly value: LocalName | null } {
    if (found === null) return { first: [], value: null }
    if (found.value.kind === 'LocalName') return { first: [], value: found.value }
    const symbol = this.#output.context.symbols.fresh()
    const held = this.#make.local([symbol], [found.value])
    return { first: this.#output.constants.hide(held, key), value: this.#make.use(symbol) }
  }

  #key(placed: PlacedSuperoperator): ArmKey {
    const { words } = this.#region.policy
    const share = placed.made.depth === 0 ? words : words / 2
    return {
      symbol: this.#state,
      value: placed.number,
      spent: this.#region.spent,
      word: (value) => {
        if (value > MAX_WORD || !this.#random.chance(share)) return null
        placed.constants.push(value)
        return this.#word(operandsOf(placed) - 1)
      },
      vary: (node) => {
        // Words in a locked block are encrypted, so they can't differ between keys.
        if (this.#open === null) return this.#output.words.readVaried(node)
        placed.constants.push(node.value)
        placed.varied.set(operandsOf(placed) - 1, node)
        return this.#word(operandsOf(placed) - 1)
      },
    }
  }

  /** Reads an operand. Operands are numbered from 0, after the opcode word. */
  #word(index: number): Expression {
    const make = this.#make
    const word = make.index(make.use(this.#region.stream), this.#moved(index))
    return make.binary(word, '-', make.use(this.#state))
  }

  #code({ statements, end }: Piece, placed: PlacedSuperoperator, cursor: { jump: number }): Statement[] {
    switch (end.kind) {
      case 'goto':
        return [...statements, ...this.#goto(end.to, placed, cursor)]
      case 'return':
        return [...statements, end.statement]
      case 'leave':
        return [...statements, ...this.#leave(end.how)]
      default: {
        const then = this.#code(end.then, placed, cursor)
        return [...statements, this.#branch(end.condition, then, this.#code(end.otherwise, placed, cursor))]
      }
    }
  }

  #branch(condition: Expression, then: Statement[], otherwise: Statement[]): Statement {
    const make = nodesAt(condition.at)
    if (otherwise.length === 0) return make.if(condition, then)
    if (then.length === 0) return make.if(make.not(condition), otherwise)
    return make.if(condition, then, otherwise)
  }

  #goto(to: Superoperator, placed: PlacedSuperoperator, cursor: { jump: number }): Statement[] {
    const make = this.#make
    const pointer = make.use(this.#pointer)
    const target = this.#placed.get(to)
    const enter = make.assign(make.use(this.#state), make.binary(this.#keyFor(placed), '-', pointer))
    if (to === placed.next) {
      const skipped = lengthOf(placed) - 1
      const skip = skipped > 0 ? [make.assign(pointer, this.#moved(skipped))] : []
      return target?.isLanding ? [...skip, enter] : skip
    }
    const word = this.#word(cursor.jump)
    cursor.jump += 1
    return [make.assign(pointer, word), enter]
  }

  /** Outside of loops, where it costs little, every function computes the key differently. */
  #keyFor({ made }: PlacedSuperoperator): Expression {
    const { key } = this.#region
    return made.depth > 0 ? this.#keyLocal() : this.#output.words.salted(key.value, this.#at)
  }

  #keyLocal(): Expression {
    const { key } = this.#region
    key.isUsed = true
    return this.#make.use(key.symbol)
  }

  #moved(by: number): Expression {
    const pointer = this.#make.use(this.#pointer)
    if (by === 0) return pointer
    return this.#make.binary(pointer, this.#direction === 1 ? '+' : '-', this.#number(by))
  }

  #leave(how: RegionExit): Statement[] {
    const make = this.#make
    const isEnd = how === 'end' || (how === 'continue' && this.#region.isLoopBody)
    if (isEnd) return [make.break]
    this.#left.add(how)
    return [make.assign(make.use(this.#pointer), this.#number(EXITS[how])), make.break]
  }

  #number(value: number): Expression {
    const node = this.#make.number(value)
    this.#output.context.frozen.add(node)
    return node
  }

  #loop(entry: PlacedSuperoperator, code: readonly Statement[]): readonly Statement[] {
    const make = this.#make
    const [pointer, state] = [make.use(this.#pointer), make.use(this.#state)]
    const address = this.#number(entry.address)
    const { key, isLoopBody } = this.#region
    const first = isLoopBody
      ? make.binary(this.#keyLocal(), '-', address)
      : this.#output.words.salted(key.value - entry.address, this.#at)
    const start = [address, first]
    const loop: Statement = {
      kind: 'While',
      at: this.#at,
      condition: make.boolean(true),
      body: make.block([make.assign(state, this.#decoded()), make.assign(pointer, this.#moved(1)), ...code]),
    }
    this.#output.context.frozen.add(loop)
    const ways = [...this.#left].map((how) =>
      make.if(make.binary(pointer, '==', this.#number(EXITS[how])), [
        how === 'break' ? make.break : { kind: 'Continue', at: this.#at },
      ]),
    )
    return [make.local([this.#pointer, this.#state], start), loop, ...ways]
  }

  #decoded(): Expression {
    const make = this.#make
    const word = make.index(make.use(this.#region.stream), make.use(this.#pointer))
    const state = make.use(this.#state)
    if (this.#form.decode === 'word-state') return make.binary(word, '-', state)
    return this.#form.decode === 'word+state' ? make.binary(word, '+', state) : make.binary(state, '-', word)
  }

  /** Decoy arms, which no word leads to. */
  #junk(count: number): Arm[] {
    const make = this.#make
    const [pointer, state] = [make.use(this.#pointer), make.use(this.#state)]
    return Array.from({ length: 1 + Math.floor(count / 12) }, () => {
      const word = make.index(make.use(this.#region.stream), this.#moved(this.#random.int(0, 2)))
      const statements = [
        make.assign(pointer, make.binary(word, '-', state)),
        make.assign(
          state,
          make.binary(this.#output.words.salted(this.#region.key.value, this.#at), '-', pointer),
        ),
      ]
      return { weight: 0.1, low: 0, high: 0, statements }
    })
  }
}
