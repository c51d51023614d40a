/**
 * Number and string tokens to nodes. `literals.ts` computes the values; this file reports what is wrong with
 * them.
 */

import type { Bytes, Expression, StringLiteral } from './ast.ts'
import { readEscapes, readLongString, readNumber } from './literals.ts'
import type { Reader } from './reader.ts'
import { Token } from './tokens.ts'

export function parseNumber(reader: Reader): Expression {
  const { at } = reader
  const text = reader.text()
  const number = readNumber(text)
  if (number === null) reader.complain(at, 'malformedNumber', text.slice(0, 40))
  reader.advance()
  if (number === null) return { kind: 'NumberLiteral', at, value: 0 }
  if (number.type === 'int64') {
    reader.needs('int64', at)
    return { kind: 'Int64Literal', at, value: number.value, isUnsigned: number.isUnsigned }
  }
  if (number.type === 'imaginary') {
    reader.needs('imaginary', at)
    return { kind: 'ImaginaryLiteral', at, value: number.value }
  }
  for (const feature of number.features) reader.needs(feature, at)
  return { kind: 'NumberLiteral', at, value: number.value }
}

export function parseString(reader: Reader): StringLiteral {
  const { at } = reader
  if (reader.kind === Token.WholeInterpolated) reader.needs('interpolation', at)
  const value = reader.kind === Token.LongString ? readLongString(reader.text()) : readQuoted(reader)
  reader.advance()
  return { kind: 'StringLiteral', at, value }
}

/** The bytes between the first and the last character of the current token. */
function readQuoted(reader: Reader): Bytes {
  const read = readEscapes(reader.text().slice(1, -1))
  if (read.hasNewEscapes) reader.needs('escapes', reader.at)
  for (const { at, name, text } of read.errors) reader.complain(reader.at + 1 + at, name, text)
  return read.value
}

/** interpolated ::= FIRST expression {MIDDLE expression} LAST */
export function parseInterpolated(reader: Reader): Expression {
  const { at } = reader
  reader.needs('interpolation', at)
  const strings: Bytes[] = []
  const values: Expression[] = []
  while (reader.kind !== Token.LastInterpolated) {
    strings.push(readQuoted(reader))
    reader.advance()
    if (isInterpolationEnd(reader)) reader.fail('emptyInterpolation')
    values.push(reader.grammar.expression(reader))
    if (!isInterpolationEnd(reader))
      reader.fail('expected', "'}'", 'after the value in the string', reader.found())
  }
  strings.push(readQuoted(reader))
  reader.advance()
  return { kind: 'InterpolatedString', at, strings, values }
}

function isInterpolationEnd(reader: Reader): boolean {
  return reader.kind === Token.MiddleInterpolated || reader.kind === Token.LastInterpolated
}
