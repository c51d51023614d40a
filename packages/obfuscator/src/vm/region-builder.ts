/**
 * Builds one region during lowering: the open basic block, the registers, the locations of variables, and the
 * nested functions. The `lower-*.ts` files decide which instructions to emit.
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

/** The state shared by all functions of a chunk during lowering. */
export type ChunkLowering = {
  readonly symbols: Symbols
  readonly random: Random
  readonly variables: Variables
  readonly measureOf: MeasureOf
  /** Variables that were moved from their original declaration. */
  readonly places: Map<SymbolId, Location>
  /** Literals cached in a register while their loop runs. */
  readonly cachedStrings: Map<Node, Location>
  readonly order: MethodOrder
  /** Statements that can be swapped with the next statement. */
  readonly pairs: ReadonlyMap<Statement, OrderPair>
  /** Whether integers are bounded, as in Lua 5.4, so that a counter may wrap around. */
  readonly countersWrap: boolean
  /** The variables of enclosing functions that a function or its nested functions use. */
  upvaluesOf(node: FunctionExpression): Iterable<SymbolId>
  /**
   * Returns the `Lease` of a statement that declares the local for a locked block's stream; null for any
   * other statement.
   */
  leaseOf(node: Statement): Lease | null
  /** Protects a function after the locations of its upvalues have been assigned. */
  protect(node: FunctionExpression): FunctionExpression
  /** Lowers statements into the open block and its successors, and keeps their variables in scope. */
  lower(builder: RegionBuilder, statements: readonly Statement[]): void
  /** Emits a region as statements. */
  emit(region: Region, at: Offset): readonly Statement[]
}

/** The exits of an enclosing loop. Null means that the region is the body of that loop. */
export type LoopExits = { readonly onBreak: BasicBlock | null; readonly onContinue: BasicBlock | null }

/** One function: its registers, and the local for the instruction stream. */
export type FunctionFrame = {
  readonly owner: Owner
  readonly registers: RegisterAllocator
  readonly stream: SymbolId
  /** The words of that stream if it is encrypted in a lock; otherwise null. */
  readonly lease: LeasedWords | null
  /** The key that encodes addresses in the stream. */
  readonly key: StreamKey
  readonly spent: { count: number }
  readonly policy: Policy
}

/** Clearing temporarily uses one extra register per value. */
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
  /**
   * The statements that precede the next instruction. They copy variables for the functions that it creates.
   */
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

  /**
   * Creates a block inside the loops that are currently open. In a locked block, the depth is 0, so that
   * the output does not reveal which code is in a loop.
   */
  block(): BasicBlock {
    return createBasicBlock(this.lease ? 0 : this.loops.length)
  }

  /** Continues in another block. The previous block must have a terminator. */
  open(block: BasicBlock): void {
    this.#block = block
  }

  /** Whether there are blocks besides the entry block. */
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
    // The scope of copies ends with the instruction. Otherwise, they would keep their values alive until the
    // end of the superoperator.
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

  /** Assigns registers that have never been used to the variables that `inside` declares. */
  apart(inside: () => void): void {
    this.#isApart = true
    inside()
    this.#isApart = false
  }

  /** Whether a nested function may change the variable while an expression is being evaluated. */
  isVolatile(symbol: SymbolId): boolean {
    const variable = this.shared.variables.get(symbol)
    return (
      variable === undefined || (variable.isCaptured && variable.isAssigned) || variable.owner !== this.owner
    )
  }

  /** Whether this function declares the variable, so that hosts read it in place. */
  isOwn(symbol: SymbolId): boolean {
    return this.shared.variables.get(symbol)?.owner === this.owner
  }

  /** Whether the variable is stored in a table, so that reading it takes an instruction. */
  isHeld(symbol: SymbolId): boolean {
    const place = this.shared.places.get(symbol)
    return place !== undefined && (place.isCell || place.index !== null)
  }

  /**
   * Allocates a register for a value between instructions. The register is released at the end of the
   * statement.
   *
   * @param value the expression to store; omit it for a number or string.
   */
  temporary(value?: Expression): Location {
    const place = this.registers.allocate()
    if (value && mayBeObject(value)) this.ended.add(place)
    return place
  }

  /** Releases the registers that `inside` allocates. */
  scope(inside: () => void): void {
    const mark = this.registers.mark
    inside()
    this.registers.release(mark)
  }

  /**
   * Clears free registers, so that their values can be garbage-collected as early as in the unprotected
   * script.
   */
  forget(at: Offset): void {
    this.clear(this.registers.stale(this.registers.mark), at)
  }

  /** Clears registers that are no longer read. */
  clear(places: readonly Location[], at: Offset): void {
    const targets = places.slice(0, MAX_CLEARED).map((place) => registerNode(place, at))
    if (targets.length === 0 || this.isClosed) return
    this.push(1, { kind: 'Assign', at, targets, values: [{ kind: 'NilLiteral', at }] })
  }

  // --- trees

  /**
   * Replaces the variables in a tree with registers and protects the functions in it. The result must be part
   * of the next instruction.
   */
  mapped<N extends Node>(node: N): N {
    return rewrite(node, this.#mapping)
  }

  #placed(symbol: SymbolId, at: Offset): Expression | undefined {
    const place = this.shared.places.get(symbol)
    return place && valueNode(place, at)
  }

  /**
   * A variable that goes out of scope before its function returns is passed to a nested function in a
   * separate local. The local contains the variable's value if it never changes, and its cell otherwise.
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

  /** Like `function`, but for a function that refers to itself through the `own` local. */
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
