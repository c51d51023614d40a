/**
 * Determines how a script declares and uses its variables, which decides what can move to the server with a
 * function.
 */

import { assignedNames } from '../macros/assigned-names.ts'
import { macroOf } from '../macros/macro-names.ts'
import type { Bytes, Call, Chunk, Expression, Local, Offset, SymbolId, Target } from '../syntax/ast.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'

/**
 * `value` is null for parameters, for loop variables, and for the results of a call that returns several
 * values.
 */
export type Declaration = { readonly name: Bytes; readonly at: Offset; readonly value: Expression | null }

/** Functions that only read the table in their first argument. */
const READERS: ReadonlySet<Bytes> = new Set(['pairs', 'ipairs', 'next', 'type', 'typeof', 'rawlen', 'rawget'])
/** Functions that change the table in their first argument. */
const CHANGERS: ReadonlySet<Bytes> = new Set(['rawset', 'setmetatable'])
const TABLE_CHANGERS: ReadonlySet<Bytes> = new Set(['insert', 'remove', 'sort', 'clear', 'freeze'])

export class ScriptUses {
  readonly declarations = new Map<SymbolId, Declaration>()
  /** Maps each variable to the position of the first assignment after its declaration. */
  readonly assigned = new Map<SymbolId, Offset>()
  /**
   * Maps each variable to the position of the first change to its table, by an assignment or a library
   * function.
   */
  readonly changed = new Map<SymbolId, Offset>()
  /**
   * Maps each variable to the position of the first use that could pass its table to code that changes the
   * table.
   */
  readonly shared = new Map<SymbolId, Offset>()
  /** Globals that the script assigns. They shadow the server's globals. */
  readonly globals: ReadonlySet<Bytes>
  /** Maps each expression to the variable or field that it is assigned to. */
  readonly names = new Map<Expression, Bytes>()
  /** Calls to `WARD_SERVER`, in source order. */
  readonly calls: Call[] = []
  readonly #onlyRead = new Set<Expression>()
  #depth = 0

  constructor(chunk: Chunk) {
    this.globals = assignedNames(chunk)
    rewrite(chunk, this.#visitors())
  }

  #visitors(): Visitors {
    const onlyRead = (node: Expression | undefined): void => void (node && this.#onlyRead.add(node))
    return {
      Local: { enter: (node) => this.#declare(node) },
      LocalFunction: { enter: ({ binding, func }) => this.#set(binding, func) },
      Binding: (node) => void (this.declarations.has(node.symbol) || this.#set(node, null)),
      Assign: {
        enter: ({ targets, values }) => {
          for (const [i, target] of targets.entries()) this.#assign(target, values[i])
        },
      },
      CompoundAssign: { enter: ({ target }) => this.#assign(target, undefined) },
      KeyedItem: { enter: ({ key, value }) => this.#name(value, key) },
      Index: { enter: ({ object }) => onlyRead(object) },
      MethodCall: { enter: ({ object }) => onlyRead(object) },
      Unary: { enter: ({ operator, operand }) => (operator === '#' ? onlyRead(operand) : undefined) },
      GenericFor: { enter: ({ values }) => onlyRead(values[0]) },
      Call: {
        enter: (node) => {
          onlyRead(node.callee)
          if (node.callee.kind === 'GlobalName' && READERS.has(node.callee.name)) onlyRead(node.args[0])
          const root = rootOf(changedBy(node))
          if (root !== null) keepFirst(this.changed, root, node.at)
          if (macroOf(node.callee) === 'server') {
            this.calls.push(node)
            this.#depth += 1
          }
        },
        leave: (_, original) => {
          if (macroOf(original.callee) === 'server') this.#depth -= 1
        },
      },
      LocalName: (node) => {
        if (this.#depth === 0 && !this.#onlyRead.has(node)) keepFirst(this.shared, node.symbol, node.at)
      },
    }
  }

  #declare({ bindings, values }: Local): void {
    const last = values.at(-1)
    const isOpen = last !== undefined && /^(Call|MethodCall|Vararg)$/.test(last.kind)
    for (const [i, binding] of bindings.entries()) {
      const value = values[i]
      if (value) this.names.set(value, binding.name)
      const missing: Expression | null = isOpen ? null : { kind: 'NilLiteral', at: binding.at }
      this.#set(binding, value ?? missing)
    }
  }

  #set({ symbol, name, at }: { symbol: SymbolId; name: Bytes; at: Offset }, value: Expression | null): void {
    this.declarations.set(symbol, { name, at, value })
  }

  #assign(target: Target, value: Expression | undefined): void {
    if (target.kind === 'LocalName') {
      keepFirst(this.assigned, target.symbol, target.at)
      this.#onlyRead.add(target)
      const declared = this.declarations.get(target.symbol)
      if (value && declared) this.names.set(value, declared.name)
    } else if (target.kind === 'GlobalName') {
      if (value) this.names.set(value, target.name)
    } else if (target.kind === 'Index') {
      const root = rootOf(target)
      if (root !== null) keepFirst(this.changed, root, target.at)
      if (value) this.#name(value, target.key)
    }
  }

  #name(value: Expression, key: Expression): void {
    if (key.kind === 'StringLiteral') this.names.set(value, key.value)
  }
}

/** Returns the variable at the start of a chain of fields; null if the chain doesn't start with one. */
export function rootOf(node: Expression | undefined): SymbolId | null {
  if (!node) return null
  if (node.kind === 'Index') return rootOf(node.object)
  return node.kind === 'LocalName' ? node.symbol : null
}

/** Returns the table that a call to a library function changes; undefined if it changes none. */
export function changedBy({ callee, args }: Call): Expression | undefined {
  if (callee.kind === 'GlobalName') return CHANGERS.has(callee.name) ? args[0] : undefined
  if (callee.kind !== 'Index' || callee.object.kind !== 'GlobalName') return undefined
  const isChange =
    callee.object.name === 'table' &&
    callee.key.kind === 'StringLiteral' &&
    TABLE_CHANGERS.has(callee.key.value)
  return isChange ? args[0] : undefined
}

function keepFirst(places: Map<SymbolId, Offset>, symbol: SymbolId, at: Offset): void {
  if (!places.has(symbol)) places.set(symbol, at)
}
