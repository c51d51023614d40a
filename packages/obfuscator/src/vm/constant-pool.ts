/**
 * The constant pool of virtualized code. A number is encoded as its difference from the opcode of its
 * handler. A string has an index and a key, which are both encoded in the same way. Numbers and strings
 * cannot be read without the stream, and the decryption function alone cannot decrypt strings of code that
 * does not run. Strings are decrypted on every use without a cache. Only field names are cached once they are
 * used often, because they are in memory anyway as keys of the script's tables.
 */

import type { IntegrityKey } from '../anti-tamper/integrity-key.ts'
import type { PassContext } from '../pass-context.ts'
import { freezeStrings, instantiate } from '../semantics/template.ts'
import {
  CACHED_DECRYPT_INDEX,
  createStringCipher,
  DECRYPT_INDEX,
  LAST_BYTE_INDEX,
  type StringCipher,
  TONUMBER_INDEX,
} from '../strings/string-cipher.ts'
import type {
  Expression,
  Node,
  NumberLiteral,
  Offset,
  Statement,
  StringLiteral,
  SymbolId,
} from '../syntax/ast.ts'
import { NOWHERE } from '../syntax/line-map.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'
import type { StateArithmetic } from './ir.ts'
import { type Location, valueNode } from './register-allocator.ts'

/**
 * The state of the stream in one handler: the local that contains the state, and its value in this handler.
 */
export type ArmKey = {
  readonly symbol: SymbolId
  readonly value: number
  /** Number of constants encoded in this function so far. */
  readonly spent: { count: number }
  /**
   * Adds an integer to the stream as an operand of the handler. Returns the expression that reads it, or
   * null to encode the integer as a difference.
   */
  word(value: number): Expression | null
  /** Adds a number that differs between keys to the stream, and returns the expression that reads it. */
  vary(node: NumberLiteral): Expression
}

/** LuaJIT allows 65,536 constants per function. Above this number, constants stay literals. */
const MAX_LITERALS = 20_000

/** Maximum number of constants to hoist out of a loop into locals. */
const MAX_HOISTED = 16

/**
 * Shorter strings are cached like names, because they reveal nothing and hot code often compares values with
 * them.
 */
const MIN_SECRET_LENGTH = 4

export function isSecretString({ value }: StringLiteral): boolean {
  return value.length >= MIN_SECRET_LENGTH
}

/**
 * Code that must run before a statement, keyed by hidden constant: the local for the constant, or the
 * statement that fills its register.
 */
type Before = Map<string, { readonly symbol: SymbolId; readonly value: Expression } | Statement>

type PoolOptions = {
  /** Literals in loops, with the register that caches each literal from its first use until the loop ends. */
  readonly registers: ReadonlyMap<Node, Location>
  /** Numbers that the author marked for protection, anywhere in the chunk. */
  readonly insisted: ReadonlySet<Node>
  /** Whether the script mentions LuaJIT's `ffi`. */
  readonly hasForeign: boolean
}

export class ConstantPool {
  /** The chunk's local for the table of strings. */
  readonly symbol: SymbolId
  readonly #context: PassContext
  readonly #insisted: ReadonlySet<Node>
  readonly #cipher: StringCipher
  readonly #known = new Map<string, Hidden>()
  readonly #registers: ReadonlyMap<Node, Location>
  /** Whether values may be LuaJIT's 64-bit integers, which are not numbers but compare equal to them. */
  readonly #mayBeBoxed: boolean
  /**
   * Whether keys can be derived from compared values. They cannot if LuaJIT enums may occur, because
   * LuaJIT enums compare equal to strings.
   */
  readonly keysFromValues: boolean
  #isUsed = false

  constructor(context: PassContext, { registers, insisted, hasForeign }: PoolOptions) {
    const { target } = context
    this.#mayBeBoxed = target === 'luajit' || target === 'any'
    this.keysFromValues = !(hasForeign && this.#mayBeBoxed)
    this.#context = context
    this.#insisted = insisted
    this.#registers = registers
    this.symbol = context.symbols.fresh()
    this.#cipher = createStringCipher(context.random)
  }

  get isEmpty(): boolean {
    return !this.#isUsed
  }

  /**
   * The operations that compute the state from a value. In Lua 5.4, the value may be a float, but the state
   * must be an integer.
   */
  stateArithmetic(at: Offset): StateArithmetic {
    this.#isUsed = true
    const make = nodesAt(at)
    const { target } = this.#context
    const tonumber = make.index(make.use(this.symbol), this.#literal(TONUMBER_INDEX, at))
    return {
      number: (value) => {
        if (target === 'lua54') return make.binary(value, '|', this.#literal(0, at))
        return this.#mayBeBoxed ? make.call(tonumber, value) : value
      },
      literal: (value) => this.#literal(value, at),
    }
  }

  /** Hides the constants of a statement. The result includes the statements that must run before it. */
  hide(statement: Statement, key: ArmKey): readonly Statement[] {
    const before: Before = new Map()
    const hidden = rewrite(statement, this.#visitors(key, before))
    return [...statementsOf(before, statement.at), hidden]
  }

  /** Hides the constants of an expression, and returns the statements that must run before it. */
  hideIn(
    expression: Expression,
    key: ArmKey,
  ): { readonly before: readonly Statement[]; readonly hidden: Expression } {
    const before: Before = new Map()
    const hidden = rewrite(expression, this.#visitors(key, before))
    return { before: statementsOf(before, expression.at), hidden }
  }

  #visitors(key: ArmKey, before: Before): Visitors {
    const { frozen, symbols, varied } = this.#context
    let loops = 0
    const loop = {
      enter: (node: Node): boolean | undefined => {
        if (frozen.has(node)) return false
        loops += 1
        return undefined
      },
      leave: (): undefined => {
        loops -= 1
      },
    }
    const hold = (
      id: string,
      node: Expression,
      make: () => Expression,
      isNeeded = false,
    ): Expression | undefined => {
      if (loops === 0) return make()
      const known = before.get(id)
      if (!known && before.size >= MAX_HOISTED && !isNeeded) return undefined
      const found = known && 'symbol' in known ? known : { symbol: symbols.fresh(), value: make() }
      before.set(id, found)
      return nodesAt(node.at).use(found.symbol)
    }
    const [bounds, names] = [new Set<Node>(), new Set<Node>()]
    const hideString = (node: StringLiteral): Expression | undefined => {
      const register = this.#registers.get(node)
      if (register === undefined)
        return hold(`s${node.value}`, node, () => this.#string(node, key, names.has(node)))
      const held = valueNode(register, node.at)
      const make = nodesAt(node.at)
      const fill = () => make.if(make.not(held), [make.assign(held, this.#string(node, key, false))])
      if (!before.has(`r${node.value}`)) before.set(`r${node.value}`, fill())
      return held
    }
    return {
      FunctionExpression: { enter: () => false },
      While: loop,
      Repeat: loop,
      GenericFor: loop,
      NumericFor: {
        enter(node) {
          for (const each of [node.start, node.limit, node.step]) if (each) bounds.add(each)
          return loop.enter(node)
        },
        leave: loop.leave,
      },
      Index: {
        enter({ key: name }) {
          if (name.kind === 'NumberLiteral' && name.value < 256) bounds.add(name)
          if (name.kind === 'StringLiteral') names.add(name)
        },
      },
      KeyedItem: { enter: (node) => void names.add(node.key) },
      NumberLiteral: (node) => {
        if (varied.has(node)) return hold(`v${node.at}`, node, () => key.vary(node), true)
        const isPlain = bounds.has(node) && !this.#insisted.has(node)
        if (isPlain || frozen.has(node) || key.spent.count > MAX_LITERALS) return undefined
        const scale = scaleOf(node.value)
        return scale === null ? undefined : hold(`n${node.value}`, node, () => this.#number(node, scale, key))
      },
      StringLiteral: (node) => (node.value === '' || frozen.has(node) ? undefined : hideString(node)),
    }
  }

  #number(node: NumberLiteral, scale: number, key: ArmKey): Expression {
    this.#context.report.counts.numbers += 1
    const whole = difference(Math.round(node.value * scale), key, node.at, this.#context.frozen)
    if (scale === 1) return whole
    const make = nodesAt(node.at)
    const divisor = make.number(scale)
    this.#context.frozen.add(divisor)
    return make.binary(whole, '/', divisor)
  }

  #string(node: StringLiteral, key: ArmKey, isName: boolean): Expression {
    this.#context.report.counts.strings += 1
    const make = nodesAt(node.at)
    const isLiteral = key.spent.count > MAX_LITERALS
    const written = (value: number) =>
      isLiteral ? this.#literal(value, node.at) : difference(value, key, node.at, this.#context.frozen)
    const strings = make.use(this.symbol)
    const of = (what: number) => make.index(strings, this.#literal(what, node.at))
    if (node.value.length === 1) {
      this.#isUsed = true
      return make.index(strings, written(node.value.charCodeAt(0)))
    }
    const { number, key: secret } = this.#hidden(node.value)
    if (!isName && isSecretString(node)) return make.call(of(DECRYPT_INDEX), written(number), written(secret))
    return {
      kind: 'Logical',
      at: node.at,
      operator: 'or',
      left: make.index(strings, written(number)),
      right: make.call(of(CACHED_DECRYPT_INDEX), written(number), written(secret)),
    }
  }

  #literal(value: number, at: Offset): Expression {
    const node = nodesAt(at).number(value)
    this.#context.frozen.add(node)
    return node
  }

  #hidden(text: string): Hidden {
    const known = this.#known.get(text) ?? {
      number: LAST_BYTE_INDEX + 1 + this.#known.size,
      key: this.#cipher.createKey(),
    }
    this.#isUsed = true
    this.#known.set(text, known)
    return known
  }

  prologue(at: Offset): readonly Statement[] {
    const make = nodesAt(at)
    const texts = [...this.#known].map(([text, { key }]) => make.string(this.#cipher.encrypt(text, key)))
    const holes = { strings: this.symbol, ciphertexts: make.table(texts), ...this.#cipher.holes(at) }
    for (const each of [...texts, ...Object.values(this.#cipher.holes(at)), ...Object.values(holes)]) {
      if (typeof each !== 'number') this.#context.frozen.add(each)
    }
    const decryption = instantiate(this.#cipher.keyed, holes, this.#context.symbols, at)
    return [make.local([this.symbol]), ...freezeStrings(decryption, this.#context.frozen)]
  }

  /**
   * Like `prologue`, but for a local that is already declared. `mix` is the value of the integrity key's
   * shared `mix` local.
   */
  checkedPrologue(integrity: IntegrityKey, mix: number): readonly Statement[] {
    const make = nodesAt(NOWHERE)
    const texts = [...this.#known].map(([text, { key }]) => this.#cipher.encrypt(text, key + mix))
    for (const each of [this.#cipher.alphabet, ...texts]) integrity.addText(each)
    const ciphertexts = make.table(texts.map((each) => make.string(each)))
    return integrity.instantiate(this.#cipher.keyedCheckedLua, {
      strings: this.symbol,
      ciphertexts,
      ...this.#cipher.holes(NOWHERE),
    })
  }
}

/** A string's index in the table, and its key. */
type Hidden = { readonly number: number; readonly key: number }

/** Returns the statements that fill registers, and a single declaration for all locals. */
function statementsOf(before: Before, at: Offset): readonly Statement[] {
  const list: Statement[] = []
  const symbols: SymbolId[] = []
  const values: Expression[] = []
  for (const each of before.values()) {
    if ('kind' in each) list.push(each)
    else {
      symbols.push(each.symbol)
      values.push(each.value)
    }
  }
  return symbols.length > 0 ? [...list, nodesAt(at).local(symbols, values)] : list
}

/** Sums of smaller numbers are exact in a double. */
const MAX_EXACT = 1e15
const MAX_SCALE = 1e12

/**
 * The factor that scales the number to an integer, such that dividing the integer by the factor yields
 * exactly the number. Null if there is no such factor; the number then stays a literal.
 */
function scaleOf(value: number): number | null {
  if (Object.is(value, -0) || Math.abs(value) > MAX_EXACT) return null
  for (let scale = 1; scale <= MAX_SCALE; scale *= 10) {
    const whole = Math.round(value * scale)
    if (Math.abs(whole) <= MAX_EXACT && whole / scale === value) return scale
  }
  return null
}

function difference(value: number, key: ArmKey, at: Offset, checkedPrologue: Set<Node>): Expression {
  const word = key.word(value)
  if (word) return word
  const make = nodesAt(at)
  const distance = make.number(Math.abs(key.value - value))
  checkedPrologue.add(distance)
  key.spent.count += 1
  if (value > key.value) return make.binary(make.use(key.symbol), '+', distance)
  return make.binary(make.use(key.symbol), '-', distance)
}
