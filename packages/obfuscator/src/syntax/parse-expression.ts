/** Parses expressions: literals, names, calls, operators, functions and tables. */

import type {
  Binding,
  Bytes,
  Expression,
  Fields,
  FunctionExpression,
  MethodCall,
  Signature,
  StringLiteral,
  TableItem,
} from './ast.ts'
import { accepts, isLua54 } from './dialect.ts'
import type { UnaryOperator } from './operator-names.ts'
import { binaryOf, shiftOf, UNARY_PRIORITY } from './operators.ts'
import { parseHash, parseInterpolated, parseNumber, parseString } from './parse-literals.ts'
import {
  parseGenerics,
  parseReturnType,
  parseTypeArguments,
  parseVarargType,
  typesIn,
} from './parse-types.ts'
import { fitted, type Reader } from './reader.ts'
import { Token, type TokenKind } from './tokens.ts'

/** expression ::= unary {binaryoperator unary} */
export function parseExpression(reader: Reader): Expression {
  return parseOperators(reader, 0)
}

/** expressions ::= expression {',' expression} */
export function parseExpressions(reader: Reader): readonly Expression[] {
  const list = [reader.grammar.expression(reader)]
  if (reader.kind !== Token.Comma) return list
  while (reader.take(Token.Comma)) list.push(reader.grammar.expression(reader))
  return fitted(list)
}

/**
 * The suffixed expression at the start of an assignment or call. Like every expression, it adds a nesting
 * level.
 */
export function parseStart(reader: Reader): Expression {
  reader.grouped = null
  reader.enter()
  const outer = reader.beginChain()
  const node = parseSuffixed(reader)
  reader.endChain(outer)
  reader.leave()
  return node
}

/** fields ::= 'in' suffixed */
export function parseFields(reader: Reader, keys: Fields['keys']): Fields {
  const at = reader.advance()
  reader.needs('unpacking', at)
  if (reader.kind !== Token.Name && reader.kind !== Token.ParenOpen) reader.fail('unpackedNeedsParentheses')
  const object = parseStart(reader)
  if (binaryOf(reader.kind) !== undefined) reader.fail('unpackedNeedsParentheses')
  return { kind: 'Fields', at, object, keys }
}

/** suffixed ::= primary {['?'] ('.' NAME | '[' expression ']' | ':' NAME args | args | '<<' types '>>')} */
function parseSuffixed(reader: Reader): Expression {
  let node = parsePrimary(reader)
  let isSafe = false
  while (isSuffix(reader)) {
    reader.wrap()
    if (reader.kind === Token.Question) {
      node = parseGuard(reader, node)
      isSafe = true
    }
    node = parseSuffix(reader, node)
  }
  return isSafe ? { kind: 'Safe', at: node.at, chain: node } : node
}

function parseGuard(reader: Reader, object: Expression): Expression {
  const at = reader.advance()
  reader.needs('safeNavigation', at)
  if (reader.kind === Token.Question || !isSuffix(reader)) reader.fail('guardNeedsSuffix')
  return { kind: 'Guard', at, object }
}

/**
 * body ::= ['<' generics '>'] '(' [parameters] ')' [':' type] block 'end'
 *
 * `function` has been read at `at`; `selfAt` is the offset of a method's colon.
 */
export function parseFunctionBody(
  reader: Reader,
  at: number,
  attributes: readonly Bytes[],
  selfAt: number | null,
): FunctionExpression {
  const outer = reader.func
  reader.open += 1
  const parameters = selfAt === null ? [] : [reader.bind('self', selfAt, false)]
  if (reader.kind === Token.Less) parseGenerics(reader, false)
  const parts: TypedPart[] = []
  const isVararg = parseParameters(reader, parameters, parts)
  if (reader.kind === Token.Colon) parts.push({ name: null, types: typesIn(reader, parseReturnType) })
  reader.func = { isVararg, loops: 0 }
  const body = reader.grammar.block(reader)
  reader.functionEnds.set(at, reader.at)
  reader.close(Token.EndBlock, 'end', 'function', at)
  reader.func = outer
  reader.open -= 1
  const own = { attributes, parameters: fitted(parameters), isVararg, body }
  const typed = parts.length === 0 ? {} : { signature: { parts, declared: reader.types } }
  return { kind: 'FunctionExpression', at, ...own, ...typed }
}

type TypedPart = Signature['parts'][number]

/** attributes ::= {'@' NAME | '@[' attribute {',' attribute} ']'} */
export function parseAttributes(reader: Reader): Bytes[] {
  const names: Bytes[] = []
  reader.needs('attributes', reader.at)
  while (reader.take(Token.At)) {
    if (!reader.take(Token.BracketOpen)) {
      parseAttributeName(reader, names)
      continue
    }
    do parseAttribute(reader, names)
    while (reader.take(Token.Comma))
    reader.expect(Token.BracketClose, "']'", 'after the attributes')
  }
  return names
}

// --- attributes and parameters --------------------------------------------------------------------------------

function parseAttributeName(reader: Reader, names: Bytes[]): void {
  const at = reader.at
  const name = reader.name("after '@'")
  if (names.includes(name)) reader.complain(at, 'repeatedAttribute', name)
  names.push(name)
}

/** attribute ::= NAME [table | '(' [expressions] ')'] */
function parseAttribute(reader: Reader, names: Bytes[]): void {
  parseAttributeName(reader, names)
  if (reader.kind === Token.BraceOpen) parseTable(reader)
  else if (reader.kind === Token.String || reader.kind === Token.LongString) reader.fail('attributeArgument')
  else if (reader.take(Token.ParenOpen)) {
    const args = reader.kind === Token.ParenClose ? [] : parseExpressions(reader)
    reader.expect(Token.ParenClose, "')'", "after the attribute's arguments")
    if (args.length === 1 && args[0]?.kind === 'Name') names.push(`${names.pop()}(${args[0].name})`)
  }
}

/** parameters ::= NAME [':' type] {',' NAME [':' type]} [',' '...' [':' type]] | '...' [':' type] */
function parseParameters(reader: Reader, parameters: Binding[], parts: TypedPart[]): boolean {
  reader.expect(Token.ParenOpen, "'('", "before the function's parameters")
  if (reader.take(Token.ParenClose)) return false
  do {
    if (reader.take(Token.Ellipsis)) {
      if (reader.kind === Token.Colon) parts.push({ name: '...', types: typesIn(reader, parseVarargType) })
      if (reader.kind === Token.Comma) reader.fail('parameterAfterVararg')
      reader.expect(Token.ParenClose, "')'", 'after the parameters')
      return true
    }
    parameters.push(parseBinding(reader, 'as parameter', false, parts))
  } while (reader.take(Token.Comma))
  reader.expect(Token.ParenClose, "')'", 'after the parameters')
  return false
}

/** binding ::= NAME [':' type]. `parts` receives the type. */
export function parseBinding(reader: Reader, where: string, isConst: boolean, parts?: TypedPart[]): Binding {
  const at = reader.at
  const binding = reader.bind(reader.name(where), at, isConst)
  if (reader.kind === Token.Colon) {
    reader.needs('types', reader.advance())
    const types = typesIn(reader, reader.grammar.type)
    parts?.push({ name: binding.name, types })
  }
  return binding
}

// --- operators ------------------------------------------------------------------------------------------------

/**
 * Parses operators with a priority above `limit`. A loop handles left associativity; recursion handles right
 * associativity and higher priorities.
 */
function parseOperators(reader: Reader, limit: number): Expression {
  reader.enter()
  const outer = reader.beginChain()
  let left = parseUnary(reader)
  while (true) {
    const found = (isShift(reader) ? shiftOf(reader.kind) : null) ?? binaryOf(reader.kind)
    if (found === undefined || found.left <= limit) break
    const at = reader.advance()
    if (found.operator === '//') reader.needs('floorDivision', at)
    if (found.operator === '<<' || found.operator === '>>') reader.advance()
    if (BITS.has(found.operator)) reader.needs('bits', at)
    reader.wrap()
    const right = parseOperators(reader, found.right)
    left =
      found.operator === 'and' || found.operator === 'or'
        ? { kind: 'Logical', at, operator: found.operator, left, right }
        : { kind: 'Binary', at, operator: found.operator, left, right }
  }
  reader.endChain(outer)
  reader.leave()
  return left
}

const BITS: ReadonlySet<string> = new Set(['&', '|', '~'])

function isShift(reader: Reader): boolean {
  return isLua54(reader.dialect) && reader.peek(1) === reader.kind && reader.isJoined()
}

const unaries: ReadonlyMap<TokenKind, UnaryOperator> = new Map<TokenKind, UnaryOperator>([
  [Token.Minus, '-'],
  [Token.Not, 'not'],
  [Token.Hash, '#'],
  [Token.Tilde, '~'],
])

/** unary ::= ('-' | 'not' | '#' | '~') unary | simple ['::' type] */
function parseUnary(reader: Reader): Expression {
  const { kind, at } = reader
  const operator = unaries.get(kind)
  if (operator === undefined) return parseCast(reader)
  if (operator === '~') reader.needs('bits', at)
  reader.advance()
  return { kind: 'Unary', at, operator, operand: parseOperators(reader, UNARY_PRIORITY) }
}

/** A `::` after an expression is not a cast if it starts a LuaJIT label. */
function parseCast(reader: Reader): Expression {
  const node = parseSimple(reader)
  if (reader.kind !== Token.DoubleColon) return node
  if (reader.peek(1) === Token.Name && reader.peek(2) === Token.DoubleColon) return node
  reader.needs('types', reader.advance())
  reader.grammar.type(reader)
  return cutToOne(node)
}

/** Truncates a call or `...` to one value, for parentheses, casts and instantiations. */
function cutToOne(node: Expression): Expression {
  return isMultiple(node) ? { kind: 'Paren', at: node.at, inner: node } : node
}

/** Whether an expression can produce any number of values. */
export function isMultiple(node: Expression | undefined): boolean {
  return node?.kind === 'Call' || node?.kind === 'MethodCall' || node?.kind === 'Vararg'
}

/** simple ::= NUMBER | STRING | HASH | 'nil' | 'true' | 'false' | '...' | table | function | ifelse | interpolated | suffixed */
function parseSimple(reader: Reader): Expression {
  const { at } = reader
  switch (reader.kind) {
    case Token.Number:
      return parseNumber(reader)
    case Token.String:
    case Token.LongString:
    case Token.WholeInterpolated:
      return parseString(reader)
    case Token.FirstInterpolated:
      return parseInterpolated(reader)
    case Token.HashedString:
      return parseHash(reader)
    case Token.Nil:
      reader.advance()
      return { kind: 'NilLiteral', at }
    case Token.True:
    case Token.False:
      return { kind: 'BooleanLiteral', at, value: isTrue(reader) }
    case Token.Ellipsis:
      return parseVararg(reader)
    case Token.BraceOpen:
      return parseTable(reader)
    case Token.Function:
    case Token.At:
      return parseFunction(reader)
    case Token.If:
      return parseIfExpression(reader)
    default:
      return parseSuffixed(reader)
  }
}

function isTrue(reader: Reader): boolean {
  const value = reader.kind === Token.True
  reader.advance()
  return value
}

function parseVararg(reader: Reader): Expression {
  if (!reader.func.isVararg) reader.complain(reader.at, 'varargOutside')
  return { kind: 'Vararg', at: reader.advance() }
}

/** function ::= attributes 'function' body */
function parseFunction(reader: Reader): Expression {
  const attributes = reader.kind === Token.At ? parseAttributes(reader) : []
  if (reader.kind !== Token.Function) reader.fail('attributeNeedsFunction', reader.found())
  return parseFunctionBody(reader, reader.advance(), attributes, null)
}

/** ifelse ::= 'if' expression 'then' expression {'elseif' expression 'then' expression} 'else' expression */
function parseIfExpression(reader: Reader): Expression {
  const at = reader.at
  reader.needs('ifExpression', reader.advance())
  const condition = reader.grammar.expression(reader)
  reader.expect(Token.Then, "'then'", 'after the condition')
  const consequent = reader.grammar.expression(reader)
  reader.enter()
  const otherwise = parseIfExpressionRest(reader)
  reader.leave()
  return { kind: 'IfExpression', at, condition, consequent, otherwise }
}

function parseIfExpressionRest(reader: Reader): Expression {
  if (reader.kind === Token.ElseIf) return parseIfExpression(reader)
  reader.expect(Token.Else, "'else'", 'in the if-expression, which always has a value')
  return reader.grammar.expression(reader)
}

// --- tables ---------------------------------------------------------------------------------------------------

/** table ::= '{' [item {(',' | ';') item} [',' | ';']] '}' */
function parseTable(reader: Reader): Expression {
  const at = reader.advance()
  const items: TableItem[] = []
  while (reader.kind !== Token.BraceClose) {
    items.push(parseItem(reader))
    if (!reader.take(Token.Comma) && !reader.take(Token.Semicolon)) break
  }
  reader.close(Token.BraceClose, '}', '{', at)
  return { kind: 'Table', at, items: fitted(items) }
}

/** item ::= ('[' expression ']' | NAME) '=' expression | ('[' expression ']' | '.' NAME) ['=' expression] | expression */
function parseItem(reader: Reader): TableItem {
  const { at } = reader
  if (reader.kind === Token.Name && reader.peek(1) === Token.Assign) {
    const key = parseNameAsString(reader, '')
    reader.advance()
    return { kind: 'KeyedItem', at, key, value: reader.grammar.expression(reader) }
  }
  if (reader.kind === Token.Dot) {
    reader.needs('sets', reader.advance())
    return parseSetItem(reader, at, parseNameAsString(reader, "after '.'"))
  }
  if (!reader.take(Token.BracketOpen)) {
    return { kind: 'PositionalItem', at, value: reader.grammar.expression(reader) }
  }
  const key = reader.grammar.expression(reader)
  reader.close(Token.BracketClose, ']', '[', at)
  return parseSetItem(reader, at, key)
}

/** In FiveM, an item without a value is `true`. */
function parseSetItem(reader: Reader, at: number, key: Expression): TableItem {
  if (reader.kind !== Token.Assign && accepts(reader.dialect, 'sets')) {
    return { kind: 'KeyedItem', at, key, value: { kind: 'BooleanLiteral', at, value: true } }
  }
  reader.expect(Token.Assign, "'='", 'after the key')
  return { kind: 'KeyedItem', at, key, value: reader.grammar.expression(reader) }
}

// --- names, fields, calls -------------------------------------------------------------------------------------

/** primary ::= NAME | '(' expression ')' */
function parsePrimary(reader: Reader): Expression {
  const { at } = reader
  if (reader.baseClassAt === at) return parseBaseClassGetter(reader)
  if (reader.kind === Token.Name) return { kind: 'Name', at, name: reader.name('') }
  if (reader.kind !== Token.ParenOpen) return reader.fail('expectedExpression', reader.found())
  reader.advance()
  const node = cutToOne(reader.grammar.expression(reader))
  reader.close(Token.ParenClose, ')', '(', at)
  reader.grouped = node
  return node
}

/**
 * Reads `DEFINE_BASECLASS` as `baseclass.Get`, the end of its replacement. Only valid at the start of its
 * statement.
 */
function parseBaseClassGetter(reader: Reader): Expression {
  const at = reader.advance()
  const key: StringLiteral = { kind: 'StringLiteral', at, value: 'Get' }
  return { kind: 'Index', at, object: { kind: 'Name', at, name: 'baseclass' }, key }
}

function isSuffix(reader: Reader): boolean {
  switch (reader.kind) {
    case Token.Dot:
    case Token.BracketOpen:
    case Token.Colon:
    case Token.ParenOpen:
    case Token.BraceOpen:
    case Token.String:
    case Token.LongString:
    case Token.WholeInterpolated:
    case Token.FirstInterpolated:
    case Token.HashedString:
    case Token.Question:
      return true
    default:
      return isInstantiation(reader)
  }
}

/**
 * `<<` is lexed as two tokens, like `>>`, which closes two lists in `a<b<c>>`. Two `<` operators never follow
 * each other.
 */
function isInstantiation(reader: Reader): boolean {
  return reader.kind === Token.Less && reader.peek(1) === Token.Less && !isLua54(reader.dialect)
}

function parseSuffix(reader: Reader, node: Expression): Expression {
  const { at } = reader
  switch (reader.kind) {
    case Token.Dot:
      reader.advance()
      return { kind: 'Index', at, object: node, key: parseNameAsString(reader, "after '.'") }
    case Token.BracketOpen: {
      reader.advance()
      const key = reader.grammar.expression(reader)
      reader.close(Token.BracketClose, ']', '[', at)
      return { kind: 'Index', at, object: node, key }
    }
    case Token.Colon:
      return parseMethodCall(reader, node)
    case Token.Less:
      parseTypeArguments(reader)
      return cutToOne(node)
    case Token.WholeInterpolated:
    case Token.FirstInterpolated:
      return reader.fail('callNeedsParentheses')
    default:
      return { kind: 'Call', at, callee: node, args: parseArguments(reader) }
  }
}

function parseNameAsString(reader: Reader, where: string): StringLiteral {
  const { at } = reader
  return { kind: 'StringLiteral', at, value: reader.name(where) }
}

/** ':' NAME ['<<' types '>>'] args */
function parseMethodCall(reader: Reader, object: Expression): MethodCall {
  const at = reader.advance()
  const method = reader.name("of a method after ':'")
  if (isInstantiation(reader)) parseTypeArguments(reader)
  return { kind: 'MethodCall', at, object, method, args: parseArguments(reader) }
}

/** args ::= '(' [expressions] ')' | table | STRING | HASH */
function parseArguments(reader: Reader): readonly Expression[] {
  const { at } = reader
  if (reader.kind === Token.BraceOpen) return [parseTable(reader)]
  if (reader.kind === Token.String || reader.kind === Token.LongString) return [parseString(reader)]
  if (reader.kind === Token.HashedString) return [parseHash(reader)]
  if (reader.kind !== Token.ParenOpen) reader.fail('expected', "'('", 'after the method name', reader.found())
  if (reader.startsLine() && !isLua54(reader.dialect)) reader.complain(at, 'ambiguousCall')
  reader.advance()
  if (reader.take(Token.ParenClose)) return []
  const args = parseExpressions(reader)
  reader.close(Token.ParenClose, ')', '(', at)
  return args
}
