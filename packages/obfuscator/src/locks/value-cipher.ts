/**
 * The cipher that `lock-values` uses. It encrypts values with a string that the output does not contain, and
 * hashes that string so that the output can recognize it. The cipher combines three coupled generators, whose
 * products are exact as doubles.
 */

import type { Random } from '../random.ts'
import type { Bytes, Expression, Offset } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import type { Lifted } from './lift-constants.ts'
import {
  ALPHABET_SIZE,
  encodeBytes,
  FIRST_BYTE,
  ONE_SYMBOL_BYTES,
  printableCode,
} from './printable-encoding.ts'

/** Longer strings are not used as keys. */
export const MAX_KEY_LENGTH = 64

/** The encrypted constants of one block, as they appear in the output. */
export type LockedValues = readonly { readonly text: Bytes; readonly isNumber: boolean }[]

/**
 * A string, and whether to hash it slowly, which makes guessing harder. The slow hash is too slow for code
 * that runs often.
 */
export type Guarded = { readonly text: Bytes; readonly isSlow: boolean }

export type ValueCipher = {
  /**
   * Returns `hash`, the hash of the string as the output computes it, and `form`, which encodes the
   * parameters of the hash.
   */
  hash(guarded: Guarded): { readonly hash: number; readonly form: number }
  /**
   * @param number the argument of `unlock`: twice the 1-based block number, plus 1 if the slow hash is used.
   */
  lock(key: Bytes, number: number, values: readonly Lifted[]): LockedValues
  /** Builds a table constructor with the constants of a block, in the format that `unlock` expects. */
  write(values: LockedValues, at: Offset): Expression
  /** Lua code that defines `hash` and `unlock`. `holes` returns the values to insert. */
  readonly lua: string
  holes(blocks: readonly LockedValues[], at: Offset): Readonly<Record<string, Expression>>
}

const PRIMES = [33_554_393, 33_554_383, 33_554_371, 33_554_347, 33_554_341, 33_554_317] as const
const HASH_UNIT = 2 ** 25

/** Numbers are padded to this many digits, so that the length of a ciphertext reveals nothing. */
const DIGITS = 10

/**
 * Number of rounds after the string has been absorbed. The higher number is for the slow hash, which slows
 * down guessing.
 */
const [FEW_ROUNDS, MANY_ROUNDS] = [24, 2000]

/** A form encodes three values in one number: the salt, the length of the string, and the slow flag. */
const [LENGTHS, MAX_SALT] = [128, 2 ** 23]

type Generators = {
  readonly start: number
  readonly factor: number
  readonly moduli: readonly [number, number, number]
}

class KeyStream {
  #a: number
  #b: number
  #c = 7
  readonly #factor: number
  readonly #moduli: readonly [number, number, number]

  constructor(text: Bytes, rounds: number, { start, factor, moduli }: Generators) {
    this.#a = start
    this.#b = text.length + 1
    this.#factor = factor
    this.#moduli = moduli
    for (let i = 0; i < text.length; i++) this.step(text.charCodeAt(i))
    const state = [this.#a, this.#b, this.#c] as const
    for (let i = 1; i <= rounds; i++) this.step(i)
    this.#feedForward(state)
  }

  /**
   * Adds the state before the rounds to the state after them, as in the Davies-Meyer construction. Every
   * round is a bijection. Without this sum, an attacker could run the rounds backward.
   */
  #feedForward([a, b, c]: readonly [number, number, number]): void {
    const [first, second, third] = this.#moduli
    this.#a = (this.#a + a) % first
    this.#b = (this.#b + b) % second
    this.#c = (this.#c + c) % third
  }

  get hash(): number {
    return this.#a * HASH_UNIT + this.#b
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
  const generators = (text: Bytes, salt: number, isSlow: boolean) =>
    new KeyStream(text, isSlow ? MANY_ROUNDS : FEW_ROUNDS, { start: start + salt, factor, moduli })
  return {
    hash({ text, isSlow }) {
      const salt = random.int(MAX_SALT / 2, MAX_SALT)
      const form = (salt * LENGTHS + text.length) * 2 + (isSlow ? 1 : 0)
      return { hash: generators(text, salt, isSlow).hash, form }
    },
    lock(key, number, values) {
      const stream = generators(key, number, number % 2 === 1)
      return values.map((value) => {
        const isNumber = typeof value === 'number'
        return { text: encrypted(isNumber ? String(value).padStart(DIGITS) : value, stream), isNumber }
      })
    },
    write,
    lua: LUA,
    holes(blocks, at) {
      const make = nodesAt(at)
      const [first, second, third] = moduli.map((each) => make.number(each)) as [
        Expression,
        Expression,
        Expression,
      ]
      return {
        blocks: make.table(blocks.map((values) => write(values, at))),
        first,
        second,
        third,
        factor: make.number(factor),
        start: make.number(start),
      }
    },
  }
}

function write(values: LockedValues, at: Offset): Expression {
  const make = nodesAt(at)
  return make.table(
    values.map(({ text, isNumber }) => (isNumber ? make.table([make.string(text)]) : make.string(text))),
  )
}

function encrypted(text: Bytes, stream: KeyStream): Bytes {
  return encodeBytes(text)
    .map((value) => String.fromCharCode(printableCode((value + stream.step(0)) % ALPHABET_SIZE)))
    .join('')
}

const LUA = `
  do
    local byte, char, kind, numeric, letters = (' ').byte, (' ').char, type, tonumber, {}
    for i = 0, 255 do letters[i] = char(i) end
    local known, count, opened, texts = {}, 0, {}, blocks
    local a, b, c
    local function absorb(text, salt, isSlow)
      a, b, c = start + salt, #text + 1, 7
      for i = 1, #text do
        a = (a * factor + b + byte(text, i)) % first
        b = (b * a + c + byte(text, i)) % second
        c = (c * b + a + 1) % third
      end
      local x, y, z = a, b, c
      for i = 1, isSlow and ${MANY_ROUNDS} or ${FEW_ROUNDS} do
        a = (a * factor + b + i) % first
        b = (b * a + c + i) % second
        c = (c * b + a + 1) % third
      end
      a, b, c = (a + x) % first, (b + y) % second, (c + z) % third
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
    hash = function(value, form)
      local list = known[form]
      local found = list and list[value]
      if found or kind(value) ~= 'string' then return found or false end
      local slow = form % 2
      local rest = (form - slow) / 2
      local size = rest % ${LENGTHS}
      if #value ~= size then return false end
      absorb(value, (rest - size) / ${LENGTHS}, slow > 0)
      found = a * ${HASH_UNIT} + b
      count = count + 1
      if count > 400 then known, count, list = {}, 0, nil end
      if not list then
        list = {}
        known[form] = list
      end
      list[value] = found
      return found
    end
    unlock = function(value, number, list)
      local found = opened[number]
      if not found then
        absorb(value, number, number % 2 > 0)
        found = {}
        list = list or texts[(number - number % 2) / 2]
        for i = 1, #list do
          local each = list[i]
          local isNumber = kind(each) == 'table'
          local value = decrypt(isNumber and each[1] or each)
          found[i] = isNumber and numeric(value) or value
        end
        opened[number] = found
      end
      return found
    end
  end`
