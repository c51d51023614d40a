/**
 * Lowers expressions to instructions. A small expression becomes a single operand. A larger one is split so
 * that everything is evaluated in Lua's order: values that precede an instruction are stored in registers
 * first.
 */

import { isPure, toFieldCall } from '../lower/method-calls.ts'
import type { Binary, Call, Expression, Index, MethodCall, SymbolId, Table } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import type { BasicBlock } from './ir.ts'
import type { RegionBuilder } from './region-builder.ts'
import { type Location, valueNode } from './register-allocator.ts'

/**
 * An element of a list that is evaluated in order. If `isLate` is set for a local, hosts read the local only
 * after evaluating all elements.
 */
export type Part = {
  readonly value: Expression
  readonly isLate?: boolean
  /** Whether the value must be in a register. */
  readonly isSettled?: boolean
}

const MAX_TABLE_ITEMS = 40

/** Whether the value needs separate instructions before it can be an operand. */
function isHeavy(builder: RegionBuilder, node: Expression): boolean {
  const { weight, methods, races } = builder.shared.measureOf(node)
  const isLarge = weight > builder.policy.expression || methods > 0 || races > 0
  switch (node.kind) {
    case 'Binary':
    case 'Logical':
    case 'Unary':
    case 'IfExpression':
    case 'Paren':
    case 'Index':
    case 'Call':
    case 'MethodCall':
      return isLarge
    case 'Table':
      return isLarge && node.items.length <= MAX_TABLE_ITEMS
    default:
      return false
  }
}

/** Lowers a value to an operand of the next instruction, which performs the value's last operation. */
export function lowerOperand(builder: RegionBuilder, node: Expression): Expression {
  return isHeavy(builder, node) ? decompose(builder, node) : builder.mapped(node)
}

/** Lowers values to operands of the next instruction, evaluated from left to right. */
export function lowerOperands(builder: RegionBuilder, parts: readonly Part[]): Expression[] {
  const last = parts.findLastIndex((part) => isHeavy(builder, part.value))
  // A local that is read late must be read after all other values have been evaluated, even if reading it
  // takes an extra instruction.
  const waiting = parts.findIndex((part) => waits(builder, part))
  return parts.map((part, i) => {
    if (i === waiting) return builder.mapped(part.value)
    const isCut =
      part.isSettled ||
      i < last ||
      (waiting >= 0 && i > waiting && part.value.kind !== 'Vararg') ||
      (i === last && !isMany(part.value) && builder.shared.random.chance(CUT))
    return isCut ? settled(builder, part) : lowerOperand(builder, part.value)
  })
}

function waits(builder: RegionBuilder, { value, isLate }: Part): boolean {
  return (
    value.kind === 'LocalName' &&
    (isLate ?? false) &&
    builder.isOwn(value.symbol) &&
    builder.isHeld(value.symbol)
  )
}

/** The fraction of large operands that become separate instructions. */
const CUT = 0.75

/** Whether the expression can produce several values. It is truncated to one value unless it is last. */
export function isMany({ kind }: Expression): boolean {
  return kind === 'Call' || kind === 'MethodCall' || kind === 'Vararg'
}

/** Evaluates an expression, truncates it to one value, and stores the value in a register. */
export function evaluateInto(builder: RegionBuilder, node: Expression, place: Location): void {
  const value = lowerOperand(builder, node)
  const target = valueNode(place, node.at)
  builder.push(builder.shared.measureOf(node).weight, nodesAt(node.at).assign(target, value))
}

/** Evaluates a value and returns a register or constant for it. */
function settled(builder: RegionBuilder, { value, isLate }: Part): Expression {
  if (isConstant(value)) return value
  if (value.kind === 'LocalName' && mayWait(builder, value.symbol, isLate ?? false)) {
    return builder.mapped(value)
  }
  // Registers used to compute the value are free afterward, so one of them can store the result.
  const mark = builder.registers.mark
  const found = lowerOperand(builder, value)
  builder.registers.release(mark)
  const place = builder.temporary(value)
  const target = valueNode(place, value.at)
  const isThere = found.kind === 'LocalName' && found.symbol === place.symbol && place.index === null
  if (!isThere) builder.push(builder.shared.measureOf(value).weight, nodesAt(value.at).assign(target, found))
  return target
}

function mayWait(builder: RegionBuilder, symbol: SymbolId, isLate: boolean): boolean {
  return !builder.isVolatile(symbol) || (isLate && builder.isOwn(symbol))
}

const CONSTANTS: ReadonlySet<string> = new Set([
  'NilLiteral',
  'BooleanLiteral',
  'NumberLiteral',
  'StringLiteral',
])

function isConstant(node: Expression): boolean {
  return CONSTANTS.has(node.kind)
}

function decompose(builder: RegionBuilder, node: Expression): Expression {
  switch (node.kind) {
    case 'Binary':
      return node.operator === '..' ? concatenation(builder, node) : operation(builder, node)
    case 'Unary': {
      const [value] = lowerOperands(builder, [{ value: node.operand }])
      return { ...node, operand: value as Expression }
    }
    case 'Index': {
      const [object, key] = lowerOperands(builder, [
        { value: node.object, isLate: true },
        { value: node.key, isLate: true },
      ])
      return { ...node, object, key } as Index
    }
    case 'Paren':
      return { ...node, inner: decompose(builder, node.inner) }
    case 'Call':
    case 'MethodCall':
      return call(builder, node)
    case 'Table':
      return table(builder, node)
    default:
      return chosen(builder, node)
  }
}

function operation(builder: RegionBuilder, node: Binary): Expression {
  const [left, right] = lowerOperands(builder, [
    { value: node.left, isLate: true },
    { value: node.right, isLate: true },
  ])
  return { ...node, left, right } as Binary
}

/** All operands of a chain of `..` are evaluated before the first two are concatenated. */
function concatenation(builder: RegionBuilder, node: Binary): Expression {
  const parts: Part[] = []
  let rest: Expression = node
  while (rest.kind === 'Binary' && rest.operator === '..') {
    parts.push({ value: rest.left })
    rest = rest.right
  }
  parts.push({ value: rest })
  const values = lowerOperands(builder, parts)
  return values.reduceRight((right, left) => nodesAt(node.at).binary(left, '..', right))
}

// --- calls and lists

/**
 * A list whose last value may expand to several values: its parts in order, and a function that rebuilds
 * the list from their operands.
 */
export type OpenList = {
  readonly parts: readonly Part[]
  rebuild(values: readonly Expression[]): Expression[]
}

/** The instruction that consumes the list also performs the last call, so that no value is lost. */
export function openList(builder: RegionBuilder, values: readonly Expression[]): OpenList {
  const last = values.at(-1)
  const parts: Part[] = values.map((value) => ({ value }))
  if (last?.kind !== 'Call' || !isHeavy(builder, last)) return closed(builder, parts)
  const inner = openList(builder, last.args)
  const head = parts.slice(0, -1)
  return {
    parts: [...head, { value: last.callee }, ...inner.parts],
    rebuild(found) {
      const callee = found[head.length] as Expression
      const args = inner.rebuild(found.slice(head.length + 1))
      return [...found.slice(0, head.length), { ...last, callee, args }]
    },
  }
}

/** A method call at the end of a list also expands to all its values, and is not split. */
function closed(builder: RegionBuilder, parts: readonly Part[]): OpenList {
  const last = parts.at(-1)?.value
  if (last?.kind !== 'MethodCall' || !isHeavy(builder, last)) return { parts, rebuild: (found) => [...found] }
  const head = parts.slice(0, -1)
  const isFree = builder.shared.order === 'first' || last.args.every(isPure)
  return {
    parts: [...head, { value: last.object, isSettled: isFree }],
    rebuild: (found) => [
      ...found.slice(0, -1),
      toFieldCall(
        { ...last, object: found.at(-1) as Expression, args: last.args.map((each) => builder.mapped(each)) },
        builder.shared.order,
      ),
    ],
  }
}

function call(builder: RegionBuilder, node: Call | MethodCall): Expression {
  if (node.kind === 'MethodCall') return methodCall(builder, node)
  const list = openList(builder, node.args)
  const [callee, ...args] = lowerOperands(builder, [{ value: node.callee }, ...list.parts])
  return { ...node, callee: callee as Expression, args: list.rebuild(args) }
}

/** Lua 5.1 and LuaJIT look up a method before they evaluate its arguments; Luau does so afterward. */
function methodCall(builder: RegionBuilder, node: MethodCall): Expression {
  const object = settled(builder, { value: node.object, isLate: true })
  if (node.args.every(isPure))
    return toFieldCall(
      { ...node, object, args: node.args.map((arg) => builder.mapped(arg)) },
      builder.shared.order,
    )
  const { order } = builder.shared
  const last = node.args.at(-1)
  if (order !== 'first' && last && isMany(last) && last.kind !== 'Vararg') {
    return { ...node, object, args: node.args.map((arg) => builder.mapped(arg)) }
  }
  const make = nodesAt(node.at)
  const isFixed = node.object.kind !== 'LocalName' || !builder.isVolatile(node.object.symbol)
  const self = isFixed ? object : copied(builder, object)
  const field = make.index(self, make.string(node.method))
  const early =
    order === 'first'
      ? field
      : make.logical(make.index(make.use(builder.stream), make.number(0)), 'and', field)
  const method = order === 'last' ? null : copied(builder, early)
  const list = openList(builder, node.args)
  const values =
    order === 'first'
      ? lowerOperands(builder, list.parts)
      : list.parts.map((part) => (part.value === last && isMany(last) ? last : settled(builder, part)))
  const args = list.rebuild(values)
  if (order === 'first' && method) return make.call(method, self, ...args)
  return make.call(method ? make.logical(method, 'or', field) : field, self, ...args)
}

function copied(builder: RegionBuilder, value: Expression): Expression {
  const place = builder.temporary(value)
  builder.push(1, nodesAt(value.at).assign(valueNode(place, value.at), value))
  return valueNode(place, value.at)
}

/** A single constructor stores all items, so that positions and keys are filled in the host's order. */
function table(builder: RegionBuilder, node: Table): Expression {
  const last = node.items.at(-1)
  const tail = last?.kind === 'PositionalItem' ? [last.value] : []
  const list = openList(builder, tail)
  const head = tail.length > 0 ? node.items.slice(0, -1) : node.items
  const parts = head.flatMap((item): Part[] =>
    item.kind === 'KeyedItem' ? [{ value: item.key }, { value: item.value }] : [{ value: item.value }],
  )
  const found = lowerOperands(builder, [...parts, ...list.parts])
  const take = (): Expression => found.shift() as Expression
  const items = head.map((item) =>
    item.kind === 'KeyedItem' ? { ...item, key: take(), value: take() } : { ...item, value: take() },
  )
  const open = list.rebuild(found).map((value) => ({ kind: 'PositionalItem', at: value.at, value }) as const)
  return { ...node, items: [...items, ...open] }
}

// --- conditionals

/**
 * Lowers `and`, `or` and `if then else` in value position: every path stores its value in the same
 * register.
 */
function chosen(builder: RegionBuilder, node: Expression): Expression {
  const place = builder.temporary(node)
  const after = builder.block()
  choose(builder, node, place)
  builder.jump(after)
  builder.open(after)
  return valueNode(place, node.at)
}

function choose(builder: RegionBuilder, node: Expression, place: Location): void {
  if (node.kind === 'IfExpression' && isHeavy(builder, node)) {
    const [then, otherwise, after] = [builder.block(), builder.block(), builder.block()]
    lowerCondition(builder, node.condition, then, otherwise)
    builder.open(then)
    choose(builder, node.consequent, place)
    builder.jump(after)
    builder.open(otherwise)
    choose(builder, node.otherwise, place)
    builder.jump(after)
    builder.open(after)
    return
  }
  if (node.kind !== 'Logical' || !isHeavy(builder, node)) {
    evaluateInto(builder, node, place)
    return
  }
  const [right, after] = [builder.block(), builder.block()]
  choose(builder, node.left, place)
  const found = valueNode(place, node.at)
  if (node.operator === 'and') builder.branch(found, right, after)
  else builder.branch(found, after, right)
  builder.open(right)
  choose(builder, node.right, place)
  builder.jump(after)
  builder.open(after)
}

/** Branches to one of two blocks. */
export function lowerCondition(
  builder: RegionBuilder,
  node: Expression,
  then: BasicBlock,
  otherwise: BasicBlock,
): void {
  if (node.kind === 'Unary' && node.operator === 'not') {
    lowerCondition(builder, node.operand, otherwise, then)
    return
  }
  if (node.kind !== 'Logical' || !isHeavy(builder, node)) {
    builder.scope(() => builder.branch(lowerOperand(builder, node), then, otherwise))
    return
  }
  const right = builder.block()
  if (node.operator === 'and') lowerCondition(builder, node.left, right, otherwise)
  else lowerCondition(builder, node.left, then, right)
  builder.open(right)
  lowerCondition(builder, node.right, then, otherwise)
}
