/**
 * The constant pool of virtualised code. A number is written as the difference from the opcode of its
 * handler. A string has an index that is such a difference, and its key is another: without the stream
 * neither can be read, and the function alone cannot decrypt strings of code that does not run. Strings are
 * decrypted at every use and not cached; only field names, which are in memory as keys of the script's own
 * tables, are cached once they are used often.
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

/** The state of the stream in one handler: a local, and its value there. */
export type ArmKey = {
  readonly symbol: SymbolId
  readonly value: number
  /** Constants written for this function so far. */
  readonly spent: { count: number }
  /**
   * Puts an integer into the stream as an operand of the handler and returns the expression that reads it;
   * null: write it as a difference.
   */
  word(value: number): Expression | null
}

/** LuaJIT allows 65,536 constants in a function. Above this, numbers stay literals. */
const MAX_LITERALS = 20_000

/** Constants of a loop that are hoisted into locals before it. */
const MAX_HOISTED = 16

/** Shorter texts are cached like names: they reveal nothing, and hot code compares with them. */
const MIN_SECRET_LENGTH = 4

export function isSecretString({ value }: StringLiteral): boolean {
  return value.length >= MIN_SECRET_LENGTH
}

/**
 * What must run before a statement, by hidden constant: the local that holds it, or the statement that fills
 * its register.
 */
type Before = Map<string, { readonly symbol: SymbolId; readonly value: Expression } | Statement>

type PoolOptions = {
  /** Literals of a loop, and the register that caches each from its first use until the loop ends. */
  readonly registers: ReadonlyMap<Node, Location>
  /** Numbers that the author wants hidden wherever they stand. */
  readonly insisted: ReadonlySet<Node>
  /** The script names LuaJIT's `ffi`. */
  readonly hasForeign: boolean
}

export class ConstantPool {
  /** The local of the chunk that holds the strings. */
  readonly symbol: SymbolId
  readonly #context: PassContext
  readonly #insisted: ReadonlySet<Node>
  readonly #cipher: StringCipher
  readonly #known = new Map<string, Hidden>()
  readonly #registers: ReadonlyMap<Node, Location>
  /** LuaJIT's 64-bit integers are not numbers but compare equal to them. */
  readonly #mayBeBoxed: boolean
  /** Keys may derive from compared values. Not where LuaJIT's enums may occur, which equal strings. */
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

  /** How the state is computed from a value. In Lua 5.4 it may be a float, and the state is an integer. */
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

  /** The statement with its constants hidden, after the statements it needs. */
  hide(statement: Statement, key: ArmKey): readonly Statement[] {
    const before: Before = new Map()
    const hidden = rewrite(statement, this.#visitors(key, before))
    return [...statementsOf(before, statement.at), hidden]
  }

  /** The expression with its constants hidden, and the statements that must run before it. */
  hideIn(
    expression: Expression,
    key: ArmKey,
  ): { readonly before: readonly Statement[]; readonly hidden: Expression } {
    const before: Before = new Map()
    const hidden = rewrite(expression, this.#visitors(key, before))
    return { before: statementsOf(before, expression.at), hidden }
  }

  #visitors(key: ArmKey, before: Before): Visitors {
    const { frozen, symbols } = this.#context
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
    const hold = (id: string, node: Expression, make: () => Expression): Expression | undefined => {
      if (loops === 0) return make()
      const known = before.get(id)
      if (!known && before.size >= MAX_HOISTED) return undefined
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
   * The same for a local that is declared already. `mix` is a shared name of the integrity key, and its
   * value.
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

/** A string: its index in the table, and its key. */
type Hidden = { readonly number: number; readonly key: number }

/** The statements that fill registers, and one declaration for all locals. */
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

/** The factor that makes the number an integer whose quotient is exactly the number; null: it stays. */
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
