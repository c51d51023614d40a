// Constants of virtualised code. A number is the difference from the number of its arm. A string is found in a table under
// such a difference, and the key that decrypts it when it is first needed is another: without the stream neither can be
// read, and who only has the table and its function cannot ask for strings of code that does not run.

import { nodesAt } from '../passes/build.ts'
import type { Work } from '../passes/pass.ts'
import { type Cipher, createCipher } from '../passes/string-cipher.ts'
import { instantiate } from '../passes/template.ts'
import type {
  Expression,
  Node,
  NumberLiteral,
  Offset,
  Statement,
  StringLiteral,
  SymbolId,
} from '../syntax/ast.ts'
import { NOWHERE } from '../syntax/sites.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'
import type { Seal } from './seal.ts'

/** The state of the stream in one arm: a local, and what it holds there. */
export type Key = {
  readonly symbol: SymbolId
  readonly value: number
  /** Constants that were written for this function so far. */
  readonly spent: { count: number }
  /** Puts an integer into the stream, behind the word of the arm, and gives what reads it; null: it does not belong there. */
  word(value: number): Expression | null
}

/** LuaJIT takes 65,536 constants in a function; above this, numbers stay as they are. */
const MOST_WRITTEN = 20_000

/** More constants than these are not kept in locals before a loop. */
const MOST_HELD = 16

export class Constants {
  /** The local of the chunk that holds the strings. */
  readonly symbol: SymbolId
  readonly #work: Work
  readonly #cipher: Cipher
  readonly #known = new Map<string, Hidden>()
  readonly #sealed: Set<Node>

  /** @param sealed nodes that are left as they are. */
  constructor(work: Work, sealed: Set<Node>) {
    this.#work = work
    this.#sealed = sealed
    this.symbol = work.symbols.fresh()
    this.#cipher = createCipher(work.random)
  }

  get isEmpty(): boolean {
    return this.#known.size === 0
  }

  /** The same statement with its constants hidden, after the locals that it needs. */
  hide(statement: Statement, key: Key): readonly Statement[] {
    const held = new Map<string, Held>()
    const hidden = rewrite(statement, this.#visitors(key, held))
    if (held.size === 0) return [hidden]
    const make = nodesAt(statement.at)
    const all = [...held.values()]
    return [
      make.local(
        all.map((each) => each.symbol),
        all.map((each) => each.value),
      ),
      hidden,
    ]
  }

  hideIn(expression: Expression, key: Key): Expression {
    return rewrite(expression, this.#visitors(key, new Map()))
  }

  #visitors(key: Key, held: Map<string, Held>): Visitors {
    let loops = 0
    const loop = {
      enter: (node: Node): boolean | undefined => {
        if (this.#sealed.has(node)) return false
        loops += 1
        return undefined
      },
      leave: (): undefined => {
        loops -= 1
      },
    }
    const hold = (id: string, node: Expression, make: () => Expression): Expression | undefined => {
      if (loops === 0) return make()
      const known = held.get(id)
      if (!known && held.size >= MOST_HELD) return undefined
      const found = known ?? { symbol: this.#work.symbols.fresh(), value: make() }
      held.set(id, found)
      return nodesAt(node.at).use(found.symbol)
    }
    const hideString = (node: StringLiteral) => hold(`s${node.value}`, node, () => this.#string(node, key))
    const bounds = new Set<Node>()
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
        enter(node) {
          if (node.key.kind === 'NumberLiteral' && node.key.value < 256) bounds.add(node.key)
        },
      },
      NumberLiteral: (node) => {
        const isPlain = bounds.has(node) && !this.#work.facts.insisted.has(node)
        if (isPlain || this.#sealed.has(node) || key.spent.count > MOST_WRITTEN) return undefined
        const scale = scaleOf(node.value)
        return scale === null ? undefined : hold(`n${node.value}`, node, () => this.#number(node, scale, key))
      },
      StringLiteral: (node) => (node.value === '' ? undefined : hideString(node)),
    }
  }

  #number(node: NumberLiteral, scale: number, key: Key): Expression {
    this.#work.facts.counts.numbers += 1
    const whole = difference(Math.round(node.value * scale), key, node.at, this.#sealed)
    if (scale === 1) return whole
    const make = nodesAt(node.at)
    const divisor = make.number(scale)
    this.#sealed.add(divisor)
    return make.binary(whole, '/', divisor)
  }

  #string(node: StringLiteral, key: Key): Expression {
    this.#work.facts.counts.strings += 1
    const make = nodesAt(node.at)
    const hidden = this.#hidden(node.value)
    const isLiteral = key.spent.count > MOST_WRITTEN
    const written = (value: number) =>
      isLiteral ? this.#literal(value, node.at) : difference(value, key, node.at, this.#sealed)
    const strings = make.use(this.symbol)
    const decrypt = make.index(strings, this.#literal(0, node.at))
    const [at, again, secret] = [hidden.number, hidden.number, hidden.key].map(written) as Three
    return {
      kind: 'Logical',
      at: node.at,
      operator: 'or',
      left: make.index(strings, at),
      right: make.call(decrypt, again, secret),
    }
  }

  #literal(value: number, at: Offset): Expression {
    const node = nodesAt(at).number(value)
    this.#sealed.add(node)
    return node
  }

  #hidden(text: string): Hidden {
    const known = this.#known.get(text) ?? { number: this.#known.size + 1, key: this.#cipher.createKey() }
    this.#known.set(text, known)
    return known
  }

  prologue(at: Offset): readonly Statement[] {
    const make = nodesAt(at)
    const texts = [...this.#known].map(([text, { key }]) => make.string(this.#cipher.encrypt(text, key)))
    const holes = { strings: this.symbol, ciphertexts: make.table(texts), ...this.#cipher.holes(at) }
    for (const each of [...texts, ...Object.values(this.#cipher.holes(at)), ...Object.values(holes)]) {
      if (typeof each !== 'number') this.#sealed.add(each)
    }
    const decryption = instantiate(this.#cipher.keyed, holes, this.#work.symbols, at)
    return [make.local([this.symbol]), ...decryption]
  }

  /** The same for a local that is declared already; `mix` is a shared name of the seal, and what it holds. */
  sealed(seal: Seal, mix: number): readonly Statement[] {
    const make = nodesAt(NOWHERE)
    const texts = [...this.#known].map(([text, { key }]) => this.#cipher.encrypt(text, key + mix))
    for (const each of [this.#cipher.alphabet, ...texts]) seal.add(each)
    const ciphertexts = make.table(texts.map(make.string))
    return seal.make(this.#cipher.mixed, {
      strings: this.symbol,
      ciphertexts,
      ...this.#cipher.holes(NOWHERE),
    })
  }
}

/** A string: its index in the table, and what it is encrypted with. */
type Hidden = { readonly number: number; readonly key: number }

type Three = [Expression, Expression, Expression]

type Held = { readonly symbol: SymbolId; readonly value: Expression }

/** Sums with it are exact in a double. */
const LARGEST = 1e15
const MOST_SCALE = 1e12

/** What a number must be multiplied with to be an integer whose quotient is exactly the number again; null: it stays. */
function scaleOf(value: number): number | null {
  if (Object.is(value, -0) || Math.abs(value) > LARGEST) return null
  for (let scale = 1; scale <= MOST_SCALE; scale *= 10) {
    const whole = Math.round(value * scale)
    if (Math.abs(whole) <= LARGEST && whole / scale === value) return scale
  }
  return null
}

function difference(value: number, key: Key, at: Offset, sealed: Set<Node>): Expression {
  const word = key.word(value)
  if (word) return word
  const make = nodesAt(at)
  const distance = make.number(Math.abs(key.value - value))
  sealed.add(distance)
  key.spent.count += 1
  if (value > key.value) return make.binary(make.use(key.symbol), '+', distance)
  return make.binary(make.use(key.symbol), '-', distance)
}
