/**
 * Converts number and string tokens to nodes, and reports their errors. `literals.ts` computes the values.
 */

import type { Bytes, Expression, StringLiteral } from './ast.ts'
import { isLua54 } from './dialect.ts'
import {
  jenkinsHash,
  lastCodePointOf,
  readEscapes,
  readLongString,
  readNumber,
  readNumber54,
} from './literals.ts'
import type { Reader } from './reader.ts'
import { Token } from './tokens.ts'

export function parseNumber(reader: Reader): Expression {
  const { at } = reader
  const text = reader.text()
  if (isLua54(reader.dialect)) return parseNumber54(reader, text)
  const number = readNumber(text)
  if (number === null) reader.complain(at, 'malformedNumber', text.slice(0, 40))
  reader.advance()
  if (number === null) return { kind: 'NumberLiteral', at, value: 0 }
  if (number.type === 'int64') {
    reader.needs('int64', at)
    return { kind: 'Int64Literal', at, value: number.value, isUnsigned: number.isUnsigned }
  }
  if (number.type === 'imaginary') {
    if (number.integer === null || reader.dialect !== 'luau') reader.needs('imaginary', at)
    return { kind: 'ImaginaryLiteral', at, value: number.value, integer: number.integer }
  }
  for (const feature of number.features) reader.needs(feature, at)
  return { kind: 'NumberLiteral', at, value: number.value }
}

function parseNumber54(reader: Reader, text: string): Expression {
  const { at } = reader
  const number = readNumber54(text)
  if (number === null) reader.complain(at, 'malformedNumber', text.slice(0, 40))
  reader.advance()
  const value = Number(number ?? 0)
  if (typeof number === 'bigint' && !Number.isSafeInteger(value)) {
    return { kind: 'Int64Literal', at, value: number, isUnsigned: false, isPlain: true }
  }
  const isFloat = typeof number === 'number' && Number.isInteger(value) && value < 2 ** 63
  return isFloat ? { kind: 'NumberLiteral', at, value, isFloat } : { kind: 'NumberLiteral', at, value }
}

export function parseString(reader: Reader): StringLiteral {
  const { at } = reader
  const value = stringValue(reader)
  reader.advance()
  return { kind: 'StringLiteral', at, value }
}

function stringValue(reader: Reader): Bytes {
  if (reader.kind === Token.LongString) return readLongString(reader.text())
  if (reader.kind !== Token.WholeInterpolated) return readQuoted(reader)
  reader.needs('interpolation', reader.at)
  return readQuoted(reader, 'any')
}

/** Reads the bytes between the first and the last character of the current token. */
function readQuoted(reader: Reader, escapes = reader.escapes): Bytes {
  const quoted = reader.text()
  const read = readEscapes(quoted.slice(1, -1), escapes)
  if (read.hasNewEscapes) reader.needs('escapes', reader.at)
  if (read.hasDroppedEscapes) reader.hasDroppedEscapes = true
  // Lua 5.1 has no `\z`: a line break in a string must follow a backslash.
  if (read.hasDroppedEscapes && /(^|[^\\\n\r])[\n\r]/.test(quoted)) reader.isNewer = true
  for (const { at, name, text } of read.errors) {
    const words = name === 'badUnicodeEscape' ? lastCodePointOf(escapes).toString(16).toUpperCase() : text
    reader.complain(reader.at + 1 + at, name, words)
  }
  return read.value
}

/**
 * Reads FiveM's hashed string as a number literal. Only ASCII is accepted, because hosts on Windows treat
 * bytes above 127 as negative and hosts on Linux do not.
 */
export function parseHash(reader: Reader): Expression {
  const { at } = reader
  const text = readQuoted(reader)
  if (/[\x80-\xff]/.test(text)) reader.complain(at, 'hashNeedsAscii')
  const hash = jenkinsHash(text)
  reader.advance()
  const number = { kind: 'NumberLiteral', at, value: Math.abs(hash) } as const
  return hash < 0 ? { kind: 'Unary', at, operator: '-', operand: number } : number
}

/** interpolated ::= FIRST expression {MIDDLE expression} LAST */
export function parseInterpolated(reader: Reader): Expression {
  const { at } = reader
  reader.needs('interpolation', at)
  const strings: Bytes[] = []
  const values: Expression[] = []
  while (reader.kind !== Token.LastInterpolated) {
    strings.push(readQuoted(reader, 'any'))
    reader.advance()
    if (isInterpolationEnd(reader)) reader.fail('emptyInterpolation')
    values.push(reader.grammar.expression(reader))
    if (!isInterpolationEnd(reader))
      reader.fail('expected', "'}'", 'after the value in the string', reader.found())
  }
  strings.push(readQuoted(reader, 'any'))
  reader.advance()
  return { kind: 'InterpolatedString', at, strings, values }
}

function isInterpolationEnd(reader: Reader): boolean {
  return reader.kind === Token.MiddleInterpolated || reader.kind === Token.LastInterpolated
}
