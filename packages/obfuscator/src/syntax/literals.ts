/**
 * Computes the values of numbers and strings. The values are exact: doubles are correctly rounded, and
 * strings keep every byte.
 */

import type { Bytes } from './ast.ts'
import type { Escapes } from './dialect.ts'
import { CharClass, charClasses, longBracketLength } from './lexer.ts'

/** The value of a number in its dialect. `features` lists the syntax that only some dialects support. */
export type NumberValue =
  | { readonly type: 'double'; readonly value: number; readonly features: NumberFeatures }
  | { readonly type: 'int64'; readonly value: bigint; readonly isUnsigned: boolean }
  | { readonly type: 'imaginary'; readonly value: number; readonly integer: bigint | null }

/**
 * Reads a number by Lua 5.4's rules: integers have 64 bits, hexadecimal integers wrap around, and decimal
 * integers that do not fit become floats. Returns null if the number is malformed.
 */
export function readNumber54(text: string): bigint | number | null {
  if (/^\d+$/.test(text)) return BigInt(text) < 1n << 63n ? BigInt(text) : Number(text)
  if (/^0x[\da-f]+$/i.test(text)) return BigInt.asUintN(64, BigInt(text))
  if (/^0b|_/i.test(text)) return null
  return readDouble(text)?.value ?? null
}

type NumberFeatures = readonly ('binary' | 'digitSeparator' | 'hexFloat')[]

/** Reads a number literal; null if it is malformed. */
export function readNumber(text: string): NumberValue | null {
  if (plainDecimal.test(text)) return { type: 'double', value: Number(text), features: [] }
  const int64 = /^(0[xX][\da-fA-F]+|0[bB][01]+|\d+)(u?)ll$/i.exec(text)
  if (int64) return readInt64(int64[1] as string, int64[2] !== '')
  const imaginary = /i$/i.test(text) ? readDouble(text.slice(0, -1)) : null
  if (imaginary) return { type: 'imaginary', value: imaginary.value, integer: readInteger(text.slice(0, -1)) }
  return readDouble(text)
}

/**
 * Reads the value of Luau's `123i`; hexadecimal and binary literals are bit patterns. Returns null if Luau
 * rejects the integer.
 */
function readInteger(text: string): bigint | null {
  const digits = text.replaceAll('_', '')
  if (!/^(0x[\da-f]+|0b[01]+|\d+)$/i.test(digits)) return null
  const value = BigInt(digits)
  const limit = /^\d+$/.test(digits) ? 1n << 63n : 1n << 64n
  return value < limit ? value : null
}

const plainDecimal = /^\d+(\.\d*)?$/

function readInt64(digits: string, isUnsigned: boolean): NumberValue {
  return { type: 'int64', value: BigInt.asUintN(64, BigInt(digits)), isUnsigned }
}

function readDouble(text: string) {
  const features: ('binary' | 'digitSeparator' | 'hexFloat')[] = text.includes('_') ? ['digitSeparator'] : []
  const digits = text.replaceAll('_', '')
  if (/^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(digits)) {
    return { type: 'double', value: Number(digits), features } as const
  }
  if (/^0b[01]+$/i.test(digits)) {
    return { type: 'double', value: Number(BigInt(digits)), features: [...features, 'binary'] } as const
  }
  return readHex(digits, features)
}

function readHex(digits: string, features: NumberFeatures) {
  if (/^0x[\da-f]+$/i.test(digits))
    return { type: 'double', value: Number(BigInt(digits)), features } as const
  const parts = /^0x([\da-f]*)\.?([\da-f]*)(?:p([+-]?\d+))?$/i.exec(digits)
  if (!parts || `${parts[1]}${parts[2]}` === '') return null
  const mantissa = BigInt(`0x${parts[1]}${parts[2]}`)
  const exponent = Number(parts[3] ?? 0) - 4 * (parts[2] as string).length
  return { type: 'double', value: scale(mantissa, exponent), features: [...features, 'hexFloat'] } as const
}

/**
 * Computes mantissa · 2^exponent with a single rounding, half to even. Rounding the mantissa first would
 * round subnormals twice.
 */
function scale(mantissa: bigint, exponent: number): number {
  if (mantissa === 0n) return 0
  const bits = mantissa.toString(2).length
  const top = exponent + bits - 1
  if (top > 1023) return Number.POSITIVE_INFINITY
  if (top < -1075) return 0
  const precision = top >= -1022 ? 53 : top + 1075
  const excess = bits - precision
  const rounded = excess > 0 ? roundHalfEven(mantissa, BigInt(excess)) : mantissa
  const scaled = excess > 0 ? exponent + excess : exponent
  const half = Math.trunc(scaled / 2)
  return Number(rounded) * 2 ** half * 2 ** (scaled - half)
}

function roundHalfEven(value: bigint, excess: bigint): bigint {
  const kept = value >> excess
  const rest = value - (kept << excess)
  const half = 1n << (excess - 1n)
  const isUp = rest > half || (rest === half && (kept & 1n) === 1n)
  return isUp ? kept + 1n : kept
}

/**
 * The value of a long string, which is passed with its brackets. Drops the first line break and converts all
 * others to `\n`.
 */
export function readLongString(text: string): Bytes {
  const open = longBracketLength(text, 0)
  const inner = text.slice(open, text.length - open)
  return normalizeLineEnds(inner).replace(/^\n/, '')
}

function normalizeLineEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n|\n\r|\r/g, '\n') : text
}

/** An invalid escape. `at` is its offset within the string. */
type EscapeError = {
  readonly at: number
  readonly name: 'escapeTooLarge' | 'badHexEscape' | 'badUnicodeEscape'
  readonly text: string
}

/** The bytes of a quoted string, and the errors in its escapes. */
export type StringValue = {
  readonly value: Bytes
  readonly errors: readonly EscapeError[]
  /** Whether the string contains `\x`, `\z` or `\u`, which Lua 5.1 lacks. */
  readonly hasNewEscapes: boolean
  /** Whether one of these escapes was read as in Lua 5.1, without its backslash. */
  readonly hasDroppedEscapes: boolean
}

/** The last code point in Unicode, and the last one that Lua 5.4 encodes. */
const LAST_CODE_POINT = 0x10ffff
const LAST_CODE_POINT_54 = 0x7fffffff

/** The last code point that the dialect encodes. */
export const lastCodePointOf = (escapes: Escapes) =>
  escapes === 'lua54' ? LAST_CODE_POINT_54 : LAST_CODE_POINT

/** Resolves the escapes between the quotes of a string. */
export function readEscapes(text: string, escapes: Escapes = 'any'): StringValue {
  const found = { errors: [], hasNewEscapes: false, hasDroppedEscapes: false }
  if (!text.includes('\\')) return { value: text, ...found }
  const reading: Reading = { text, escapes, value: '', at: 0, ...found }
  while (reading.at < text.length) {
    const next = text.indexOf('\\', reading.at)
    const end = next < 0 ? text.length : next
    reading.value += text.slice(reading.at, end)
    reading.at = end
    if (next >= 0) readEscape(reading)
  }
  return reading
}

type Reading = {
  readonly text: string
  readonly escapes: Escapes
  value: string
  at: number
  readonly errors: EscapeError[]
  hasNewEscapes: boolean
  hasDroppedEscapes: boolean
}

const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

function readEscape(reading: Reading): void {
  const letter = reading.text.charAt(reading.at + 1)
  const start = reading.at
  reading.at += 2
  if (letter >= '0' && letter <= '9') readDecimalEscape(reading, start)
  else if (letter === '\n' || letter === '\r') readLineEnd(reading, letter)
  else if (reading.escapes === 'lua51') readPlainEscape(reading, letter)
  else if (letter === 'x') readHexEscape(reading, start)
  else if (letter === 'u') readUnicodeEscape(reading, start)
  else if (letter === 'z') skipBlanks(reading)
  else readPlainEscape(reading, letter)
}

/** A backslash before any other character is dropped. */
function readPlainEscape(reading: Reading, letter: string): void {
  reading.value += simpleEscapes[letter] ?? letter
  reading.hasDroppedEscapes ||= letter === 'x' || letter === 'z' || letter === 'u'
}

function readDecimalEscape(reading: Reading, start: number): void {
  let end = start + 2
  while (end < start + 4 && isIn(reading.text, end, CharClass.digit)) end += 1
  const byte = Number(reading.text.slice(start + 1, end))
  reading.at = end
  if (byte > 255)
    reading.errors.push({ at: start, name: 'escapeTooLarge', text: reading.text.slice(start, end) })
  reading.value += String.fromCharCode(byte & 255)
}

function readHexEscape(reading: Reading, start: number): void {
  reading.hasNewEscapes = true
  const digits = reading.text.slice(start + 2, start + 4)
  if (!/^[\da-fA-F]{2}$/.test(digits)) {
    reading.errors.push({ at: start, name: 'badHexEscape', text: digits })
    return
  }
  reading.at += 2
  reading.value += String.fromCharCode(Number.parseInt(digits, 16))
}

function readUnicodeEscape(reading: Reading, start: number): void {
  reading.hasNewEscapes = true
  const close = reading.text.indexOf('}', start)
  const digits = close < 0 ? '' : reading.text.slice(start + 2, close)
  const code = /^\{[\da-fA-F]+$/.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number.NaN
  if (!(code <= lastCodePointOf(reading.escapes))) {
    reading.errors.push({ at: start, name: 'badUnicodeEscape', text: digits })
    return
  }
  reading.at = close + 1
  reading.value += utf8(code)
}

/**
 * Surrogates are encoded like any other code point, as in Luau. Code points beyond Unicode's range are
 * encoded as in Lua 5.4.
 */
function utf8(code: number): string {
  if (code < 0x80) return String.fromCharCode(code)
  const tail = (shift: number) => 0x80 | ((code >> shift) & 0x3f)
  if (code < 0x800) return String.fromCharCode(0xc0 | (code >> 6), tail(0))
  if (code < 0x10000) return String.fromCharCode(0xe0 | (code >> 12), tail(6), tail(0))
  const last = [tail(12), tail(6), tail(0)]
  if (code < 0x200000) return String.fromCharCode(0xf0 | (code >> 18), ...last)
  if (code < 0x4000000) return String.fromCharCode(0xf8 | (code >> 24), tail(18), ...last)
  return String.fromCharCode(0xfc | (code >> 30), tail(24), tail(18), ...last)
}

function skipBlanks(reading: Reading): void {
  reading.hasNewEscapes = true
  while (isIn(reading.text, reading.at, CharClass.space)) reading.at += 1
}

function readLineEnd(reading: Reading, first: string): void {
  const second = reading.text.charAt(reading.at)
  if ((second === '\n' || second === '\r') && second !== first) reading.at += 1
  reading.value += '\n'
}

function isIn(text: string, at: number, classes: number): boolean {
  return ((charClasses[text.charCodeAt(at)] ?? 0) & classes) !== 0
}

/**
 * FiveM's hash of a string in backticks: Jenkins' one-at-a-time hash of the lowercase text, as a signed
 * 32-bit integer. The text must be ASCII.
 */
export function jenkinsHash(text: Bytes): number {
  let hash = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const lower = code >= 65 && code <= 90 ? code + 32 : code
    hash = (hash + lower) | 0
    hash = (hash + (hash << 10)) | 0
    hash ^= hash >>> 6
  }
  hash = (hash + (hash << 3)) | 0
  hash ^= hash >>> 11
  return (hash + (hash << 15)) | 0
}
