// Expressions → instructions. Small ones stay one operand; others are taken apart so that every part is evaluated in
// Lua's order, which means that what comes before an instruction goes into a register first.

import { asField, isStill } from '../lower/method-calls.ts'
import type { Binary, Call, Expression, Index, MethodCall, SymbolId, Table } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import type { Block } from './ir.ts'
import type { Body } from './region-builder.ts'
import { type Place, placeNode } from './register-allocator.ts'

/** Part of a list that is evaluated in order. Hosts read a local that is `isLate` only when all parts are there. */
export type Part = {
  readonly value: Expression
  readonly isLate?: boolean
  /** Wanted in a register. */
  readonly isSettled?: boolean
}

const WIDEST = 40

/** Whether instructions are needed before the value can be an operand. */
export function isHeavy(body: Body, node: Expression): boolean {
  const { weight, methods, races } = body.shared.measureOf(node)
  const isLarge = weight > body.policy.expression || methods > 0 || races > 0
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
      return isLarge && node.items.length <= WIDEST
    default:
      return false
  }
}

/** An operand of the next instruction: the last operation of the value is done there. */
export function operand(body: Body, node: Expression): Expression {
  return isHeavy(body, node) ? decompose(body, node) : body.mapped(node)
}

/** Operands of the next instruction, evaluated from left to right. */
export function operands(body: Body, parts: readonly Part[]): Expression[] {
  const last = parts.findLastIndex((part) => isHeavy(body, part.value))
  // A local that is read late must find all others there, also when it is held where reading it takes an instruction.
  const waiting = parts.findIndex((part) => waits(body, part))
  return parts.map((part, i) => {
    if (i === waiting) return body.mapped(part.value)
    const isCut =
      part.isSettled ||
      i < last ||
      (waiting >= 0 && i > waiting && part.value.kind !== 'Vararg') ||
      (i === last && !isMany(part.value) && body.shared.random.chance(CUT))
    return isCut ? settled(body, part) : operand(body, part.value)
  })
}

function waits(body: Body, { value, isLate }: Part): boolean {
  return (
    value.kind === 'LocalName' && (isLate ?? false) && body.isOwn(value.symbol) && body.isHeld(value.symbol)
  )
}

/** The share of large operands that are instructions of their own. */
const CUT = 0.75

/** Cut to one value where it does not stand last. */
export function isMany({ kind }: Expression): boolean {
  return kind === 'Call' || kind === 'MethodCall' || kind === 'Vararg'
}

/** Evaluates a value, cut to one, into a register. */
export function evaluate(body: Body, node: Expression, place: Place): void {
  const value = operand(body, node)
  const target = placeNode(place, node.at)
  body.push(body.shared.measureOf(node).weight, nodesAt(node.at).assign(target, value))
}

/** A register, or a constant, that holds the value from now on. */
function settled(body: Body, { value, isLate }: Part): Expression {
  if (isConstant(value)) return value
  if (value.kind === 'LocalName' && mayWait(body, value.symbol, isLate ?? false)) {
    return body.mapped(value)
  }
  // What the value itself needed is free once it is there, so its register may be the one.
  const mark = body.registers.mark
  const found = operand(body, value)
  body.registers.release(mark)
  const place = body.temporary()
  const target = placeNode(place, value.at)
  const isThere = found.kind === 'LocalName' && found.symbol === place.symbol && place.index === null
  if (!isThere) body.push(body.shared.measureOf(value).weight, nodesAt(value.at).assign(target, found))
  return target
}

function mayWait(body: Body, symbol: SymbolId, isLate: boolean): boolean {
  return !body.isVolatile(symbol) || (isLate && body.isOwn(symbol))
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

function decompose(body: Body, node: Expression): Expression {
  switch (node.kind) {
    case 'Binary':
      return node.operator === '..' ? concatenation(body, node) : operation(body, node)
    case 'Unary': {
      const [value] = operands(body, [{ value: node.operand }])
      return { ...node, operand: value as Expression }
    }
    case 'Index': {
      const [object, key] = operands(body, [
        { value: node.object, isLate: true },
        { value: node.key, isLate: true },
      ])
      return { ...node, object, key } as Index
    }
    case 'Paren':
      return { ...node, inner: decompose(body, node.inner) }
    case 'Call':
    case 'MethodCall':
      return call(body, node)
    case 'Table':
      return table(body, node)
    default:
      return chosen(body, node)
  }
}

function operation(body: Body, node: Binary): Expression {
  const [left, right] = operands(body, [
    { value: node.left, isLate: true },
    { value: node.right, isLate: true },
  ])
  return { ...node, left, right } as Binary
}

/** All operands of a chain of `..` are evaluated before the first two are joined. */
function concatenation(body: Body, node: Binary): Expression {
  const parts: Part[] = []
  let rest: Expression = node
  while (rest.kind === 'Binary' && rest.operator === '..') {
    parts.push({ value: rest.left })
    rest = rest.right
  }
  parts.push({ value: rest })
  const values = operands(body, parts)
  return values.reduceRight((right, left) => nodesAt(node.at).binary(left, '..', right))
}

// --- calls and lists ----------------------------------------------------------------------------------------------

/** A list whose last value may be many: its parts in order, and how to make the list of operands again. */
export type List = {
  readonly parts: readonly Part[]
  rebuild(values: readonly Expression[]): Expression[]
}

/** The call at the end of a list is done by the instruction that takes the list, so that no value is lost. */
export function openList(body: Body, values: readonly Expression[]): List {
  const last = values.at(-1)
  const parts: Part[] = values.map((value) => ({ value }))
  if (last?.kind !== 'Call' || !isHeavy(body, last)) return closed(body, parts)
  const inner = openList(body, last.args)
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

/** A method call at the end gives all its values too, and is not taken apart. */
function closed(body: Body, parts: readonly Part[]): List {
  const last = parts.at(-1)?.value
  if (last?.kind !== 'MethodCall' || !isHeavy(body, last)) return { parts, rebuild: (found) => [...found] }
  const head = parts.slice(0, -1)
  const isFree = body.shared.order === 'first' || last.args.every(isStill)
  return {
    parts: [...head, { value: last.object, isSettled: isFree }],
    rebuild: (found) => [
      ...found.slice(0, -1),
      asField(
        { ...last, object: found.at(-1) as Expression, args: last.args.map((each) => body.mapped(each)) },
        body.shared.order,
      ),
    ],
  }
}

function call(body: Body, node: Call | MethodCall): Expression {
  if (node.kind === 'MethodCall') return methodCall(body, node)
  const list = openList(body, node.args)
  const [callee, ...args] = operands(body, [{ value: node.callee }, ...list.parts])
  return { ...node, callee: callee as Expression, args: list.rebuild(args) }
}

/** Lua 5.1 and LuaJIT look a method up before its arguments are evaluated, Luau does after. */
function methodCall(body: Body, node: MethodCall): Expression {
  const object = settled(body, { value: node.object, isLate: true })
  if (node.args.every(isStill))
    return asField({ ...node, object, args: node.args.map((arg) => body.mapped(arg)) }, body.shared.order)
  const { order } = body.shared
  const last = node.args.at(-1)
  if (order !== 'first' && last && isMany(last) && last.kind !== 'Vararg') {
    return { ...node, object, args: node.args.map((arg) => body.mapped(arg)) }
  }
  const make = nodesAt(node.at)
  const isFixed = node.object.kind !== 'LocalName' || !body.isVolatile(node.object.symbol)
  const self = isFixed ? object : copied(body, object)
  const field = make.index(self, make.string(node.method))
  const early =
    order === 'first' ? field : make.logical(make.index(make.use(body.stream), make.number(0)), 'and', field)
  const method = order === 'last' ? null : copied(body, early)
  const list = openList(body, node.args)
  const values =
    order === 'first'
      ? operands(body, list.parts)
      : list.parts.map((part) => (part.value === last && isMany(last) ? last : settled(body, part)))
  const args = list.rebuild(values)
  if (order === 'first' && method) return make.call(method, self, ...args)
  return make.call(method ? make.logical(method, 'or', field) : field, self, ...args)
}

function copied(body: Body, value: Expression): Expression {
  const place = body.temporary()
  body.push(1, nodesAt(value.at).assign(placeNode(place, value.at), value))
  return placeNode(place, value.at)
}

/** Items are stored by one constructor, so that positions and keys are filled in the host's order. */
function table(body: Body, node: Table): Expression {
  const last = node.items.at(-1)
  const tail = last?.kind === 'PositionalItem' ? [last.value] : []
  const list = openList(body, tail)
  const head = tail.length > 0 ? node.items.slice(0, -1) : node.items
  const parts = head.flatMap((item): Part[] =>
    item.kind === 'KeyedItem' ? [{ value: item.key }, { value: item.value }] : [{ value: item.value }],
  )
  const found = operands(body, [...parts, ...list.parts])
  const take = (): Expression => found.shift() as Expression
  const items = head.map((item) =>
    item.kind === 'KeyedItem' ? { ...item, key: take(), value: take() } : { ...item, value: take() },
  )
  const open = list.rebuild(found).map((value) => ({ kind: 'PositionalItem', at: value.at, value }) as const)
  return { ...node, items: [...items, ...open] }
}

// --- choices --------------------------------------------------------------------------------------------------------

/** `and`, `or` and `if then else` as values: every way puts its value into one register. */
function chosen(body: Body, node: Expression): Expression {
  const place = body.temporary()
  const after = body.block()
  choose(body, node, place)
  body.jump(after)
  body.open(after)
  return placeNode(place, node.at)
}

function choose(body: Body, node: Expression, place: Place): void {
  if (node.kind === 'IfExpression' && isHeavy(body, node)) {
    const [then, otherwise, after] = [body.block(), body.block(), body.block()]
    condition(body, node.condition, then, otherwise)
    body.open(then)
    choose(body, node.consequent, place)
    body.jump(after)
    body.open(otherwise)
    choose(body, node.otherwise, place)
    body.jump(after)
    body.open(after)
    return
  }
  if (node.kind !== 'Logical' || !isHeavy(body, node)) {
    evaluate(body, node, place)
    return
  }
  const [right, after] = [body.block(), body.block()]
  choose(body, node.left, place)
  const found = placeNode(place, node.at)
  if (node.operator === 'and') body.branch(found, right, after)
  else body.branch(found, after, right)
  body.open(right)
  choose(body, node.right, place)
  body.jump(after)
  body.open(after)
}

/** Goes to one of two blocks. */
export function condition(body: Body, node: Expression, then: Block, otherwise: Block): void {
  if (node.kind === 'Unary' && node.operator === 'not') {
    condition(body, node.operand, otherwise, then)
    return
  }
  if (node.kind !== 'Logical' || !isHeavy(body, node)) {
    body.scope(() => body.branch(operand(body, node), then, otherwise))
    return
  }
  const right = body.block()
  if (node.operator === 'and') condition(body, node.left, right, otherwise)
  else condition(body, node.left, then, right)
  body.open(right)
  condition(body, node.right, then, otherwise)
}
