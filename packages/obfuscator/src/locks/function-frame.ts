/** The registers and variables of a function while the function is compiled to bytecode. */

import type { FunctionExpression, Node, SymbolId } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import type { Variables } from '../vm/variables.ts'
import { type Assembler, createLabel, type Label, type Operand } from './bytecode.ts'
import type { Opcode } from './machine.ts'

/**
 * The location of a variable: a register or an upvalue. The location contains either the value itself or a
 * cell with the value.
 */
export type Place = { readonly index: number; readonly isUpvalue: boolean; readonly isCell: boolean }

/** The symbol of a local, or the name of a global. A global is treated as an upvalue with this key. */
export type VariableKey = SymbolId | string

export type LoopLabels = { readonly onBreak: Label; readonly onContinue: Label }

/** The state shared by a locked function and all functions nested in it. */
export type Compilation = {
  readonly code: Assembler
  readonly variables: Variables
  /** Nested functions that have not been compiled yet. */
  readonly pending: {
    readonly node: FunctionExpression
    readonly start: Label
    readonly frame: FunctionFrame
  }[]
}

export class FunctionFrame {
  readonly shared: Compilation
  readonly parameters: number
  readonly loops: LoopLabels[] = []
  readonly #places: Map<VariableKey, Place>
  #top = 0
  #highest = 0
  /** Whether a variable of the block may hold a value that the garbage collector could free. */
  #holds = false

  constructor(shared: Compilation, node: FunctionExpression, upvalues: ReadonlyMap<VariableKey, Place>) {
    this.shared = shared
    this.parameters = node.parameters.length
    this.#places = new Map(upvalues)
  }

  emit(opcode: Opcode, ...operands: readonly Operand[]): void {
    this.shared.code.emit(opcode, ...operands)
  }

  place(label: Label): void {
    this.shared.code.place(label)
  }

  // --- registers

  get top(): number {
    return this.#top
  }

  allocate(count = 1): number {
    const first = this.#top + 1
    this.#top += count
    this.#highest = Math.max(this.#highest, this.#top)
    return first
  }

  /**
   * Returns the register for a result that is built from the registers after it. This is the target if no
   * later register is in use, and otherwise a new register.
   */
  baseFor(target: number): number {
    return target === this.#top ? target : this.allocate()
  }

  release(top: number): void {
    this.#top = top
  }

  /** Compiles part of the function and frees its registers afterward. */
  scope<T>(inside: () => T): T {
    const top = this.#top
    const result = inside()
    this.#top = top
    return result
  }

  /** Clears the registers above the ones in use, so that their values can be garbage-collected. */
  clear(): void {
    if (this.#highest > this.#top) this.emit('clear', this.#top + 1, this.#highest)
    this.#highest = this.#top
  }

  /** Records that the block has values that can be garbage-collected. */
  hold(): void {
    this.#holds = true
  }

  /** Like `scope`, but for a block that declares variables. They go out of scope at the end of the block. */
  block(inside: () => boolean): void {
    const [top, highest, holds] = [this.#top, this.#highest, this.#holds]
    this.#highest = top
    this.#holds = false
    const isLeft = inside()
    const used = this.#highest
    this.#top = top
    if (this.#holds && !isLeft) this.clear()
    this.#holds ||= holds
    // A jump out of the block skips the instruction that clears the registers, so the enclosing block must
    // clear them too.
    this.#highest = Math.max(highest, used)
  }

  // --- variables

  /** Whether several functions use the variable. If so, the variable needs a cell. */
  isShared(symbol: SymbolId, isRecursive = false): boolean {
    const variable = this.shared.variables.get(symbol)
    return variable?.isCaptured === true && (variable.isAssigned || isRecursive)
  }

  /** Declares a variable whose value is in the register. */
  declare(symbol: SymbolId, register: number): void {
    const isCell = this.isShared(symbol)
    if (this.shared.variables.get(symbol)?.mayHold !== false) this.hold()
    if (isCell) this.emit('makeCell', register)
    this.#places.set(symbol, { index: register, isUpvalue: false, isCell })
  }

  /** Declares a local function. Its body may refer to the variable. */
  declareRecursive(symbol: SymbolId): Place {
    const index = this.allocate()
    const isCell = this.isShared(symbol, true)
    this.hold()
    this.emit('clear', index, index)
    if (isCell) this.emit('makeCell', index)
    const place = { index, isUpvalue: false, isCell }
    this.#places.set(symbol, place)
    return place
  }

  placeOf(key: VariableKey): Place {
    const place = this.#places.get(key)
    if (!place) throw new Error(`a locked function has no variable ${key}`)
    return place
  }

  /** Creates a nested function in a register. */
  closure(node: FunctionExpression, target: number): void {
    const captured = [...freeVariables(node)]
    this.scope(() => {
      const base = this.baseFor(target)
      const upvalues = new Map<VariableKey, Place>()
      for (const [i, key] of captured.entries()) {
        const { index, isUpvalue, isCell } = this.placeOf(key)
        this.emit(isUpvalue ? 'upvalue' : 'move', this.allocate(), index)
        upvalues.set(key, { index: i + 1, isUpvalue: true, isCell })
      }
      const start = createLabel()
      this.emit('closure', base, start, captured.length)
      if (base !== target) this.emit('move', target, base)
      this.shared.pending.push({ node, start, frame: new FunctionFrame(this.shared, node, upvalues) })
    })
  }
}

/** Returns the variables and globals that a function uses but does not declare. */
export function freeVariables(node: FunctionExpression): ReadonlySet<VariableKey> {
  const used = new Set<VariableKey>()
  const own = new Set<SymbolId>()
  rewrite(node, {
    Binding: ({ symbol }) => void own.add(symbol),
    LocalName: ({ symbol }) => void used.add(symbol),
    GlobalName: ({ name }) => void used.add(name),
  })
  for (const symbol of own) used.delete(symbol)
  return used
}

export function isMany({ kind }: Node): boolean {
  return kind === 'Call' || kind === 'MethodCall' || kind === 'Vararg'
}
