// Statements → blocks. Loops are in `lower-loops.ts`; what is small enough stays one instruction.

import type {
  Assign,
  CallStatement,
  CompoundAssign,
  Do,
  Expression,
  If,
  Local,
  LocalFunction,
  NodeOf,
  Return,
  Statement,
  Target,
} from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import type { Leaving } from './ir.ts'
import { holdTexts } from './loop-string-cache.ts'
import { condition, evaluate, isMany, openList, operand, operands, type Part } from './lower-expressions.ts'
import { lowerGenericFor, lowerNumericFor, lowerRepeat, lowerWhile } from './lower-loops.ts'
import type { Body } from './region-builder.ts'
import { type Place, placeNode, registerNode } from './register-allocator.ts'

/** Writes statements into the open block and those it leads to; variables end with them. */
export function lowerBlock(body: Body, statements: readonly Statement[]): void {
  body.scope(() => lowerStatements(body, statements))
}

/** The same, but variables stay. */
export function lowerStatements(body: Body, statements: readonly Statement[]): void {
  for (const each of statements) {
    if (body.isClosed) return
    if (staysWhole(body, each)) body.push(body.shared.measureOf(each).weight, body.mapped(each))
    else lowerStatement(body, each)
  }
}

const MOST_LOCALS = 20

function staysWhole(body: Body, node: Statement): boolean {
  const { weight, loops, loopDepth, methods, races, leaves, locals } = body.shared.measureOf(node)
  if (methods > 0 || races > 0 || leaves > 0 || locals > MOST_LOCALS) return false
  const { policy } = body
  if (node.kind === 'If') return loops === 0 && weight <= policy.condition
  return isLoop(node) && loopDepth === 1 && weight <= policy.loop
}

function isLoop({ kind }: Statement): boolean {
  return kind === 'While' || kind === 'Repeat' || kind === 'NumericFor' || kind === 'GenericFor'
}

type Lower<K extends Statement['kind']> = (body: Body, node: NodeOf<K>) => void
// Methods compare their parameters both ways, which is what looking a function up by `node.kind` needs.
type AnyLower = { of(body: Body, node: Statement): void }['of']

const table: { readonly [K in Statement['kind']]?: Lower<K> } = {
  Local: lowerLocal,
  LocalFunction: lowerLocalFunction,
  Assign: (body, node) => body.scope(() => lowerAssign(body, node)),
  CallStatement: (body, node) => body.scope(() => lowerCall(body, node)),
  CompoundAssign: (body, node) => body.scope(() => lowerCompound(body, node)),
  Do: lowerDo,
  If: lowerIf,
  While: (body, node) => holdTexts(body, node, () => lowerWhile(body, node)),
  Repeat: (body, node) => holdTexts(body, node, () => lowerRepeat(body, node)),
  NumericFor: (body, node) => holdTexts(body, node, () => lowerNumericFor(body, node)),
  GenericFor: (body, node) => holdTexts(body, node, () => body.scope(() => lowerGenericFor(body, node))),
  Return: (body, node) => body.scope(() => lowerReturn(body, node)),
  Break: (body) => leave(body, 'break'),
  Continue: (body) => leave(body, 'continue'),
}

const lowerings: { readonly [K in Statement['kind']]?: AnyLower } = table

function lowerStatement(body: Body, node: Statement): void {
  const lower = lowerings[node.kind]
  if (!lower) throw new Error(`a function with ${node.kind} cannot be lowered`)
  lower(body, node)
}

function leave(body: Body, how: Exclude<Leaving, 'end'>): void {
  const loop = body.loops.at(-1)
  const to = how === 'break' ? loop?.onBreak : loop?.onContinue
  if (to) body.jump(to)
  else body.close({ kind: 'leave', how })
}

function lowerIf(body: Body, node: If): void {
  const after = body.block()
  for (const clause of node.clauses) {
    const [then, otherwise] = [body.block(), body.block()]
    condition(body, clause.condition, then, otherwise)
    body.open(then)
    lowerBlock(body, clause.body.statements)
    body.jump(after)
    body.open(otherwise)
  }
  if (node.otherwise) lowerBlock(body, node.otherwise.statements)
  body.jump(after)
  body.open(after)
}

/** Authors write `do end` to be rid of what is in it. */
function lowerDo(body: Body, node: Do): void {
  lowerBlock(body, node.body.statements)
  body.forget(node.at)
}

function lowerCall(body: Body, node: CallStatement): void {
  if (node.call.kind === 'Call' && isCollection(node.call.callee)) body.forget(node.at)
  const call = operand(body, node.call)
  if (call.kind !== 'Call' && call.kind !== 'MethodCall') throw new Error('a call became something else')
  body.push(body.shared.measureOf(node).weight, { ...node, call })
}

function lowerReturn(body: Body, node: Return): void {
  const list = openList(body, node.values)
  const values = list.rebuild(operands(body, list.parts))
  body.return({ ...node, values })
}

function isCollection(callee: Expression): boolean {
  if (callee.kind === 'GlobalName') return callee.name === COLLECTION
  return callee.kind === 'Index' && callee.key.kind === 'StringLiteral' && callee.key.value === COLLECTION
}

const COLLECTION = 'collectgarbage'

// --- declarations ---------------------------------------------------------------------------------------------------

function lowerLocal(body: Body, node: Local): void {
  const places = node.bindings.map((each) => body.declare(each.symbol))
  const last = node.values.at(-1)
  const isOpen = last && isMany(last) && node.values.length < places.length
  body.scope(() => {
    const single = isOpen ? node.values.slice(0, -1) : node.values
    for (const [i, value] of single.entries()) initialise(body, value, places[i])
    const rest = places.slice(single.length)
    if (isOpen) initialiseMany(body, last, rest)
    else for (const place of rest) initialise(body, { kind: 'NilLiteral', at: node.at }, place)
  })
}

/** A value without a place is evaluated all the same. */
function initialise(body: Body, value: Expression, place: Place | undefined): void {
  const target = place ?? body.temporary()
  if (!target.isCell) {
    evaluate(body, value, target)
    return
  }
  const found = operand(body, value)
  body.push(body.shared.measureOf(value).weight + 1, celled(target, found))
}

function celled(place: Place, value: Expression): Statement {
  const make = nodesAt(value.at)
  const isEmpty = value.kind === 'NilLiteral'
  const single: Expression = isMany(value) ? { kind: 'Paren', at: value.at, inner: value as never } : value
  return make.assign(registerNode(place, value.at), make.table(isEmpty ? [] : [single]))
}

function initialiseMany(body: Body, value: Expression, places: readonly Place[]): void {
  const direct = places.map((place) => (place.isCell ? body.temporary() : place))
  assignMany(
    body,
    direct.map((place) => registerNode(place, value.at)),
    value,
  )
  places.forEach((place, i) => {
    if (place.isCell) body.push(1, celled(place, registerNode(direct[i] as Place, value.at)))
  })
}

function assignMany(body: Body, targets: readonly Target[], value: Expression): void {
  const list = openList(body, [value])
  const values = list.rebuild(operands(body, list.parts))
  body.push(body.shared.measureOf(value).weight, { kind: 'Assign', at: value.at, targets, values })
}

/** A function that a loop makes again and again, and that calls itself, does so by a local of its own. */
function lowerLocalFunction(body: Body, node: LocalFunction): void {
  const { symbol } = node.binding
  const make = nodesAt(node.at)
  const place = body.declare(symbol)
  const variable = body.shared.variables.get(symbol)
  if (place.isCell) {
    body.push(1, make.assign(registerNode(place, node.at), make.table([])))
    body.push(2, make.assign(placeNode(place, node.at), body.mapped(node.func)))
    return
  }
  if (!variable?.isCaptured || !variable.isRepeated) {
    body.push(2, make.assign(placeNode(place, node.at), body.mapped(node.func)))
    return
  }
  const own = body.shared.symbols.fresh()
  const func = body.functionNamed(node.func, symbol, own)
  body.push(
    2,
    { ...node, binding: { ...node.binding, symbol: own }, func },
    make.assign(placeNode(place, node.at), make.use(own)),
  )
}

// --- assignments ----------------------------------------------------------------------------------------------------

function lowerAssign(body: Body, node: Assign): void {
  const isPlain = node.targets.length === 1 && node.values.length === 1
  const { weight } = body.shared.measureOf(node)
  const [target] = node.targets
  const [value] = node.values
  if (isPlain && target && target.kind !== 'Index' && value) {
    const found = operand(body, value)
    body.push(weight, nodesAt(node.at).assign(body.mapped(target), found))
    return
  }
  const heads = node.targets.flatMap((each): Part[] =>
    each.kind === 'Index' ? [late(each.object), late(each.key)] : [],
  )
  const list = openList(body, node.values)
  const found = operands(body, [...heads, ...list.parts])
  const targets = node.targets.map((each): Target => {
    if (each.kind !== 'Index') return body.mapped(each)
    return { ...each, object: found.shift() as Expression, key: found.shift() as Expression }
  })
  body.push(weight, { ...node, targets, values: list.rebuild(found) })
}

/** Luau's: a variable is read when the value is there, a field before. */
function lowerCompound(body: Body, node: CompoundAssign): void {
  const { weight } = body.shared.measureOf(node)
  if (node.target.kind !== 'LocalName' || !body.isHeld(node.target.symbol)) {
    body.push(weight, body.mapped(node))
    return
  }
  const [target, value] = operands(body, [late(node.target), { value: node.value }])
  body.push(weight, { ...node, target: target as Target, value: value as Expression })
}

function late(value: Expression): Part {
  return { value, isLate: true }
}
