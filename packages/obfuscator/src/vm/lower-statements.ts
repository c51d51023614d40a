/**
 * Lowers statements to basic blocks. `lower-loops.ts` handles loops; small statements become a single
 * instruction.
 */

import type { Lease } from '../locks/leased-words.ts'
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
import { nodesAt, runsOnce } from '../syntax/nodes.ts'
import type { Loop } from './ended-variables.ts'
import type { RegionExit } from './ir.ts'
import { cacheLoopStrings } from './loop-string-cache.ts'
import {
  evaluateInto,
  isMany,
  lowerCondition,
  lowerOperand,
  lowerOperands,
  openList,
  type Part,
} from './lower-expressions.ts'
import { lowerGenericFor, lowerNumericFor, lowerRepeat, lowerWhile } from './lower-loops.ts'
import { lowerPair } from './lower-pairs.ts'
import type { RegionBuilder } from './region-builder.ts'
import { type Location, registerNode, valueNode } from './register-allocator.ts'
import { lowerLeased } from './split-regions.ts'

/**
 * Lowers statements into the open block and its successors. Their variables go out of scope at the end of the
 * block.
 */
function lowerBlock(builder: RegionBuilder, statements: readonly Statement[]): void {
  builder.ended.block(statements, () => lowerStatements(builder, statements))
}

/** Like `lowerBlock`, but keeps the variables in scope. */
export function lowerStatements(builder: RegionBuilder, statements: readonly Statement[]): void {
  let next = 0
  for (const [i, each] of builder.ended.watching(statements)) {
    if (builder.isClosed || i < next) continue
    const lease = builder.shared.leaseOf(each)
    if (lease) {
      if (lease.words.lock === builder.lease?.lock) continue
      lowerLease(builder, lease, statements.slice(i + 1))
      next = statements.length
      continue
    }
    const pair = builder.lease ? undefined : builder.shared.pairs.get(each)
    if (pair && pair.second === statements[i + 1]) {
      lowerPair(builder, each, pair, (node) => lowerOne(builder, node))
      next = i + 2
    } else lowerOne(builder, each)
  }
}

function lowerOne(builder: RegionBuilder, node: Statement): void {
  if (staysWhole(builder, node)) builder.push(builder.shared.measureOf(node).weight, builder.mapped(node))
  else lowerStatement(builder, node)
}

/** Lowers the rest of a block as one instruction. A `break` or `continue` at its end stays outside. */
function lowerLease(builder: RegionBuilder, lease: Lease, rest: readonly Statement[]): void {
  const { measureOf } = builder.shared
  const isLast = (node: Statement | undefined) => node?.kind === 'Break' || node?.kind === 'Continue'
  const inside = isLast(rest.at(-1)) ? rest.slice(0, -1) : rest
  if (inside.some((each) => measureOf(each).leaves > 0)) {
    lowerStatements(builder, rest)
    return
  }
  const weight = inside.reduce((sum, each) => sum + measureOf(each).weight, 0)
  builder.push(weight, ...lowerLeased(builder, lease, inside))
  lowerStatements(builder, rest.slice(inside.length))
}

const MAX_LOCALS = 20

function staysWhole(builder: RegionBuilder, node: Statement): boolean {
  const { weight, loops, repeatDepth, methods, races, leaves, locals } = builder.shared.measureOf(node)
  if (methods > 0 || races > 0 || leaves > 0 || locals > MAX_LOCALS) return false
  const { policy } = builder
  if (node.kind === 'If') return loops === 0 && weight <= policy.condition
  return isLoop(node) && repeatDepth === (runsOnce(node) ? 0 : 1) && weight <= policy.loop
}

function isLoop({ kind }: Statement): boolean {
  return kind === 'While' || kind === 'Repeat' || kind === 'NumericFor' || kind === 'GenericFor'
}

type Lower<K extends Statement['kind']> = (builder: RegionBuilder, node: NodeOf<K>) => void
// Method parameters are bivariant, which the lookup by `node.kind` requires.
type AnyLower = { of(builder: RegionBuilder, node: Statement): void }['of']

const table: { readonly [K in Statement['kind']]?: Lower<K> } = {
  Local: lowerLocal,
  LocalFunction: lowerLocalFunction,
  Assign: (builder, node) => builder.scope(() => lowerAssign(builder, node)),
  CallStatement: (builder, node) => builder.scope(() => lowerCall(builder, node)),
  CompoundAssign: (builder, node) => builder.scope(() => lowerCompound(builder, node)),
  Do: lowerDo,
  If: lowerIf,
  While: (builder, node) => lowerLoop(builder, node, () => lowerWhile(builder, node)),
  Repeat: (builder, node) => lowerLoop(builder, node, () => lowerRepeat(builder, node)),
  NumericFor: (builder, node) => lowerLoop(builder, node, () => lowerNumericFor(builder, node)),
  GenericFor: (builder, node) =>
    lowerLoop(builder, node, () => builder.scope(() => lowerGenericFor(builder, node))),
  Return: (builder, node) => builder.scope(() => lowerReturn(builder, node)),
  Break: (builder) => leave(builder, 'break'),
  Continue: (builder) => leave(builder, 'continue'),
}

const lowerings: { readonly [K in Statement['kind']]?: AnyLower } = table

function lowerStatement(builder: RegionBuilder, node: Statement): void {
  const lower = lowerings[node.kind]
  if (!lower) throw new Error(`a function with ${node.kind} cannot be lowered`)
  lower(builder, node)
}

function lowerLoop(builder: RegionBuilder, node: Loop, lower: () => void): void {
  builder.ended.loop(node, () => cacheLoopStrings(builder, node, lower))
}

function leave(builder: RegionBuilder, how: Exclude<RegionExit, 'end'>): void {
  const loop = builder.loops.at(-1)
  const to = how === 'break' ? loop?.onBreak : loop?.onContinue
  if (to) builder.jump(to)
  else builder.close({ kind: 'leave', how })
}

function lowerIf(builder: RegionBuilder, node: If): void {
  const after = builder.block()
  for (const clause of node.clauses) {
    const [then, otherwise] = [builder.block(), builder.block()]
    lowerCondition(builder, clause.condition, then, otherwise)
    builder.open(then)
    lowerBlock(builder, clause.body.statements)
    builder.jump(after)
    builder.open(otherwise)
  }
  if (node.otherwise) lowerBlock(builder, node.otherwise.statements)
  builder.jump(after)
  builder.open(after)
}

/** Authors use `do end` to release references to values inside the block. */
function lowerDo(builder: RegionBuilder, node: Do): void {
  lowerBlock(builder, node.body.statements)
  builder.forget(node.at)
}

function lowerCall(builder: RegionBuilder, node: CallStatement): void {
  if (node.call.kind === 'Call' && isCollection(node.call.callee)) builder.forget(node.at)
  const call = lowerOperand(builder, node.call)
  if (call.kind !== 'Call' && call.kind !== 'MethodCall') throw new Error('a call became something else')
  builder.push(builder.shared.measureOf(node).weight, { ...node, call })
}

function lowerReturn(builder: RegionBuilder, node: Return): void {
  const list = openList(builder, node.values)
  const values = list.rebuild(lowerOperands(builder, list.parts))
  builder.return({ ...node, values })
}

function isCollection(callee: Expression): boolean {
  if (callee.kind === 'GlobalName') return callee.name === COLLECTION
  return callee.kind === 'Index' && callee.key.kind === 'StringLiteral' && callee.key.value === COLLECTION
}

const COLLECTION = 'collectgarbage'

// --- declarations

function lowerLocal(builder: RegionBuilder, node: Local): void {
  const places = node.bindings.map((each) => builder.declare(each.symbol))
  const last = node.values.at(-1)
  const isOpen = last && isMany(last) && node.values.length < places.length
  builder.scope(() => {
    const single = isOpen ? node.values.slice(0, -1) : node.values
    for (const [i, value] of single.entries()) initialize(builder, value, places[i])
    const rest = places.slice(single.length)
    if (isOpen) initializeMany(builder, last, rest)
    else for (const place of rest) initialize(builder, { kind: 'NilLiteral', at: node.at }, place)
  })
}

/** A value without a target is still evaluated. */
function initialize(builder: RegionBuilder, value: Expression, place: Location | undefined): void {
  const target = place ?? builder.temporary(value)
  if (!target.isCell) {
    evaluateInto(builder, value, target)
    return
  }
  const found = lowerOperand(builder, value)
  builder.push(builder.shared.measureOf(value).weight + 1, celled(target, found))
}

function celled(place: Location, value: Expression): Statement {
  const make = nodesAt(value.at)
  const isEmpty = value.kind === 'NilLiteral'
  const single: Expression = isMany(value) ? { kind: 'Paren', at: value.at, inner: value as never } : value
  return make.assign(registerNode(place, value.at), make.table(isEmpty ? [] : [single]))
}

function initializeMany(builder: RegionBuilder, value: Expression, places: readonly Location[]): void {
  const direct = places.map((place) => (place.isCell ? builder.temporary(value) : place))
  assignMany(
    builder,
    direct.map((place) => registerNode(place, value.at)),
    value,
  )
  places.forEach((place, i) => {
    if (place.isCell) builder.push(1, celled(place, registerNode(direct[i] as Location, value.at)))
  })
}

function assignMany(builder: RegionBuilder, targets: readonly Target[], value: Expression): void {
  const list = openList(builder, [value])
  const values = list.rebuild(lowerOperands(builder, list.parts))
  builder.push(builder.shared.measureOf(value).weight, { kind: 'Assign', at: value.at, targets, values })
}

/**
 * If the variable of a recursive function goes out of scope before its owner returns, the function calls
 * itself through a separate local.
 */
function lowerLocalFunction(builder: RegionBuilder, node: LocalFunction): void {
  const { symbol } = node.binding
  const make = nodesAt(node.at)
  const place = builder.declare(symbol)
  const variable = builder.shared.variables.get(symbol)
  if (place.isCell) {
    builder.push(1, make.assign(registerNode(place, node.at), make.table([])))
    builder.push(2, make.assign(valueNode(place, node.at), builder.mapped(node.func)))
    return
  }
  if (!variable?.isCaptured || !variable.endsEarly) {
    builder.push(2, make.assign(valueNode(place, node.at), builder.mapped(node.func)))
    return
  }
  const own = builder.shared.symbols.fresh()
  const func = builder.functionNamed(node.func, symbol, own)
  const made: Statement = { ...node, binding: { ...node.binding, symbol: own }, func }
  builder.push(2, make.do([made, make.assign(valueNode(place, node.at), make.use(own))]))
}

// --- assignments

function lowerAssign(builder: RegionBuilder, node: Assign): void {
  const isPlain = node.targets.length === 1 && node.values.length === 1
  const { weight } = builder.shared.measureOf(node)
  const [target] = node.targets
  const [value] = node.values
  if (isPlain && target && target.kind !== 'Index' && value) {
    const found = lowerOperand(builder, value)
    builder.push(weight, nodesAt(node.at).assign(builder.mapped(target), found))
    return
  }
  const heads = node.targets.flatMap((each): Part[] =>
    each.kind === 'Index' ? [late(each.object), late(each.key)] : [],
  )
  const list = openList(builder, node.values)
  const found = lowerOperands(builder, [...heads, ...list.parts])
  const targets = node.targets.map((each): Target => {
    if (each.kind !== 'Index') return builder.mapped(each)
    return { ...each, object: found.shift() as Expression, key: found.shift() as Expression }
  })
  builder.push(weight, { ...node, targets, values: list.rebuild(found) })
}

/** As in Luau, a variable is read after the value is evaluated, but a field is read beforehand. */
function lowerCompound(builder: RegionBuilder, node: CompoundAssign): void {
  const { weight } = builder.shared.measureOf(node)
  if (node.target.kind !== 'LocalName' || !builder.isHeld(node.target.symbol)) {
    builder.push(weight, builder.mapped(node))
    return
  }
  const [target, value] = lowerOperands(builder, [late(node.target), { value: node.value }])
  builder.push(weight, { ...node, target: target as Target, value: value as Expression })
}

function late(value: Expression): Part {
  return { value, isLate: true }
}
