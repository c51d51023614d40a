/**
 * The string pool of `encrypt-strings`, which is one table of ciphertexts per chunk. Each string is decrypted
 * when it is first read.
 */

import type { IntegrityKey } from '../anti-tamper/integrity-key.ts'
import type { PassContext } from '../pass-context.ts'
import { instantiate } from '../semantics/template.ts'
import type { Expression, NumberLiteral, Offset, Statement, StringLiteral } from '../syntax/ast.ts'
import { NOWHERE } from '../syntax/line-map.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { varyGenerated } from '../vary/vary-generated.ts'
import { createStringCipher, type StringCipher } from './string-cipher.ts'

// LuaJIT rejects a function with 65,536 constants, and all ciphertexts are constants of the same function.
const MAX_STRINGS = 60_000

/** An index that `shuffle` may still change. */
type Movable = { -readonly [K in keyof NumberLiteral]: NumberLiteral[K] }

/** The strings in the pool, by number. */
export class StringPool {
  readonly #numbers = new Map<string, number>()
  readonly #indexes: Movable[] = []
  /** The local that holds the table of strings. */
  readonly symbol: number
  readonly #context: PassContext
  #cipher: StringCipher
  count = 0

  constructor(context: PassContext) {
    this.#context = context
    this.symbol = context.symbols.fresh()
    this.#cipher = createStringCipher(context.random)
  }

  get isEmpty(): boolean {
    return this.#numbers.size === 0
  }

  get isFull(): boolean {
    return this.#numbers.size >= MAX_STRINGS
  }

  /**
   * Adds a string.
   * @returns the number of the string; 0 if the pool is full and the string must stay where it is.
   */
  add({ value }: StringLiteral): number {
    const number = this.#numbers.get(value) ?? (this.isFull ? 0 : this.#numbers.size + 1)
    if (number === 0) return 0
    this.#numbers.set(value, number)
    this.count += 1
    return number
  }

  /**
   * Builds the expression that reads a string at run time. The expression contains a number that `add`
   * returned, until `shuffle` replaces it.
   */
  readonly read = (number: number, at: Offset): Expression => {
    const index: Movable = { kind: 'NumberLiteral', at, value: number }
    this.#indexes.push(index)
    const make = nodesAt(at)
    return make.index(make.use(this.symbol), index)
  }

  /** Assigns the strings random positions, once all of them have been added. */
  shuffle(): void {
    const places = this.#context.random.shuffle(Array.from({ length: this.#numbers.size }, (_, i) => i + 1))
    const placeOf = (number: number) => places[number - 1] as number
    for (const index of this.#indexes) index.value = placeOf(index.value)
    const moved = [...this.#numbers].map(([text, number]) => [text, placeOf(number)] as const)
    this.#numbers.clear()
    for (const [text, place] of moved.toSorted((a, b) => a[1] - b[1])) this.#numbers.set(text, place)
  }

  prologue(at: Offset, share: number): readonly Statement[] {
    const make = nodesAt(at)
    const texts = [...this.#numbers].map(([text, number]) =>
      make.string(this.#cipher.encrypt(text, this.#cipher.keyOf(number))),
    )
    const holes = { strings: this.symbol, ciphertexts: make.table(texts), ...this.#cipher.holes(at) }
    const { random, symbols, frozen } = this.#context
    const decryption = instantiate(this.#cipher.numberedLua, holes, symbols, at)
    return [make.local([this.symbol]), ...varyGenerated(decryption, random, share, frozen)]
  }

  /** Like `prologue`, but bound to the integrity key. */
  checkedPrologue(integrity: IntegrityKey): readonly Statement[] {
    const make = nodesAt(NOWHERE)
    const [offset, finish] = [this.#context.symbols.fresh(), this.#context.symbols.fresh()]
    const opening = integrity.opening()
    const after = integrity.afterStream(0)
    const { alphabet, numberedCheckedLua: numberedMixed, ...cipher } = this.#cipher
    const texts = [...this.#numbers].map(([text, number]) =>
      cipher.encrypt(text, cipher.keyOf(number) + after.mix),
    )
    for (const each of [alphabet, ...texts]) integrity.addText(each)
    const ciphertexts = make.table(texts.map((each) => make.string(each)))
    const holes = { offset, finish }
    const strings = integrity.instantiate(numberedMixed, {
      ...{ strings: this.symbol, ciphertexts, ...holes },
      ...cipher.holes(NOWHERE),
    })
    const closing = integrity.closingStrings(after, holes)
    return [
      make.local([this.symbol]),
      make.do([make.local([offset, finish]), ...opening, ...strings, ...integrity.ending(), closing]),
    ]
  }
}
