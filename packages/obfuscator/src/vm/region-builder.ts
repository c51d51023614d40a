/**
 * Builds one region while it is lowered: the open basic block, the registers, the locations of variables,
 * and the inner functions. The `lower-*.ts` files decide which instructions are written.
 */

import type { Lease, LeasedWords } from '../locks/leased-words.ts'
import { type MethodOrder, toFieldCall } from '../lower/method-calls.ts'
import type { OrderPair } from '../order-watermark/pairs.ts'
import type { Random } from '../random.ts'
import type { Symbols } from '../semantics/symbols.ts'
import type { Expression, FunctionExpression, Node, Offset, Statement, SymbolId } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'
import { EndedVariables } from './ended-variables.ts'
import {
  type BasicBlock,
  createBasicBlock,
  type OrderSwap,
  type Region,
  type StreamKey,
  type Terminator,
} from './ir.ts'
import type { MeasureOf } from './measure.ts'
import type { Policy } from './policy.ts'
import { type Location, type RegisterAllocator, registerNode, valueNode } from './register-allocator.ts'
import { mayBeObject, type Owner, type Variables } from './variables.ts'

/** What all functions of a chunk share while they are lowered. */
export type ChunkLowering = {
  readonly symbols: Symbols
  readonly random: Random
  readonly variables: Variables
  readonly measureOf: MeasureOf
  /** Variables that moved from where they were declared. */
  readonly places: Map<SymbolId, Location>
  /** Literals that a register caches while their loop runs. */
  readonly cachedStrings: Map<Node, Location>
  readonly order: MethodOrder
  /** Statements that may change places with the next one. */
  readonly pairs: ReadonlyMap<Statement, OrderPair>
  /** Integers end, as in Lua 5.4, and a counter may wrap. */
  readonly countersWrap: boolean
  /** Variables of enclosing functions that a function, or one inside it, uses. */
  upvaluesOf(node: FunctionExpression): Iterable<SymbolId>
  /** Null when the statement declares no local for the stream of a locked part. */
  leaseOf(node: Statement): Lease | null
  /** Protects a function whose upvalues have their locations. */
  protect(node: FunctionExpression): FunctionExpression
  /** Lowers statements into the open block and its successors. Their variables stay. */
  lower(builder: RegionBuilder, statements: readonly Statement[]): void
  /** Emits a region as statements. */
  emit(region: Region, at: Offset): readonly Statement[]
}

/** An enclosing loop. Null: the region is the body of that loop. */
export type LoopExits = { readonly onBreak: BasicBlock | null; readonly onContinue: BasicBlock | null }

/** One function: its registers, and the local that holds the instruction stream. */
export type FunctionFrame = {
  readonly owner: Owner
  readonly registers: RegisterAllocator
  readonly stream: SymbolId
  /** The words of that stream, when it stands in a lock. */
  readonly lease: LeasedWords | null
  /** The key of addresses in the stream. */
  readonly key: StreamKey
  readonly spent: { count: number }
  readonly policy: Policy
}

/** Clearing takes a value per register for a moment. */
const MAX_CLEARED = 40

export class RegionBuilder implements FunctionFrame {
  readonly shared: ChunkLowering
  readonly owner: Owner
  readonly registers: RegisterAllocator
  readonly stream: SymbolId
  readonly lease: LeasedWords | null
  readonly key: StreamKey
  readonly spent: { count: number }
  readonly policy: Policy
  readonly entry: BasicBlock
  readonly loops: LoopExits[] = []
  readonly swaps: OrderSwap[] = []
  #isApart = false
  readonly ended = new EndedVariables(this)
  #block: BasicBlock
  /** What the next instruction begins with: copies of variables for its functions. */
  #pending: Statement[] = []
  readonly #copies = new Map<SymbolId, Location>()
  readonly #mapping: Visitors

  constructor(shared: ChunkLowering, frame: FunctionFrame) {
    this.shared = shared
    this.owner = frame.owner
    this.registers = frame.registers
    this.stream = frame.stream
    this.lease = frame.lease
    this.key = frame.key
    this.spent = frame.spent
    this.policy = frame.policy
    this.entry = createBasicBlock(0)
    this.#block = this.entry
    this.#mapping = {
      LocalName: (node) => this.#placed(node.symbol, node.at),
      FunctionExpression: { enter: (node) => this.function(node) },
      MethodCall: (node) => toFieldCall(node, shared.order),
    }
  }

  // --- blocks

  /** A block inside the loops that are open now. Code in a lock does not show which code is in a loop. */
  block(): BasicBlock {
    return createBasicBlock(this.lease ? 0 : this.loops.length)
  }

  /** Continues in another block; the previous one must have its terminator. */
  open(block: BasicBlock): void {
    this.#block = block
  }

  /** Whether there is more than the entry block. */
  get isBranched(): boolean {
    return this.#block !== this.entry
  }

  get isClosed(): boolean {
    return this.#block.end !== null
  }

  close(end: Terminator): void {
    if (this.#block.end === null) this.#block.end = end
    this.#forgetCopies()
  }

  jump(to: BasicBlock): void {
    this.close({ kind: 'jump', to })
  }

  branch(condition: Expression, then: BasicBlock, otherwise: BasicBlock): void {
    this.close({ kind: 'branch', before: this.#pending, condition, then, otherwise })
  }

  return(statement: Statement): void {
    this.close({ kind: 'return', statement, before: this.#pending })
  }

  push(weight: number, ...statements: readonly Statement[]): void {
    // Copies end with the instruction, or they would keep their values until the end of the superoperator.
    const copies = this.#pending
    const all = copies.length > 0 ? [nodesAt(copies[0]?.at ?? 0).do([...copies, ...statements])] : statements
    this.#forgetCopies()
    if (this.#block.end === null) this.#block.instructions.push({ statements: all, weight: weight + 1 })
  }

  // --- variables

  /** Allocates the register of a variable. */
  declare(symbol: SymbolId): Location {
    const variable = this.shared.variables.get(symbol)
    const isShared = variable?.isCaptured ?? false
    const endsEarly = variable?.endsEarly ?? false
    const place = (isShared ? !endsEarly : this.#isApart && !this.registers.isCrowded)
      ? this.registers.allocateDedicated(symbol)
      : { ...this.registers.allocate(), isCell: isShared && (variable?.isAssigned ?? false) }
    this.shared.places.set(symbol, place)
    if (variable?.mayHold) this.ended.add(place)
    return place
  }

  /** Variables that are declared inside get registers that held nothing before. */
  apart(inside: () => void): void {
    this.#isApart = true
    inside()
    this.#isApart = false
  }

  /** Whether an inner function may change the variable while an expression is evaluated. */
  isVolatile(symbol: SymbolId): boolean {
    const variable = this.shared.variables.get(symbol)
    return (
      variable === undefined || (variable.isCaptured && variable.isAssigned) || variable.owner !== this.owner
    )
  }

  /** Declared by this function, so hosts read it in place. */
  isOwn(symbol: SymbolId): boolean {
    return this.shared.variables.get(symbol)?.owner === this.owner
  }

  /** Stored in a table, so reading it takes an instruction. */
  isHeld(symbol: SymbolId): boolean {
    const place = this.shared.places.get(symbol)
    return place !== undefined && (place.isCell || place.index !== null)
  }

  /**
   * A register for a value between instructions; released with the statement.
   *
   * @param value what it will hold; none is a number or a text.
   */
  temporary(value?: Expression): Location {
    const place = this.registers.allocate()
    if (value && mayBeObject(value)) this.ended.add(place)
    return place
  }

  /** Releases the registers that were allocated inside. */
  scope(inside: () => void): void {
    const mark = this.registers.mark
    inside()
    this.registers.release(mark)
  }

  /** Clears free registers, so that their values can be collected when the host would collect them. */
  forget(at: Offset): void {
    this.clear(this.registers.stale(this.registers.mark), at)
  }

  /** Clears registers that nothing reads any more. */
  clear(places: readonly Location[], at: Offset): void {
    const targets = places.slice(0, MAX_CLEARED).map((place) => registerNode(place, at))
    if (targets.length === 0 || this.isClosed) return
    this.push(1, { kind: 'Assign', at, targets, values: [{ kind: 'NilLiteral', at }] })
  }

  // --- trees

  /**
   * The same tree over registers. Functions in it are protected, and the next instruction must contain the
   * tree.
   */
  mapped<N extends Node>(node: N): N {
    return rewrite(node, this.#mapping)
  }

  #placed(symbol: SymbolId, at: Offset): Expression | undefined {
    const place = this.shared.places.get(symbol)
    return place && valueNode(place, at)
  }

  /**
   * A variable that ends before its function does is passed to a function in a local of its own: the variable
   * itself when it never changes, or its cell.
   */
  function(node: FunctionExpression, self?: SymbolId): FunctionExpression {
    const { places, variables } = this.shared
    const before: [SymbolId, Location][] = []
    for (const symbol of this.shared.upvaluesOf(node)) {
      const place = places.get(symbol)
      const variable = variables.get(symbol)
      if (!place || symbol === self || variable?.owner !== this.owner || !variable.endsEarly) continue
      before.push([symbol, place])
      this.#copy(symbol, place, node.at)
    }
    const made = this.shared.protect(node)
    for (const [symbol, place] of before) places.set(symbol, place)
    return made
  }

  /** The same for a function that refers to itself by the local `own`. */
  functionNamed(node: FunctionExpression, symbol: SymbolId, own: SymbolId): FunctionExpression {
    const { places } = this.shared
    const place = places.get(symbol)
    places.set(symbol, { symbol: own, index: null, isCell: false })
    const made = this.function(node, symbol)
    if (place) places.set(symbol, place)
    return made
  }

  #copy(symbol: SymbolId, place: Location, at: Offset): void {
    const known = this.#copies.get(symbol)
    const copy = known ?? { symbol: this.shared.symbols.fresh(), index: null, isCell: place.isCell }
    this.shared.places.set(symbol, copy)
    if (known) return
    this.#copies.set(symbol, copy)
    this.#pending.push(nodesAt(at).local([copy.symbol], [registerNode(place, at)]))
  }

  #forgetCopies(): void {
    this.#pending = []
    this.#copies.clear()
  }
}
