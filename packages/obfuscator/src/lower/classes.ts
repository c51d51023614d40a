/** Lowers Luau classes to tables. Their runtime behavior is in `class-runtime.ts`. */

import { assignedNames } from '../macros/assigned-names.ts'
import type { Binding, Block, Chunk, Class, Expression, Index, Statement } from '../syntax/ast.ts'
import { nodesAt, oneValue } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'
import type { Support, SupportName } from './runtime-support.ts'

/** Globals whose behavior depends on classes. */
const GLOBALS: ReadonlyMap<string, SupportName> = new Map([
  ['class', 'classLibrary'],
  ['type', 'classType'],
  ['typeof', 'classTypeof'],
])

export type TargetOf = (binding: Binding) => Index | undefined

/**
 * Declares the variables of all classes at the start of their file, so that functions above a class can refer
 * to the class.
 *
 * @param targetOf returns the assignment target of an exported class.
 */
export function lowerClasses(chunk: Chunk, support: Support, targetOf: TargetOf): Chunk {
  const classes = classesOf(chunk)
  if (classes.length === 0) return chunk
  const assigned = assignedNames(chunk)
  const hasLength = classes.some(({ methods }) => methods.some(({ key }) => isText(key, '__len')))
  return rewrite(chunk, {
    GlobalName(node) {
      const name = assigned.has(node.name) ? undefined : GLOBALS.get(node.name)
      return name && support.use(name, node.at)
    },
    Unary: (node) =>
      hasLength && node.operator === '#'
        ? nodesAt(node.at).call(support.use('classLength', node.at), oneValue(node.operand))
        : undefined,
    Block: (node) => settled(node, support, targetOf),
  })
}

function classesOf(chunk: Chunk): readonly Class[] {
  const classes: Class[] = []
  rewrite(chunk, { Class: (node) => void classes.push(node) })
  return classes
}

function settled(node: Block, support: Support, targetOf: TargetOf): Block | undefined {
  const classes = node.statements.filter((each) => each.kind === 'Class')
  if (classes.length === 0) return undefined
  const bindings = classes
    .filter(({ binding }) => !targetOf(binding))
    .map(({ binding }) => ({ ...binding, isConst: false }))
  const declaration: Statement = { kind: 'Local', at: node.at, bindings, values: [] }
  const defined = node.statements.map((each) =>
    each.kind === 'Class' ? definition(each, support, targetOf) : each,
  )
  return { ...node, statements: bindings.length > 0 ? [declaration, ...defined] : defined }
}

function definition(node: Class, support: Support, targetOf: TargetOf): Statement {
  const { at, binding, isOpen, parent, fields, methods } = node
  const make = nodesAt(at)
  const made = make.call(
    support.use('makeClass', at),
    make.string(binding.name),
    make.boolean(isOpen),
    make.boolean(parent !== null),
    parent ?? { kind: 'NilLiteral', at },
    make.table(fields.map((each) => make.string(each))),
    { kind: 'Table', at, items: methods },
  )
  return make.assign(targetOf(binding) ?? make.use(binding.symbol), made)
}

function isText(node: Expression, text: string): boolean {
  return node.kind === 'StringLiteral' && node.value === text
}
