/** Parses declarations: locals, constants, named functions, exports and types. */

import type { Assign, Binding, Bytes, Class, Local, LocalFunction, Statement, Target } from './ast.ts'
import { isLua54 } from './dialect.ts'
import { parseClass } from './parse-class.ts'
import {
  isMultiple,
  parseAttributes,
  parseBinding,
  parseExpressions,
  parseFields,
  parseFunctionBody,
} from './parse-expression.ts'
import { parseGenerics, parseType, typesIn } from './parse-types.ts'
import { fitted, type Reader } from './reader.ts'
import { Token } from './tokens.ts'

/** local ::= 'local' 'function' NAME body | 'local' bindings ['=' expressions | 'in' suffixed] */
export function parseLocal(reader: Reader): Statement {
  const at = reader.advance()
  if (reader.kind === Token.Function) return parseLocalFunction(reader, at, [], false)
  return parseLocalValues(reader, at)
}

function parseLocalValues(reader: Reader, at: number): Local {
  const bindings = [parseAttribute(reader, parseBinding(reader, "after 'local'", false))]
  while (reader.take(Token.Comma))
    bindings.push(parseAttribute(reader, parseBinding(reader, "after ','", false)))
  if (bindings.filter((each) => each.attribute === 'close').length > 1) reader.complain(at, 'severalClose')
  if (reader.kind === Token.In) return parseUnpacked(reader, at, bindings)
  const values = reader.take(Token.Assign) ? parseExpressions(reader) : []
  return { kind: 'Local', at, bindings: fitted(bindings), values }
}

/** FiveM does not close a variable that it unpacks, even with `<close>`. */
function parseUnpacked(reader: Reader, at: number, bindings: readonly Binding[]): Local {
  const keys = bindings.map(({ at, name }) => ({ kind: 'StringLiteral', at, value: name }) as const)
  const values = [parseFields(reader, keys)]
  return { kind: 'Local', at, bindings: bindings.map(({ attribute, ...each }) => each), values }
}

/**
 * Before Garry's Mod compiles a file, it replaces the text `DEFINE_BASECLASS` with
 * `local BaseClass = baseclass.Get`. Everything that follows is therefore part of the value.
 */
export function parseBaseClass(reader: Reader): Local {
  const { at } = reader
  reader.baseClassAt = at
  return {
    kind: 'Local',
    at,
    bindings: [reader.bind('BaseClass', at, false)],
    values: parseExpressions(reader),
  }
}

export function parseBindings(reader: Reader, where: string, isConst: boolean): readonly Binding[] {
  const bindings = [parseBinding(reader, where, isConst)]
  while (reader.take(Token.Comma)) bindings.push(parseBinding(reader, "after ','", isConst))
  return fitted(bindings)
}

function parseLocalFunction(
  reader: Reader,
  at: number,
  attributes: readonly Bytes[],
  isConst: boolean,
): LocalFunction {
  const functionAt = reader.advance()
  const nameAt = reader.at
  const binding = reader.bind(reader.name("after 'function'"), nameAt, isConst)
  const func = parseFunctionBody(reader, functionAt, attributes, null)
  return { kind: 'LocalFunction', at, binding, func }
}

/**
 * const ::= 'const' 'function' NAME body | 'const' bindings '=' expressions; the keyword has already been
 * read.
 */
export function parseConst(reader: Reader, at: number): Statement {
  reader.needs('const', at)
  if (reader.kind === Token.Function) return parseLocalFunction(reader, at, [], true)
  return parseConstValues(reader, at)
}

/** attribute ::= ['<' ('const' | 'close') '>'] */
function parseAttribute(reader: Reader, binding: Binding): Binding {
  if (reader.kind !== Token.Less) return binding
  if (!isLua54(reader.dialect)) reader.fail('lua54Attribute')
  reader.advance()
  const { at } = reader
  const attribute = reader.name("of an attribute after '<'")
  if (attribute !== 'const' && attribute !== 'close') return reader.failAt(at, 'unknownAttribute', attribute)
  reader.expect(Token.Greater, "'>'", 'after the attribute')
  return { ...binding, isConst: true, attribute }
}

function parseConstValues(reader: Reader, at: number): Local {
  const bindings = parseBindings(reader, "after 'const'", true)
  if (!reader.take(Token.Assign)) reader.fail('constNeedsValue')
  const values = parseExpressions(reader)
  if (values.length !== bindings.length && !isMultiple(values.at(-1))) reader.complain(at, 'constNeedsValue')
  return { kind: 'Local', at, bindings, values }
}

/** function ::= 'function' NAME {'.' NAME} [':' NAME] body */
export function parseFunctionStatement(reader: Reader, attributes: readonly Bytes[]): Assign {
  const at = reader.advance()
  reader.enter()
  const outer = reader.beginChain()
  let target: Target = { kind: 'Name', at: reader.at, name: reader.name("after 'function'") }
  let selfAt: number | null = null
  while (selfAt === null && (reader.kind === Token.Dot || reader.kind === Token.Colon)) {
    if (reader.kind === Token.Colon) selfAt = reader.at
    const dot = reader.advance()
    reader.wrap()
    const keyAt = reader.at
    const value = reader.name('in the name of the function')
    target = { kind: 'Index', at: dot, object: target, key: { kind: 'StringLiteral', at: keyAt, value } }
  }
  reader.endChain(outer)
  reader.leave()
  const func = parseFunctionBody(reader, at, attributes, selfAt)
  return { kind: 'Assign', at, targets: [target], values: [func] }
}

/** attributed ::= attributes (function | 'local' 'function' … | 'const' 'function' … | 'export' 'function' …) */
export function parseAttributed(reader: Reader): Statement {
  const { at } = reader
  const attributes = parseAttributes(reader)
  if (reader.kind === Token.Function) return parseFunctionStatement(reader, attributes)
  if (reader.isWord('export')) {
    reader.advance()
    return parseExport(reader, at, attributes)
  }
  const isConst = reader.isWord('const')
  if ((reader.kind === Token.Local || isConst) && reader.peek(1) === Token.Function) {
    reader.advance()
    return parseLocalFunction(reader, at, attributes, isConst)
  }
  return reader.fail('attributeNeedsFunction', reader.found())
}

/**
 * export ::= 'export' ('local' bindings ['=' expressions] | 'const' bindings '=' expressions | 'function'
 * NAME body | class)
 *
 * The keyword has already been read. The exports of a chunk are its return value.
 */
export function parseExport(reader: Reader, at: number, attributes: readonly Bytes[]): Statement {
  reader.needs('exports', at)
  if (!reader.isTopLevel) reader.complain(at, 'exportPlace')
  const node = parseExported(reader, at, attributes)
  const bindings = node.kind === 'Local' ? node.bindings : [node.binding]
  for (const binding of bindings) {
    if (reader.exports.has(binding.name)) reader.complain(binding.at, 'repeatedExport', binding.name)
    reader.exports.add(binding.name)
  }
  return node.kind === 'Local'
    ? { ...node, bindings: node.bindings.map(exported) }
    : { ...node, binding: exported(node.binding) }
}

function exported(binding: Binding): Binding {
  return { ...binding, isExported: true }
}

function parseExported(
  reader: Reader,
  at: number,
  attributes: readonly Bytes[],
): Local | LocalFunction | Class {
  if (reader.kind === Token.Function) return parseLocalFunction(reader, at, attributes, true)
  const isConst = reader.isWord('const')
  if (attributes.length > 0) reader.fail('attributeNeedsFunction', reader.found())
  if (isConst || reader.kind === Token.Local) {
    if (reader.peek(1) === Token.Function) reader.fail('exportFunction')
    reader.advance()
    return isConst ? parseConstValues(reader, at) : parseLocalValues(reader, at)
  }
  const isOpen = reader.isWord('open')
  if (reader.isWord('class', isOpen ? 1 : 0)) {
    if (isOpen) reader.advance()
    reader.advance()
    return parseClass(reader, at, isOpen)
  }
  return reader.fail(
    'expected',
    "'local', 'const', 'function', 'class' or 'type'",
    "after 'export'",
    reader.found(),
  )
}

/** type ::= ['export'] 'type' NAME ['<' generics '>'] '=' type | ['export'] 'type' 'function' NAME body */
export function parseTypeStatement(reader: Reader, at: number): null {
  reader.needs('types', at)
  if (reader.kind === Token.Function) {
    const functionAt = reader.advance()
    reader.types.set(reader.name('of the type function'), [])
    parseFunctionBody(reader, functionAt, [], null)
    return null
  }
  const name = reader.name('of the type')
  if (reader.kind === Token.Less) parseGenerics(reader, true)
  reader.expect(Token.Assign, "'='", 'after the name of the type')
  reader.types.set(name, typesIn(reader, parseType))
  return null
}
