import type { Binding, Bytes, Class, Expression, KeyedItem } from './ast.ts'
import { parseFunctionBody } from './parse-expression.ts'
import type { Reader } from './reader.ts'
import { Token } from './tokens.ts'

const METAMETHODS: ReadonlySet<Bytes> = new Set(
  'add call concat div eq idiv init iter le len lt mod mul pow sub tostring unm'
    .split(' ')
    .map((each) => `__${each}`),
)

/**
 * class ::= ['open'] 'class' NAME ['extends' parent] {['public'] 'function' NAME body | 'public' NAME [':'
 * type]} 'end'
 *
 * The keywords have already been read; the statement starts at `at`.
 */
export function parseClass(reader: Reader, at: number, isOpen: boolean): Class {
  reader.needs('classes', at)
  if (!reader.isTopLevel) reader.complain(at, 'classPlace')
  const nameAt = reader.at
  const binding = reader.bind(reader.name("after 'class'"), nameAt, true)
  if (reader.classes.has(binding.name)) reader.complain(nameAt, 'repeatedClass', binding.name)
  reader.classes.add(binding.name)
  const members: Members = { names: new Set(), fields: [], methods: [] }
  reader.open += 1
  const parent = parseParent(reader)
  while (reader.kind !== Token.EndBlock) parseMember(reader, members, binding, at)
  reader.close(Token.EndBlock, 'end', 'class', at)
  reader.open -= 1
  const { fields, methods } = members
  return { kind: 'Class', at, binding, isOpen, parent, fields, methods }
}

type Members = { readonly names: Set<Bytes>; readonly fields: Bytes[]; readonly methods: KeyedItem[] }

/** parent ::= NAME {'.' NAME | '[' expression ']'} */
function parseParent(reader: Reader): Expression | null {
  if (!reader.isWord('extends')) return null
  reader.advance()
  reader.enter()
  const outer = reader.beginChain()
  let node: Expression = { kind: 'Name', at: reader.at, name: reader.name("after 'extends'") }
  while (reader.kind === Token.Dot || reader.kind === Token.BracketOpen) {
    const { at } = reader
    reader.wrap()
    if (reader.take(Token.Dot)) {
      const keyAt = reader.at
      node = { kind: 'Index', at, object: node, key: nameAt(keyAt, reader.name("after '.'")) }
      continue
    }
    reader.advance()
    node = { kind: 'Index', at, object: node, key: reader.grammar.expression(reader) }
    reader.close(Token.BracketClose, ']', '[', at)
  }
  reader.endChain(outer)
  reader.leave()
  return node
}

function nameAt(at: number, value: Bytes): Expression {
  return { kind: 'StringLiteral', at, value }
}

function parseMember(reader: Reader, members: Members, binding: Binding, classAt: number): void {
  const isPublic = reader.isWord('public')
  if (isPublic) reader.advance()
  if (reader.kind === Token.Function) {
    parseMethod(reader, members, binding)
    return
  }
  if (reader.kind === Token.End) reader.close(Token.EndBlock, 'end', 'class', classAt)
  if (!isPublic) reader.fail('classMember', reader.found())
  const { at } = reader
  const name = reader.name("of a field after 'public'")
  if (name.startsWith('__')) reader.complain(at, 'fieldName', name)
  declare(reader, members, at, name)
  members.fields.push(name)
  if (reader.take(Token.Colon)) reader.grammar.type(reader)
}

function declare(reader: Reader, { names }: Members, at: number, name: Bytes): void {
  if (name === 'new') reader.complain(at, 'memberNew')
  if (names.has(name)) reader.complain(at, 'repeatedMember', name)
  names.add(name)
}

function parseMethod(reader: Reader, members: Members, binding: Binding): void {
  const functionAt = reader.advance()
  const { at } = reader
  const name = reader.name("of a method after 'function'")
  declare(reader, members, at, name)
  if (name.startsWith('__') && !METAMETHODS.has(name)) reader.complain(at, 'methodName', name)
  const value = parseFunctionBody(reader, functionAt, [], null)
  if (name === '__init' && value.parameters[0]?.name !== 'self')
    reader.complain(at, 'initNeedsSelf', binding.name)
  members.methods.push({ kind: 'KeyedItem', at, key: nameAt(at, name), value })
}
