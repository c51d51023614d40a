// The instruction stream of a chunk: the words of all functions in one table, which the output makes of a text when it
// starts. What a word means only the function knows that it is for.

import { nodesAt } from '../passes/build.ts'
import type { Work } from '../passes/pass.ts'
import { instantiate } from '../passes/template.ts'
import type { Random } from '../random.ts'
import type { Symbols } from '../semantics/symbols.ts'
import type { Node, Offset, Statement, SymbolId } from '../syntax/ast.ts'
import type { Edit, Watermark } from '../watermark.ts'

const SYMBOLS = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).filter(
  (c) => c !== '"' && c !== '\\',
)
const BASE = SYMBOLS.length

/** Words that nothing reads, behind one arm. */
const MOST_DECOYS = 24
/** The same between two regions. */
const MOST_PADDING = 400
/** About as much source has one arm that may be followed by them, twice. */
const BYTES_PER_PLACE = 130

/** One word at its index, as Lua counts. */
export type Word = { readonly index: number; readonly word: number }

export class Words {
  /** The local of the chunk that holds the table; at 0 it says whether the host looks methods up first. */
  readonly symbol: SymbolId
  readonly #symbols: Symbols
  readonly #watermark: Watermark
  readonly #words: number[] = []
  /** Words that may stand instead of others; each entry means the same only as a whole. */
  readonly #offers: (readonly Word[])[] = []
  /** The same of words that nothing reads. */
  readonly #decoys: (readonly Word[])[] = []
  readonly #mostDecoys: number

  constructor(work: Work) {
    const { watermark, sourceSize } = work.facts
    this.#symbols = work.symbols
    this.#watermark = watermark
    this.#mostDecoys = Math.min(MOST_DECOYS, Math.round((watermark.wanted / sourceSize) * BYTES_PER_PLACE))
    this.symbol = work.symbols.fresh()
  }

  get count(): number {
    return this.#words.length
  }

  /** Makes room. @returns the index of its first word, as Lua counts. */
  reserve(words: readonly number[]): number {
    const first = this.#words.length + 1
    for (const word of words) this.#words.push(word)
    return first
  }

  set(index: number, word: number): void {
    this.#words[index - 1] = word
  }

  /** Says that these words in their places change nothing. */
  offer(words: readonly Word[]): void {
    this.#offers.push(words)
  }

  /** Whether the caller would have more places that may be written in two ways. */
  get wantsOffers(): boolean {
    return this.#watermark.wanted > 0
  }

  /** How many words that nothing reads may stand behind an arm. */
  decoysHere(random: Random): number {
    return this.#mostDecoys > 0 && this.#missing > 0 ? random.int(0, this.#mostDecoys) : 0
  }

  /** Words that nothing reads between two regions, when there are too few places inside them. */
  pad(random: Random): void {
    if (this.#mostDecoys < MOST_DECOYS) return
    const count = random.int(0, Math.max(0, Math.min(MOST_PADDING, this.#missing)))
    for (let i = 0; i < count; i++) this.decoy(this.reserve([0]), random)
  }

  /** Writes a word that nothing reads. */
  decoy(index: number, random: Random): void {
    const word = likeOperand(random)
    this.set(index, word)
    this.#decoys.push([{ index, word: word + random.int(1, 50_000) * (word > 65_536 ? -1 : 1) }])
  }

  get #missing(): number {
    return this.#watermark.wanted - this.#offers.length - this.#decoys.length
  }

  /** @param sealed takes the nodes that no other pass may change. */
  prologue(random: Random, sealed: Set<Node>, at: Offset): readonly Statement[] {
    const make = nodesAt(at)
    const alphabet = random.shuffle(SYMBOLS)
    while (this.#missing > 0) this.decoy(this.reserve([0]), random)
    const { lowest, digits } = this.#range()
    const spelled = (word: number) => spell(word - lowest, digits, alphabet)
    const text = this.#words.map(spelled).join('')
    this.#mark(text, random, ({ index, word }) => ({ at: (index - 1) * digits, text: spelled(word) }))
    const holes = {
      alphabet: make.string(alphabet.join('')),
      text: make.string(text),
      lowest: make.number(lowest),
    }
    for (const each of Object.values(holes)) sealed.add(each)
    const statements = instantiate(
      decoding(digits, random),
      { ...holes, stream: this.symbol },
      this.#symbols,
      at,
    )
    return [make.local([this.symbol]), ...statements]
  }

  #mark(stream: string, random: Random, editOf: (word: Word) => Edit): void {
    // Whoever watches which words are read can tell the others.
    const all = [...random.shuffle(this.#offers), ...random.shuffle(this.#decoys)]
    const taken = all.slice(0, this.#watermark.wanted)
    this.#watermark.stream = stream
    this.#watermark.slots = taken.map((words) => words.map(editOf))
  }

  #range(): { lowest: number; digits: number } {
    let lowest = 0
    let highest = 0
    const include = (word: number) => {
      if (word < lowest) lowest = word
      if (word > highest) highest = word
    }
    for (const word of this.#words) include(word)
    for (const words of [...this.#offers, ...this.#decoys]) for (const { word } of words) include(word)
    return { lowest, digits: highest - lowest < BASE ** 3 ? 3 : 4 }
  }
}

/** A number of an arm, and what an operand may add to it. */
function likeOperand(random: Random): number {
  return random.int(0, 131_071) + random.int(0, 1000)
}

function spell(value: number, digits: number, alphabet: readonly string[]): string {
  let text = ''
  for (let rest = value, i = 0; i < digits; i++) {
    text += alphabet[rest % BASE]
    rest = Math.floor(rest / BASE)
  }
  return text
}

/** Least digit first. Methods of strings, since the script may change the library. */
function decoding(digits: number, random: Random): string {
  const names = ['a', 'b', 'c', 'd'].slice(0, digits)
  const terms = names.map((name, i) => `values[${name}] * ${BASE ** i}`)
  return `
    do
      local byte, values, symbols, source, count = (' ').byte, {}, alphabet, text, 0
      for i = 1, ${BASE} do values[byte(symbols, i)] = i - 1 end
      stream = {[0] = _VERSION ~= 'Luau'}
      for i = 1, #source, ${digits} do
        local ${names.join(', ')} = byte(source, i, i + ${digits - 1})
        count = count + 1
        stream[count] = ${random.shuffle([...terms, 'lowest']).join(' + ')}
      end
    end`
}
