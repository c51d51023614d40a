/**
 * The cipher of `lock-values`: encrypts texts under a string that the output does not contain, and hashes
 * that string so that it can be recognised. Three coupled generators whose products stay exact in a double.
 */

import type { Random } from '../random.ts'
import type { Bytes, Expression, Offset } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import {
  ALPHABET_SIZE,
  encodeBytes,
  FIRST_BYTE,
  ONE_SYMBOL_BYTES,
  printableCode,
} from './printable-encoding.ts'

/** Longer strings do not become keys. */
export const MAX_KEY_LENGTH = 64

/**
 * What the output contains of one block: its texts, encrypted. `base` is a number that only the key gives.
 */
export type LockedTexts = { readonly texts: readonly Bytes[]; readonly base: number }

export type ValueCipher = {
  /** What `hash` returns for the text in the output. */
  hash(text: Bytes): number
  /** @param number of the block, from 1. */
  lock(key: Bytes, number: number, texts: readonly Bytes[]): LockedTexts
  /** Lua that sets `hash` and `unlock`, with the holes below. */
  readonly lua: string
  holes(blocks: readonly LockedTexts[], at: Offset): Readonly<Record<string, Expression>>
}

const PRIMES = [33_554_393, 33_554_383, 33_554_371, 33_554_347, 33_554_341, 33_554_317] as const
const HASH_UNIT = 2 ** 25

/** Rounds after the text, to slow down guessing. */
const ROUNDS = 24

class KeyStream {
  #a: number
  #b: number
  #c = 7
  readonly #factor: number
  readonly #moduli: readonly [number, number, number]

  constructor(text: Bytes, start: number, factor: number, moduli: readonly [number, number, number]) {
    this.#a = start
    this.#b = text.length + 1
    this.#factor = factor
    this.#moduli = moduli
    for (let i = 0; i < text.length; i++) this.step(text.charCodeAt(i))
    for (let i = 1; i <= ROUNDS; i++) this.step(i)
  }

  get hash(): number {
    return this.#a * HASH_UNIT + this.#b
  }

  get base(): number {
    return this.#a
  }

  step(value: number): number {
    const [first, second, third] = this.#moduli
    this.#a = (this.#a * this.#factor + this.#b + value) % first
    this.#b = (this.#b * this.#a + this.#c + value) % second
    this.#c = (this.#c * this.#b + this.#a + 1) % third
    return (this.#a + this.#b + this.#c) % ALPHABET_SIZE
  }
}

/** Creates the cipher of one build. */
export function createValueCipher(random: Random): ValueCipher {
  const moduli = random.shuffle(PRIMES).slice(0, 3) as [number, number, number]
  const factor = random.int(1_000_003, 33_000_000)
  const start = random.int(1009, 16_000_000)
  const generators = (text: Bytes, offset: number) => new KeyStream(text, start + offset, factor, moduli)
  return {
    hash: (text) => generators(text, 0).hash,
    lock(key, number, texts) {
      const stream = generators(key, number)
      const { base } = stream
      return { base, texts: texts.map((text) => encrypted(text, stream)) }
    },
    lua: LUA,
    holes(blocks, at) {
      const make = nodesAt(at)
      const [first, second, third] = moduli.map((each) => make.number(each)) as [
        Expression,
        Expression,
        Expression,
      ]
      const lists = blocks.map(({ texts }) => make.table(texts.map((text) => make.string(text))))
      return {
        blocks: make.table(lists),
        first,
        second,
        third,
        factor: make.number(factor),
        start: make.number(start),
      }
    },
  }
}

function encrypted(text: Bytes, stream: KeyStream): Bytes {
  return encodeBytes(text)
    .map((value) => String.fromCharCode(printableCode((value + stream.step(0)) % ALPHABET_SIZE)))
    .join('')
}

const LUA = `
  do
    local byte, char, kind, letters = (' ').byte, (' ').char, type, {}
    for i = 0, 255 do letters[i] = char(i) end
    local known, count, opened, texts = {}, 0, {}, blocks
    local a, b, c
    local function absorb(text, salt)
      a, b, c = salt, #text + 1, 7
      for i = 1, #text + ${ROUNDS} do
        local value = i <= #text and byte(text, i) or i - #text
        a = (a * factor + b + value) % first
        b = (b * a + c + value) % second
        c = (c * b + a + 1) % third
      end
    end
    local function decrypt(text)
      local large, small, pending = '', '', 0
      for i = 1, #text do
        a = (a * factor + b) % first
        b = (b * a + c) % second
        c = (c * b + a + 1) % third
        local code = byte(text, i)
        if code > 92 then code = code - 1 end
        if code > 34 then code = code - 1 end
        local value = (code - 32 - a - b - c) % ${ALPHABET_SIZE}
        if pending == 0 and value > ${ONE_SYMBOL_BYTES - 1} then
          pending = ${ONE_SYMBOL_BYTES} + (value - ${ONE_SYMBOL_BYTES}) * ${ALPHABET_SIZE}
        else
          small = small .. letters[(value + pending + ${FIRST_BYTE}) % 256]
          pending = 0
        end
        if #small > 255 then large, small = large .. small, '' end
      end
      return large .. small
    end
    hash = function(value)
      local found = known[value]
      if found == nil then
        found = false
        if kind(value) == 'string' and #value <= ${MAX_KEY_LENGTH} then
          absorb(value, start)
          found = a * ${HASH_UNIT} + b
          count = count + 1
          if count > 400 then known, count = {}, 0 end
          known[value] = found
        end
      end
      return found
    end
    unlock = function(value, number)
      local found = opened[number]
      if not found then
        absorb(value, start + number)
        found = { [0] = a }
        local list = texts[number]
        for i = 1, #list do found[i] = decrypt(list[i]) end
        opened[number] = found
      end
      return found
    end
  end`
