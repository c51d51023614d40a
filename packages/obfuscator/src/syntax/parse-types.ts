/**
 * Parses Luau's type syntax. Types have no effect at run time, so they are checked and dropped: nothing
 * here returns a node. Only the names of the types in some annotations are kept.
 */

import type { Bytes } from './ast.ts'
import type { Reader } from './reader.ts'
import { Token } from './tokens.ts'

/** Stands for every function type. As a keyword, it is never the name of a type. */
export const FUNCTION_TYPE = 'function'

/** Parses with `parse`, and returns the types that occur there, such as `Instance`, `Shop.Item` and `function`. */
export function typesIn(reader: Reader, parse: (reader: Reader) => unknown): readonly Bytes[] {
  const { mentioned: outer } = reader
  const types: Bytes[] = []
  reader.mentioned = types
  parse(reader)
  reader.mentioned = outer
  return types
}

/** type ::= ['|'] simple {'?'} {'|' simple {'?'}} | ['&'] simple {'&' simple} */
export function parseType(reader: Reader): void {
  reader.enter()
  let hasUnion = reader.take(Token.Bar)
  let hasIntersection = !hasUnion && reader.take(Token.Ampersand)
  while (true) {
    parseSimpleType(reader)
    while (reader.take(Token.Question)) hasUnion = true
    if (reader.kind === Token.Bar) hasUnion = true
    else if (reader.kind === Token.Ampersand) hasIntersection = true
    if (hasUnion && hasIntersection) reader.fail('mixedTypes')
    if (!reader.take(Token.Bar) && !reader.take(Token.Ampersand)) break
  }
  reader.leave()
}

/** generics ::= '<' generic {',' generic} '>' where generic ::= NAME ['...'] and, in aliases, ['=' default] */
export function parseGenerics(reader: Reader, hasDefaults: boolean): void {
  const at = reader.at
  reader.needs('types', reader.advance())
  do {
    const name = reader.name('of a generic type')
    if (!reader.types.has(name)) reader.types.set(name, [])
    const isPack = reader.take(Token.Ellipsis)
    if (hasDefaults && reader.take(Token.Assign)) {
      if (isPack) parsePackOrType(reader)
      else parseType(reader)
    }
  } while (reader.take(Token.Comma))
  reader.close(Token.Greater, '>', '<', at)
}

/** ':' returned, where returned ::= type | pack | NAME '...' | '...' type */
export function parseReturnType(reader: Reader): void {
  reader.needs('types', reader.advance())
  parsePackOrType(reader)
}

/** ':' (type | NAME '...') after the `...` of a function. */
export function parseVarargType(reader: Reader): void {
  reader.needs('types', reader.advance())
  if (isGenericPack(reader)) skipGenericPack(reader)
  else parseType(reader)
}

/** instantiation ::= '<' '<' [arguments] '>' '>' */
export function parseTypeArguments(reader: Reader): void {
  const at = reader.at
  reader.needs('types', reader.advance())
  parseArgumentList(reader)
  reader.close(Token.Greater, '>>', '<<', at)
}

// --- components

/** simple ::= 'nil' | 'true' | 'false' | STRING | reference | 'typeof' '(' expression ')' | table | function | '(' type ')' */
function parseSimpleType(reader: Reader): void {
  switch (reader.kind) {
    case Token.Nil:
    case Token.True:
    case Token.False:
    case Token.String:
    case Token.LongString:
      reader.advance()
      return
    case Token.Name:
      parseReference(reader)
      return
    case Token.BraceOpen:
      parseTableType(reader)
      return
    case Token.Less:
      parseGenerics(reader, false)
      parseFunctionType(reader)
      return
    case Token.ParenOpen:
      parseFunctionOrGroup(reader)
      return
    case Token.WholeInterpolated:
    case Token.FirstInterpolated:
      reader.fail('interpolatedType')
      return
    default:
      reader.fail('expectedType', reader.found())
      return
  }
}

/** reference ::= NAME ['.' NAME] ['<' [arguments] '>'] */
function parseReference(reader: Reader): void {
  if (reader.isWord('typeof') && reader.peek(1) === Token.ParenOpen) {
    parseTypeof(reader)
    return
  }
  let name = reader.text()
  reader.advance()
  if (reader.take(Token.Dot)) name += `.${reader.name('of a type after the module')}`
  reader.mentioned?.push(name)
  if (reader.kind === Token.Less) parseArgumentList(reader)
}

/** The expression is never evaluated; only its syntax is checked. */
function parseTypeof(reader: Reader): void {
  reader.advance()
  const at = reader.advance()
  typesIn(reader, reader.grammar.expression)
  reader.close(Token.ParenClose, ')', '(', at)
}

/** '<' [argument {',' argument}] '>' where argument ::= type | pack | NAME '...' | '...' type */
function parseArgumentList(reader: Reader): void {
  const at = reader.advance()
  if (reader.take(Token.Greater)) return
  do parsePackOrType(reader)
  while (reader.take(Token.Comma))
  reader.close(Token.Greater, '>', '<', at)
}

/** A type, or one of the forms for several types: `(a, b)`, `...a`, `a...`. */
function parsePackOrType(reader: Reader): void {
  if (isGenericPack(reader)) skipGenericPack(reader)
  else if (reader.take(Token.Ellipsis)) parseType(reader)
  else if (reader.kind === Token.ParenOpen) parsePackOrGroup(reader)
  else parseType(reader)
}

function isGenericPack(reader: Reader): boolean {
  return reader.kind === Token.Name && reader.peek(1) === Token.Ellipsis
}

function skipGenericPack(reader: Reader): void {
  reader.advance()
  reader.advance()
}

/**
 * `(a, b)` is a pack, and `(a) -> b` is a function; `(a)?` and `(a) | b` are types that start with a group.
 */
function parsePackOrGroup(reader: Reader): void {
  reader.enter()
  const shape = parseList(reader)
  if (reader.kind === Token.Arrow) parseArrow(reader)
  else if (shape === 'single') parseRest(reader)
  reader.leave()
}

/** Parses the rest of a type that starts with a group. */
function parseRest(reader: Reader): void {
  let hasUnion = false
  while (reader.take(Token.Question)) hasUnion = true
  if (reader.kind === Token.Ampersand && hasUnion) reader.fail('mixedTypes')
  if (reader.kind === Token.Bar || reader.kind === Token.Ampersand) parseType(reader)
}

/** group ::= '(' type ')'; function ::= ['<' generics '>'] list '->' returned */
function parseFunctionOrGroup(reader: Reader): void {
  const shape = parseList(reader)
  if (reader.kind === Token.Arrow || shape !== 'single') parseArrow(reader)
}

function parseFunctionType(reader: Reader): void {
  if (reader.kind !== Token.ParenOpen) reader.fail('expected', "'('", 'in the function type', reader.found())
  parseList(reader)
  parseArrow(reader)
}

/** '->' returned; the arrow is right-associative. */
function parseArrow(reader: Reader): void {
  reader.expect(Token.Arrow, "'->'", "after the function type's parameters")
  reader.mentioned?.push(FUNCTION_TYPE)
  parsePackOrType(reader)
}

/** list ::= '(' [element {',' element}] ')'; only a single plain type can be a group. */
function parseList(reader: Reader): 'single' | 'list' {
  const at = reader.advance()
  if (reader.take(Token.ParenClose)) return 'list'
  let isPlain = parseElement(reader)
  while (reader.take(Token.Comma)) {
    parseElement(reader)
    isPlain = false
  }
  reader.close(Token.ParenClose, ')', '(', at)
  return isPlain ? 'single' : 'list'
}

/** element ::= [NAME ':'] type | '...' type | NAME '...'. Returns whether it is a plain type. */
function parseElement(reader: Reader): boolean {
  if (isGenericPack(reader)) {
    skipGenericPack(reader)
    return false
  }
  const isNamed = reader.kind === Token.Name && reader.peek(1) === Token.Colon
  const isPlain = !isNamed && reader.kind !== Token.Ellipsis
  if (!isPlain) reader.advance()
  if (isNamed) reader.advance()
  parseType(reader)
  return isPlain
}

/** table ::= '{' [access] type '}' | '{' [field {(',' | ';') field} [',' | ';']] '}' */
function parseTableType(reader: Reader): void {
  const at = reader.advance()
  skipAccess(reader)
  if (isField(reader)) parseFields(reader)
  else if (reader.kind !== Token.BraceClose) parseType(reader)
  reader.close(Token.BraceClose, '}', '{', at)
}

/** access ::= 'read' | 'write'. These are also valid names of fields and types. */
function skipAccess(reader: Reader): void {
  const next = reader.peek(1)
  if (!reader.isWord('read') && !reader.isWord('write')) return
  if (next !== Token.Colon && next !== Token.BraceClose && next !== Token.Dot) reader.advance()
}

function isField(reader: Reader): boolean {
  if (reader.kind === Token.BracketOpen) return true
  return reader.kind === Token.Name && reader.peek(1) === Token.Colon
}

function parseFields(reader: Reader): void {
  while (reader.kind !== Token.BraceClose) {
    skipAccess(reader)
    parseField(reader)
    if (!reader.take(Token.Comma) && !reader.take(Token.Semicolon)) return
  }
}

/** field ::= [access] (NAME | '[' type ']') ':' type */
function parseField(reader: Reader): void {
  const { at } = reader
  if (reader.take(Token.BracketOpen)) {
    parseType(reader)
    reader.close(Token.BracketClose, ']', '[', at)
  } else reader.name('of a field in the table type')
  reader.expect(Token.Colon, "':'", 'after the name of the field')
  parseType(reader)
}
