/**
 * Finds the shortest ASCII spelling of a number, string or field name that every host reads as the same
 * value.
 */

import type { Bytes, ImaginaryLiteral, Int64Literal, NumberLiteral } from '../ast.ts'
import { keywords } from '../tokens.ts'

/**
 * Formats a non-negative number. Exact integers have no exponent, because Lua 5.4 would read `1e3` as the
 * float `1000.0`. Infinity has no literal, but every host reads `1e999` as infinity.
 */
export function spellNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '1e999'
  if (Number.isSafeInteger(value)) return String(value)
  const [digits, exponent] = splitNumber(value)
  const plain = spellPlain(digits, exponent)
  const scaled = `${digits}e${exponent - digits.length + 1}`
  return plain.length <= scaled.length ? plain : scaled
}

/** Formats a number without its sign. */
export function spellLiteral({ value, isFloat }: NumberLiteral): string {
  const text = spellNumber(Math.abs(value))
  return isFloat && /^\d+$/.test(text) ? `${text}.0` : text
}

/**
 * Formats a LuaJIT 64-bit integer. Values above 2^63 are hexadecimal, which no host reports as an overflow.
 */
export function spellInt64(node: Int64Literal): string {
  const digits = node.value >= 1n << 63n ? `0x${node.value.toString(16)}` : node.value.toString()
  if (node.isPlain) return digits
  return `${digits}${node.isUnsigned ? 'ULL' : 'LL'}`
}

/**
 * Formats a LuaJIT imaginary number or a Luau integer. Values above 2^63 are hexadecimal, which Luau accepts.
 */
export function spellImaginary({ value, integer }: ImaginaryLiteral): string {
  if (integer === null) return `${spellNumber(value)}i`
  return integer >= 1n << 63n ? `0x${integer.toString(16)}i` : `${integer}i`
}

/** Formats a string with the type of quotes that needs fewer escapes. */
export function spellString(value: Bytes): string {
  if (plainText.test(value)) return `"${value}"`
  const quote = countOf(value, '"') > countOf(value, "'") ? "'" : '"'
  return `${quote}${escapeBytes(value, quote)}${quote}`
}

/** Formats a piece of an interpolated string, without its backticks or braces. */
export function spellInterpolated(value: Bytes): string {
  return escapeBytes(value, '`{')
}

/** Whether a string can be written as `t.name` or `{name = …}` on every host. Lua 5.4 reserves `goto`. */
export function isPlainName(value: Bytes): boolean {
  return nameText.test(value) && !keywords.has(value) && value !== 'goto'
}

const plainText = /^[ !#-[\]-~]*$/
const nameText = /^[A-Za-z_][A-Za-z0-9_]*$/

/** The digits without trailing zeros, and the power of ten of the first digit. */
function splitNumber(value: number): readonly [string, number] {
  const [mantissa = '', exponent = ''] = value.toExponential().split('e')
  return [mantissa.replace('.', ''), Number(exponent)]
}

function spellPlain(digits: string, exponent: number): string {
  if (exponent < 0) return `.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  const fraction = digits.slice(exponent + 1)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

function countOf(text: string, character: string): number {
  return text.split(character).length - 1
}

const letters: ReadonlyMap<number, string> = new Map([
  [9, '\\t'],
  [10, '\\n'],
  [13, '\\r'],
  [92, '\\\\'],
])

/** Uses decimal escapes, which all hosts support, with three digits if another digit follows. */
function escapeBytes(value: Bytes, special: string): string {
  let text = ''
  let copied = 0
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i)
    const isSpecial = code === 92 || special.includes(value.charAt(i))
    if (code >= 32 && code < 127 && !isSpecial) continue
    text += value.slice(copied, i) + escapeByte(value, i)
    copied = i + 1
  }
  return text + value.slice(copied)
}

function escapeByte(value: Bytes, i: number): string {
  const code = value.charCodeAt(i)
  const letter = letters.get(code)
  if (letter !== undefined) return letter
  if (code >= 32 && code < 127) return `\\${value.charAt(i)}`
  const next = value.charCodeAt(i + 1)
  const isDigitNext = next >= 48 && next <= 57
  return `\\${isDigitNext ? String(code).padStart(3, '0') : code}`
}
