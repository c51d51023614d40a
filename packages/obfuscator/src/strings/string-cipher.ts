/**
 * The cipher that hides strings. Each group of four bytes is a number to which two generators add their
 * state. The sum is encoded as five printable characters. Alphabets, moduli and factors differ in every
 * build. This is obfuscation, not encryption, because the output contains the key. Plaintext is never passed
 * to a library function, where it could be hooked. Every ciphertext starts with a checksum, so a modified
 * ciphertext or a wrong key ends the script.
 */

import type { Random } from '../random.ts'
import type { Bytes, Expression, Offset } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'

export type StringCipher = {
  readonly alphabet: Bytes
  /** @param key the result of `createKey`, or of `keyOf` for a string in a numbered table. */
  encrypt(text: Bytes, key: number): Bytes
  /** Returns a different key below 2^37 on every call. */
  createKey(): number
  /** @param number the 1-based index of a string. */
  keyOf(number: number): number
  /**
   * Lua code that creates `strings` from `ciphertexts`. `holes` returns the values to insert. The table
   * decrypts each string when it is first read, with a key derived from the string's number.
   */
  readonly numberedLua: string
  /**
   * `numberedLua` bound to the integrity key. Every key is smaller by `mix` than in `encrypt`, every index is
   * shifted by `offset`, and all ciphertexts are passed to `add`. If `finish` is set, it must be called
   * before the first string is read.
   */
  readonly numberedCheckedLua: string
  /**
   * Like `numberedLua`, but an index alone is not enough to decrypt a string, and decryption calls no library
   * function. `strings[DECRYPT_INDEX]` is a function that decrypts by index and key, without a cache.
   * `strings[CACHED_DECRYPT_INDEX]` also caches strings that are read often, in `strings[index]`.
   * `strings[TONUMBER_INDEX]` is `tonumber`. Single-byte strings are stored at their byte value, up to
   * `LAST_BYTE_INDEX`. All other strings follow.
   */
  readonly keyed: string
  /**
   * `keyed` bound to the integrity key. Every key is smaller by `mix` than in `encrypt`, and all ciphertexts
   * are passed to `add`.
   */
  readonly keyedCheckedLua: string
  holes(at: Offset): Readonly<Record<string, Expression>>
}

export const DECRYPT_INDEX = -1
export const CACHED_DECRYPT_INDEX = -2
/** Holds `tonumber`, or the identity function if the host has no `tonumber`. */
export const TONUMBER_INDEX = -3
/** Strings of other lengths start after this index. */
export const LAST_BYTE_INDEX = 255

/** A name is cached once it has been read more than this many times. */
const CACHE_THRESHOLD = 24

/** Printable ASCII without the double quote and the backslash, so that a ciphertext needs no escapes. */
const SYMBOLS = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).filter(
  (c) => c !== '"' && c !== '\\',
)
const SIZE = SYMBOLS.length

/**
 * Number of bytes per group. `n` bytes are encoded as `n + 1` symbols, so the length of the last group shows
 * how many bytes it contains.
 */
const GROUP = 4

const SECOND_STATES = 65_536

// The moduli are primes below 2^21. With factors below 2^16, every product is below 2^53, so it is exact in a
// double, also in LuaJIT.
const MODULI = [1_048_583, 1_299_709, 1_500_007, 1_750_009, 1_999_993, 2_000_003]

type Generator = { readonly modulus: number; readonly factor: number; readonly step: number }

/** Creates the cipher for one build. */
export function createStringCipher(random: Random): StringCipher {
  const alphabet = random.shuffle(SYMBOLS)
  const [one = 0, two = 0] = random.shuffle(MODULI)
  const [first, second] = [createGenerator(one, random), createGenerator(two, random)]
  const start = random.int(100_003, 900_007)
  // The generator states are below 2^21. Together, they cover the 32 bits of a group.
  const shift = random.int(2100, 4000)
  const decrypt = decryption(random)
  const begin = opening(random)
  return {
    alphabet: alphabet.join(''),
    encrypt: (text, key) => encrypt(text, key, { alphabet, first, second, shift }),
    createKey: () => random.int(0, first.modulus - 1) + first.modulus * random.int(1, SECOND_STATES - 1),
    keyOf: (number) => number * start,
    numberedLua: `do ${begin} ${decrypt('texts[number]')} ${NUMBERED} end`,
    numberedCheckedLua: `do ${begin} ${decrypt('texts[number + offset]')} ${NUMBERED_MIXED} end`,
    keyed: keyed(random, false),
    keyedCheckedLua: keyed(random, true),
    holes(at) {
      const make = nodesAt(at)
      return {
        alphabet: make.string(alphabet.join('')),
        start: make.number(start),
        shift: make.number(shift),
        modulus1: make.number(first.modulus),
        factor1: make.number(first.factor),
        step1: make.number(first.step),
        modulus2: make.number(second.modulus),
        factor2: make.number(second.factor),
        step2: make.number(second.step),
      }
    },
  }
}

function createGenerator(modulus: number, random: Random): Generator {
  return { modulus, factor: random.int(4099, 65_521), step: random.int(10_007, 999_983) }
}

/**
 * The modulus of the checksum, which is encoded as two symbols. The modulus is prime, so changing one symbol
 * always changes the checksum.
 */
const SUM = 8641

type Secret = {
  readonly alphabet: readonly string[]
  readonly first: Generator
  readonly second: Generator
  readonly shift: number
}

function encrypt(text: Bytes, key: number, { alphabet, first, second, shift }: Secret): Bytes {
  let a = key % first.modulus
  let b = Math.floor(key / first.modulus)
  let out = ''
  for (let at = 0; at < text.length; at += GROUP) {
    a = (a * first.factor + first.step) % first.modulus
    b = (b * second.factor + second.step) % second.modulus
    const size = Math.min(GROUP, text.length - at)
    const pad = a * shift + b
    let value = pad
    for (let i = 0; i < size; i++) value += text.charCodeAt(at + i) * 256 ** i
    const written = value % 256 ** size
    out += spell(written, size + 1, alphabet)
    b += modulo(written - pad, 256 ** GROUP)
  }
  return spell((a + b) % SUM, 2, alphabet) + out
}

function spell(value: number, count: number, alphabet: readonly string[]): string {
  let text = ''
  for (let rest = value, i = 0; i < count; i++) {
    text += alphabet[rest % SIZE]
    rest = Math.floor(rest / SIZE)
  }
  return text
}

function modulo(value: number, by: number): number {
  return value - Math.floor(value / by) * by
}

/** The methods are read from a string literal, so that no global name appears in the output. */
function opening(random: Random): string {
  const [byte, char] = random.shuffle(['byte', 'char'])
  const fill = [
    `for i = 1, ${SIZE} do values[byte(symbols, i)] = i - 1 end`,
    'for i = 0, 255 do letters[i] = char(i) end',
  ]
  return `
    local ${byte}, ${char}, letters, texts, symbols = (' ').${byte}, (' ').${char}, {}, ciphertexts, alphabet
    local values = {}
    ${random.shuffle(fill).join('\n')}
    local nothing = letters[byte(symbols, 1)]
    nothing = nothing .. nothing .. nothing`
}

/**
 * Lua expressions for a loop over groups: the name of the table of single-byte strings, and conditions on the
 * size of the group.
 */
type Group = {
  readonly letters: string
  readonly isWhole: string
  readonly isCut: string
  readonly hasSecond: string
  readonly hasThird: string
}

/**
 * Appends the bytes of the number `p` to the string. Two groups are appended at a time, because creating a
 * string is the slowest step at any length. The bytes of the first group are buffered as numbers. If no
 * second group follows, `ending` appends them after the loop. Long strings are built in three buffers, so
 * that the entire string is not copied for every eight bytes.
 */
function joining(random: Random, { letters, isWhole, isCut, hasSecond, hasThird }: Group): string {
  const joined = (names: readonly string[]) => names.map((name) => `${letters}[${name}]`).join(' .. ')
  const bytes = ['w', 'x', 'y', '(p - y) / 256']
  const both = `
    small = small .. ${joined([...HELD, ...bytes])}
    ${HELD[0]} = nil
    if #small > ${random.int(...SMALL)} then
      large = large .. small
      small = ''
      if #large > ${random.int(...LARGE)} then
        text = text .. large
        large = ''
      end
    end`
  const order = random.shuffle([0, 1, 2, 3])
  const held = `${order.map((i) => HELD[i]).join(', ')} = ${order.map((i) => bytes[i]).join(', ')}`
  const part = `last = ${joined(['w'])} .. (${hasSecond} and ${joined(['x'])} or '') .. (${hasThird} and ${joined(['y'])} or '')`
  const pairs = random.chance(0.5)
    ? `if ${HELD[0]} then ${both} else ${held} end`
    : `if not ${HELD[0]} then ${held} else ${both} end`
  const ways = random.chance(0.5)
    ? `if ${isWhole} then ${pairs} else ${part} end`
    : `if ${isCut} then ${part} else ${pairs} end`
  return `
    local w = p % 256
    p = (p - w) / 256
    local x = p % 256
    p = (p - x) / 256
    local y = p % 256
    ${ways}`
}

/** Ranges from which a build picks the sizes at which the buffers for long strings are emptied. */
const [SMALL, LARGE] = [
  [220, 300],
  [12_000, 20_000],
] as const

const HELD = ['c', 'd', 'e', 'f']

const STARTING = `local text, large, small, last, ${HELD.join(', ')} = '', '', '', ''`

/** Appends the bytes of the last group if they are still in the buffer. */
function ending(random: Random, letters: string): string {
  const waiting = HELD.map((name) => `${letters}[${name}]`).join(' .. ')
  const way = random.pick([
    `small = small .. ${waiting}`,
    `last = ${waiting} .. last`,
    `large = large .. small small = ${waiting}`,
    `large, small = large .. small, ${waiting}`,
    `small, ${HELD[0]} = small .. ${waiting}, nil`,
    `${HELD[0]}, last = nil, ${waiting} .. last`,
  ])
  return `
    if ${HELD[0]} then ${way} end
    text = text .. large .. small .. last`
}

const STATES = ['a = (a * factor1 + step1) % modulus1', 'b = (b * factor2 + step2) % modulus2']

/** Returns the terms whose sum combines the symbols of a group into one number. */
const termsOf = () => ['p', 'q', 'r', 's', 't'].map((symbol, i) => `values[${symbol}] * ${SIZE ** i}`)

/** Generates the decryption function. The order of independent steps differs in every build. */
function decryption(random: Random): (source: string) => string {
  const terms = random.shuffle(termsOf())
  const group = {
    letters: 'letters',
    isWhole: 'i < whole',
    isCut: 'i >= whole',
    hasSecond: 'i < whole + 2',
    hasThird: 'i < whole + 1',
  }
  const steps = random.shuffle(STATES).join('\n')
  const sum = `${terms.join(' + ')} ${random.chance(0.5) ? '- a * shift - b' : '- b - a * shift'}`
  const joined = joining(random, group)
  const ended = ending(random, group.letters)
  return (place) => `
    local function decrypt(number, key)
      local source, values, letters = ${place}, values, letters
      local size = #source
      local whole = size - ${GROUP - 1}
      source = source .. nothing
      ${STARTING}
      local a = key % modulus1
      local b = (key - a) / modulus1
      for i = 3, size, ${GROUP + 1} do
        local p, q, r, s, t = byte(source, i, i + ${GROUP})
        ${steps}
        p = (${sum}) % 4294967296
        b = b + p
        ${joined}
      end
      ${ended}
      local p, q = byte(source, 1, 2)
      if (a + b) % ${SUM} ~= values[p] + values[q] * ${SIZE} then values() end
      strings[number] = text
      return text
    end`
}

/**
 * The two loops allocate the array part of `strings` in advance. If the table were filled in random order,
 * its elements would stay in the slower hash part.
 */
const ARRAY = `
  strings = {}
  for number = 1, #texts do strings[number] = 0 end
  for number = 1, #texts do strings[number] = nil end`

/** `setmetatable` may be missing in a sandbox. If it is, all strings are decrypted up front. */
const NUMBERED = `${ARRAY}
  if setmetatable then
    setmetatable(strings, {__index = function(_, number) return decrypt(number, number * start) end})
  else
    for number = 1, #texts do decrypt(number, number * start) end
  end`

const NUMBERED_MIXED = `${ARRAY}
  if setmetatable then
    setmetatable(strings, {__index = function(_, number) return decrypt(number, number * start + mix) end})
  else
    finish = function() for number = 1, #texts do decrypt(number, number * start + mix) end end
  end
  add(symbols)
  for number = 1, #texts do add(texts[number]) end`

/**
 * Each ciphertext is split into numbers only once. Decrypted strings are not cached, except those that are
 * read often.
 */
function keyed(random: Random, isMixed: boolean): string {
  const terms = random.shuffle(termsOf())
  const fill = [
    `for i = 1, ${SIZE} do values[byte(symbols, i)] = i - 1 end`,
    `for i = 0, ${LAST_BYTE_INDEX} do strings[i] = char(i) end`,
  ]
  return `
    do
      local byte, char, texts, lists, uses, symbols = (' ').byte, (' ').char, ciphertexts, {}, {}, alphabet
      local values = {}
      strings = {}
      ${random.shuffle(fill).join('\n')}
      local nothing = strings[byte(symbols, 1)]
      nothing = nothing .. nothing .. nothing
      for number = ${LAST_BYTE_INDEX} + 1, ${LAST_BYTE_INDEX} + #texts do strings[number] = 0 end
      for number = ${LAST_BYTE_INDEX} + 1, ${LAST_BYTE_INDEX} + #texts do strings[number] = nil end
      ${splitting(terms)}
      ${decrypting(random, isMixed ? '(key + mix)' : 'key')}
      strings[${CACHED_DECRYPT_INDEX}] = function(number, key)
        local text, count = decrypt(number, key), (uses[number] or 0) + 1
        uses[number] = count
        if count > ${CACHE_THRESHOLD} then strings[number] = text end
        return text
      end
      strings[${DECRYPT_INDEX}] = decrypt
      strings[${TONUMBER_INDEX}] = tonumber or function(value) return value end
      ${isMixed ? 'add(symbols) for number = 1, #texts do add(texts[number]) end' : ''}
    end`
}

/**
 * Splits a ciphertext into a list that contains its checksum, the index of the last complete group, the
 * number of bytes after that group, and the groups.
 */
function splitting(terms: readonly string[]): string {
  return `
    local function split(number)
      local source, values = texts[number - ${LAST_BYTE_INDEX}], values
      local size = #source
      local p, q = byte(source, 1, 2)
      local rest = (size - 2) % ${GROUP + 1}
      local list = {values[p] + values[q] * ${SIZE}, (size - 2 - rest) / ${GROUP + 1} + 3, rest - 1}
      local count = 3
      source = source .. nothing
      for i = 3, size, ${GROUP + 1} do
        local p, q, r, s, t = byte(source, i, i + ${GROUP})
        count = count + 1
        list[count] = ${terms.join(' + ')}
      end
      lists[number] = list
      return list
    end`
}

/** Decrypts a string from its numbers. `rest` is the number of bytes after the complete groups. */
function decrypting(random: Random, key: string): string {
  const group = {
    letters: 'strings',
    isWhole: 'i <= whole',
    isCut: 'i > whole',
    hasSecond: 'rest > 1',
    hasThird: 'rest > 2',
  }
  const joined = joining(random, group)
  const ended = ending(random, group.letters)
  return `
    local function decrypt(number, key)
      local list, strings = lists[number] or split(number), strings
      ${STARTING}
      local whole, rest = list[2], list[3]
      local a = ${key} % modulus1
      local b = (${key} - a) / modulus1
      for i = 4, #list do
        ${random.shuffle(STATES).join('\n')}
        local p = (list[i] - a * shift - b) % 4294967296
        b = b + p
        ${joined}
      end
      ${ended}
      if (a + b) % ${SUM} ~= list[1] then values() end
      return text
    end`
}
