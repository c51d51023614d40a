/**
 * The instruction stream of a chunk: the words of all functions in one table, which the output decodes from
 * a string at startup. The meaning of a word depends on the function that reads it.
 */

import type { IntegrityKey, StreamSum } from '../anti-tamper/integrity-key.ts'
import type { OrderMark } from '../order-watermark/order-marks.ts'
import type { PassContext } from '../pass-context.ts'
import type { Random } from '../random.ts'
import type { Symbols } from '../semantics/symbols.ts'
import { freezeStrings, instantiate } from '../semantics/template.ts'
import type { Expression, Node, NumberLiteral, Offset, Statement, SymbolId } from '../syntax/ast.ts'
import { NOWHERE } from '../syntax/line-map.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { NO_SERVED_NUMBERS, type ServedNumber, type ServedNumbers } from '../varied-numbers/served-numbers.ts'
import { middleOf, type Variation } from '../varied-numbers/variation.ts'
import type { StreamSlots } from '../watermark.ts'
import { WordList } from './word-list.ts'
import { BASE, spellWord } from './word-spelling.ts'

const SYMBOLS = Array.from({ length: BASE + 2 }, (_, i) => String.fromCharCode(32 + i)).filter(
  (c) => c !== '"' && c !== '\\',
)

/** Maximum number of unused words (decoys) after one handler. */
const MAX_DECOYS = 24
/** Maximum number of unused words between two regions. */
const MAX_PADDING = 400
/** Decoys are below this value, which is more than twice the largest checksum modulus. */
const MAX_OPERAND = 132_071
/**
 * Twice the average number of source bytes per handler that can have decoys. It is doubled because handlers
 * get half of the maximum number of decoys on average.
 */
const BYTES_PER_PLACE = 130

/** A word and its 1-based index. */
export type Word = { readonly index: number; readonly word: number }

/** An alternative encoding. */
type Offer = { readonly words: readonly Word[]; readonly mark: OrderMark | null }

/** A number that the output computes at startup, and the chunk's local that contains the number. */
export type Salt = { readonly symbol: SymbolId; readonly value: number }

/** The modulus of the salt. It keeps products exact and below LuaJIT's 2^53. */
const SALT_MODULUS = 131_071

export class InstructionStream extends WordList {
  /**
   * The chunk's local for the table of words. Index 0 of the table stores whether the host looks up methods
   * before evaluating the arguments.
   */
  readonly symbol: SymbolId
  /**
   * The salt is part of every key of the stream. Without it, the tables of a running script are not enough to
   * decode the stream.
   */
  readonly salt: Salt
  readonly #alphabet: readonly string[]
  readonly #saltFactor: number
  readonly #frozen: Set<Node>
  readonly #symbols: Symbols
  readonly #varied: ReadonlyMap<Node, Variation>
  /** Indexes of the words that encode numbers that differ between keys. */
  readonly #numbers = new Map<Variation, number[]>()
  readonly #slotsWanted: number
  /** The watermark slots; null until the stream has been encoded. */
  slots: StreamSlots | null = null
  /** Alternative encodings. The words of each entry must be changed together. */
  readonly #offers: Offer[] = []
  /** Indexes of unused words. */
  readonly #decoys: number[] = []
  /** Whether an alternative changes the checksum of the stream unless a decoy compensates for it. */
  readonly #isSummed: boolean
  readonly #mostDecoys: number

  /** @param isSummed whether the output verifies the checksum of the stream. */
  constructor(context: PassContext, isSummed: boolean) {
    super()
    const { slotsWanted, source, frozen } = context
    this.#isSummed = isSummed
    this.#frozen = frozen
    this.#alphabet = context.random.shuffle(SYMBOLS)
    this.#saltFactor = context.random.int(1009, 65_521)
    this.#symbols = context.symbols
    this.#varied = context.varied
    this.#slotsWanted = slotsWanted
    this.#mostDecoys = Math.min(MAX_DECOYS, Math.round((slotsWanted / source.size) * BYTES_PER_PLACE))
    this.symbol = context.symbols.fresh()
    this.salt = { symbol: context.symbols.fresh(), value: saltOf(this.#alphabet, this.#saltFactor) }
  }

  get count(): number {
    return this.words.length
  }

  /** Builds an expression for a number that depends on the salt. */
  salted(value: number, at: Offset): Expression {
    const make = nodesAt(at)
    const distance = make.number(Math.abs(value - this.salt.value))
    this.#frozen.add(distance)
    return make.binary(make.use(this.salt.symbol), value < this.salt.value ? '-' : '+', distance)
  }

  /**
   * Offers these words as an alternative with the same meaning. A mark describes how to read from a lifted
   * copy which alternative was chosen.
   */
  offer(words: readonly Word[], mark: OrderMark | null = null): void {
    this.#offers.push({ words, mark })
  }

  /** Whether the caller requested watermark slots. */
  get wantsOffers(): boolean {
    return this.#slotsWanted > 0
  }

  /** The number of decoys to insert after a handler. */
  decoysHere(random: Random): number {
    return this.#mostDecoys > 0 && this.#missing > 0 ? random.int(0, this.#mostDecoys) : 0
  }

  /** Adds decoys between two regions if the regions have too few slots. */
  pad(random: Random): void {
    if (this.#mostDecoys < MAX_DECOYS) return
    const count = random.int(0, Math.max(0, Math.min(MAX_PADDING, this.#missing)))
    for (let i = 0; i < count; i++) this.decoy(this.reserve([0]), random)
  }

  /** Makes a word a decoy that looks like an operand. */
  decoy(index: number, random: Random): void {
    this.set(index, likeOperand(random))
    this.#decoys.push(index)
  }

  /** Records that a word encodes this number and differs between keys. */
  vary(node: Node, index: number): void {
    const variation = this.#varied.get(node)
    if (variation) this.#numbers.set(variation, [...(this.#numbers.get(variation) ?? []), index])
  }

  /** Reserves a word for a number that differs between keys, and builds an expression that reads it. */
  readVaried(node: NumberLiteral): Expression {
    const index = this.reserve([node.value])
    this.vary(node, index)
    const make = nodesAt(node.at)
    const key = make.number(index)
    this.#frozen.add(key)
    return make.index(make.use(this.symbol), key)
  }

  get #missing(): number {
    const offers = this.#isSummed ? 0 : this.#offers.length
    return this.#slotsWanted - offers - this.#decoys.length
  }

  prologue(random: Random, at: Offset): readonly Statement[] {
    const make = nodesAt(at)
    const { lowest, digits, holes } = this.#written(random, null, at)
    const whole = { ...holes, lowest: make.number(lowest), stream: this.symbol }
    for (const each of Object.values(whole)) if (typeof each !== 'number') this.#frozen.add(each)
    const keep = (terms: readonly string[]) =>
      `stream[count] = ${random.shuffle([...terms, 'lowest']).join(' + ')}`
    const open = "stream = {[0] = _VERSION ~= 'Luau'}"
    const statements = instantiate(decoding(digits, { open, keep }), whole, this.#symbols, at)
    return [make.local([this.symbol, this.salt.symbol]), ...freezeStrings(statements, this.#frozen)]
  }

  /**
   * Like `prologue`, but for a local that is already declared. The lowest word is subtracted from all words,
   * which then become part of the integrity key and its checksum.
   */
  checkedPrologue(random: Random, integrity: IntegrityKey): CheckedStream {
    const { lowest, digits, holes } = this.#written(random, integrity.stream, NOWHERE)
    const keep = (terms: readonly string[]) =>
      `local word = ${random.shuffle(terms).join(' + ')} ${integrity.keepWord}`
    const statements = integrity.instantiate(decoding(digits, { open: 'add(symbols)', keep }), holes)
    integrity.addText(holes.alphabet.value)
    const { factor, modulus } = integrity.stream
    const sum = this.words.reduce((value, word) => (value * factor + word - lowest) % modulus, 0)
    return { statements, sum, lowest }
  }

  #written(random: Random, sum: StreamSum | null, at: Offset) {
    const make = nodesAt(at)
    const alphabet = this.#alphabet
    while (this.#missing > 0) this.decoy(this.reserve([0]), random)
    const balances = [...this.#numbers].map(() => sum && this.reserve([random.int(0, sum.modulus - 1)]))
    const offers = this.#chosen(random, sum !== null)
    const slots = this.#slots(offers, random, sum)
    const { lowest, digits } = this.#range(slots)
    const spelled = (word: number) => spellWord(word - lowest, digits, alphabet)
    const text = this.words.map(spelled).join('')
    this.slots = {
      stream: text,
      slots: slots.map((words) =>
        words.map(({ index, word }) => ({ at: (index - 1) * digits, text: spelled(word) })),
      ),
      marks: offers.flatMap(({ mark }) => mark ?? []),
      numbers: this.#served(balances, sum, { lowest, digits }),
    }
    const holes = {
      alphabet: make.string(alphabet.join('')),
      text: make.string(text),
      factor: make.number(this.#saltFactor),
      salt: this.salt.symbol,
    }
    return { lowest, digits, holes }
  }

  /** @param balances for each number, the index of the word that keeps the checksum constant. */
  #served(
    balances: readonly (number | null)[],
    sum: StreamSum | null,
    { lowest, digits }: { readonly lowest: number; readonly digits: number },
  ): ServedNumbers {
    if (balances.length === 0) return NO_SERVED_NUMBERS
    const weights = sum && weightsOf(this.words.length, sum)
    const list = [...this.#numbers].map(([variation, indexes], i): ServedNumber => {
      const middle = middleOf(variation)
      const place = (index: number, word: number) => ({ at: (index - 1) * digits, word })
      const words = indexes.map((index) => place(index, (this.words[index - 1] as number) - middle))
      const balance = balances[i] ?? null
      if (balance === null || weights === null) return { ...variation, words, balance: null }
      const { of, modulus } = weights
      const weight = indexes.reduce((all, index) => (all + (of[index - 1] as number)) % modulus, 0)
      const ratio = (weight * inverse(of[balance - 1] as number, modulus)) % modulus
      const lowestWord = modulo((this.words[balance - 1] as number) + middle * ratio, modulus)
      return { ...variation, words, balance: { ...place(balance, lowestWord), ratio } }
    })
    const modulus = weights?.modulus ?? 1
    return { alphabet: this.#alphabet.join(''), digits, least: lowest, modulus, list }
  }

  /** Selects the alternatives to use. Those that survive lifting come first. */
  #chosen(random: Random, isSummed: boolean): readonly Offer[] {
    const isMarked = ({ mark }: Offer) => mark !== null
    const others = random.shuffle(this.#offers.filter((each) => !isMarked(each)))
    const most = Math.min(this.#slotsWanted, isSummed ? this.#decoys.length : this.#offers.length)
    return [...this.#offers.filter(isMarked), ...others].slice(0, most)
  }

  /** Alternatives come before decoys. An attacker can recognize decoys by watching which words are read. */
  #slots(offers: readonly Offer[], random: Random, sum: StreamSum | null): (readonly Word[])[] {
    const decoys = random.shuffle(this.#decoys)
    const weights = sum && weightsOf(this.words.length, sum)
    const taken = offers.map(({ words }) =>
      weights ? [...words, this.#balance(words, decoys.pop() as number, weights, random)] : words,
    )
    const others = decoys.map((index) => [
      weights
        ? this.#balance([], index, weights, random)
        : another(index, this.words[index - 1] ?? 0, random),
    ])
    return [...taken, ...others].slice(0, this.#slotsWanted)
  }

  /** Selects a decoy's value such that the checksum stays constant when the words change. */
  #balance(words: readonly Word[], index: number, weights: Weights, random: Random): Word {
    const { modulus } = weights
    const weightAt = (each: number) => weights.of[each - 1] ?? 0
    const current = (each: number) => this.words[each - 1] ?? 0
    const shift = words.reduce(
      (sum, each) => sum + (each.word - current(each.index)) * weightAt(each.index),
      0,
    )
    const owed = (modulo(-shift, modulus) * inverse(weightAt(index), modulus)) % modulus
    const least = modulo(current(index) + owed, modulus)
    const choices = Array.from(
      { length: Math.ceil((MAX_OPERAND - least) / modulus) },
      (_, i) => least + i * modulus,
    )
    return { index, word: random.pick(choices.filter((each) => each !== current(index))) }
  }

  #range(slots: readonly (readonly Word[])[]): { lowest: number; digits: number } {
    let lowest = 0
    let highest = 0
    const include = (word: number) => {
      if (word < lowest) lowest = word
      if (word > highest) highest = word
    }
    for (const word of this.words) include(word)
    for (const words of slots) for (const { word } of words) include(word)
    for (const [variation, indexes] of this.#numbers) {
      const middle = middleOf(variation)
      for (const index of indexes) {
        for (const step of [-middle, middle]) include((this.words[index - 1] as number) + step)
      }
    }
    return { lowest, digits: highest - lowest < BASE ** 3 ? 3 : 4 }
  }
}

/** The input of the integrity key: the checksum, and the number that is added to every word. */
type CheckedStream = {
  readonly statements: readonly Statement[]
  readonly sum: number
  readonly lowest: number
}

/** The weight of each word in the checksum, by 0-based index. */
type Weights = { readonly of: readonly number[]; readonly modulus: number }

function weightsOf(count: number, { factor, modulus }: StreamSum): Weights {
  const of: number[] = Array.from({ length: count }, () => 1)
  for (let i = count - 2; i >= 0; i--) of[i] = ((of[i + 1] as number) * factor) % modulus
  return { of, modulus }
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by
}

/** The inverse modulo a prime, by Fermat's little theorem. */
function inverse(value: number, modulus: number): number {
  let [result, square] = [1, value]
  for (let left = modulus - 2; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = (result * square) % modulus
    square = (square * square) % modulus
  }
  return result
}

function another(index: number, word: number, random: Random): Word {
  return { index, word: word + random.int(1, 50_000) * (word > 65_536 ? -1 : 1) }
}

function saltOf(alphabet: readonly string[], factor: number): number {
  return alphabet.reduce((salt, symbol) => (salt * factor + symbol.charCodeAt(0)) % SALT_MODULUS, 0)
}

/** Generates a value that looks like an opcode plus an operand. */
function likeOperand(random: Random): number {
  return random.int(0, MAX_OPERAND - 1000) + random.int(0, 1000)
}

/**
 * Specifies how the decoder stores words: `open` is the code before the first word, and `keep` builds the
 * statement for each word from the terms of its sum.
 */
type Keeping = {
  readonly open: string
  readonly keep: (terms: readonly string[]) => string
}

/**
 * Decodes digits in little-endian order. Uses string methods, because the script may replace library
 * functions.
 */
function decoding(digits: number, { open, keep }: Keeping): string {
  const names = ['a', 'b', 'c', 'd'].slice(0, digits)
  const terms = names.map((name, i) => (i === 0 ? `values[${name}]` : `values[${name}] * ${BASE ** i}`))
  return `
    do
      local byte, values, symbols, source, count = (' ').byte, {}, alphabet, text, 0
      salt = 0
      for i = 1, ${BASE} do
        local symbol = byte(symbols, i)
        values[symbol] = i - 1
        salt = (salt * factor + symbol) % ${SALT_MODULUS}
      end
      ${open}
      for i = 1, #source, ${digits} do
        local ${names.join(', ')} = byte(source, i, i + ${digits - 1})
        count = count + 1
        ${keep(terms)}
      end
    end`
}
