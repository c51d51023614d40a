// Loops → blocks. A `for` over an iterator stays a loop of the host, since only the host knows what it may iterate; its body
// becomes a region of its own.

import type { Expression, GenericFor, NumericFor, Offset, Repeat, Statement, While } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import type { Block } from './ir.ts'
import { condition, openList, operands, type Part } from './lower-expressions.ts'
import { Body } from './region-builder.ts'
import { type Place, placeNode, registerNode } from './register-allocator.ts'

/** Variables end with the block. */
function lowerBlock(body: Body, statements: readonly Statement[]): void {
  body.scope(() => body.shared.lower(body, statements))
}

export function lowerWhile(body: Body, node: While): void {
  const after = body.block()
  const isPlain = body.shared.measureOf(node.condition).functions === 0
  body.loops.push({ onBreak: after, onContinue: body.block() })
  const [start, test] = [body.block(), body.block()]
  body.loops.pop()
  const again = isPlain ? test : start
  body.loops.push({ onBreak: after, onContinue: again })
  // The test stands at both ends, so that a round takes one jump.
  if (isPlain) testAt(body, node.condition, start)
  else body.jump(start)
  body.open(start)
  if (!isPlain) {
    const inside = body.block()
    condition(body, node.condition, inside, after)
    body.open(inside)
  }
  lowerBlock(body, node.body.statements)
  body.jump(again)
  if (isPlain) {
    body.open(test)
    testAt(body, node.condition, start)
  }
  body.loops.pop()
  body.open(after)
}

function testAt(body: Body, test: Expression, start: Block): void {
  const after = body.loops.at(-1)?.onBreak
  if (!after) throw new Error('a loop has no end')
  if (test.kind === 'BooleanLiteral' && test.value) body.jump(start)
  else condition(body, test, start, after)
}

/** The condition sees the variables of the body. */
export function lowerRepeat(body: Body, node: Repeat): void {
  const after = body.block()
  body.loops.push({ onBreak: after, onContinue: null })
  const [start, test] = [body.block(), body.block()]
  body.loops.pop()
  body.loops.push({ onBreak: after, onContinue: test })
  body.jump(start)
  body.open(start)
  body.scope(() => {
    body.shared.lower(body, node.body.statements)
    body.jump(test)
    body.open(test)
    condition(body, node.condition, after, start)
  })
  body.loops.pop()
  body.open(after)
}

export function lowerGenericFor(body: Body, node: GenericFor): void {
  const list = openList(body, node.values)
  const values = list.rebuild(operands(body, list.parts))
  const statements = regionOf(body, node.body.statements, node.at, true)
  const loop: Statement = { ...node, values, body: nodesAt(node.at).block(statements) }
  body.push(body.shared.measureOf(node).weight, loop)
}

/** Statements as a region inside the one that is lowered. */
export function regionOf(
  body: Body,
  statements: readonly Statement[],
  at: Offset,
  isLoopBody: boolean,
): readonly Statement[] {
  const inner = new Body(body.shared, body)
  if (isLoopBody) lowerBlock(inner, statements)
  else body.shared.lower(inner, statements)
  inner.close({ kind: 'leave', how: 'end' })
  const { stream, key, spent, policy } = body
  return body.shared.emit({ entry: inner.entry, isLoopBody, stream, key, spent, policy }, at)
}

// --- for with numbers -------------------------------------------------------------------------------------------------

/** Where a loop keeps its numbers; constants stay where they are used. */
type Bounds = {
  readonly counter: Place
  readonly limit: Expression
  readonly step: Expression
  /** Whether it counts up, as far as the text tells. */
  readonly isRising: boolean | null
  readonly rises: Place | null
}

export function lowerNumericFor(body: Body, node: NumericFor): void {
  const after = body.block()
  body.scope(() => {
    const bounds = begin(body, node)
    body.loops.push({ onBreak: after, onContinue: null })
    const [start, next] = [body.block(), body.block()]
    body.loops.pop()
    enter(body, node, bounds, { start, after })
    body.loops.push({ onBreak: after, onContinue: next })
    body.open(start)
    body.scope(() => {
      bindCounter(body, node, bounds)
      lowerBlock(body, node.body.statements)
    })
    body.jump(next)
    body.open(next)
    const make = nodesAt(node.at)
    const counter = placeNode(bounds.counter, node.at)
    body.push(2, make.assign(counter, make.binary(counter, '+', bounds.step)))
    body.branch(inRange(bounds, node.at), start, after)
    body.loops.pop()
  })
  body.open(after)
}

/** Evaluates the three numbers. */
function begin(body: Body, node: NumericFor): Bounds & { readonly first: Expression } {
  const make = nodesAt(node.at)
  const constantStep = node.step ? signOf(node.step) : 1
  const parts = [node.start, node.limit, ...(node.step ? [node.step] : [])]
  const found = operands(
    body,
    parts.map((value): Part => ({ value })),
  )
  const targets: Place[] = []
  const values: Expression[] = []
  const keep = (value: Expression): Expression => {
    if (value.kind === 'NumberLiteral') return value
    const place = body.temporary()
    targets.push(place)
    values.push(value)
    return placeNode(place, node.at)
  }
  const [start, limit, step] = found as [Expression, Expression, Expression | undefined]
  const first = keep(start)
  const last = keep(limit)
  const by = step ? (constantStep === null ? keep(step) : step) : make.number(1)
  const counter = body.temporary()
  body.push(3, {
    kind: 'Assign',
    at: node.at,
    targets: [...targets, counter].map((place) => placeNode(place, node.at)),
    values: [...values, { kind: 'NilLiteral', at: node.at }],
  })
  const rises = constantStep === null ? body.temporary() : null
  return {
    counter,
    limit: last,
    step: by,
    isRising: constantStep === null ? null : constantStep > 0,
    rises,
    first,
  }
}

function signOf(step: Expression): number | null {
  if (step.kind === 'NumberLiteral' && step.value > 0) return 1
  const isNegative = step.kind === 'Unary' && step.operator === '-' && step.operand.kind === 'NumberLiteral'
  return isNegative && step.operand.value > 0 ? -1 : null
}

/**
 * A loop of the host tells the first number, whether there is one, and whether the three are numbers at all. Strings that
 * read as numbers become numbers.
 */
function enter(
  body: Body,
  node: NumericFor,
  bounds: Bounds & { readonly first: Expression },
  { start, after }: { readonly start: Block; readonly after: Block },
): void {
  const make = nodesAt(node.at)
  const counter = placeNode(bounds.counter, node.at)
  if (bounds.first.kind === 'NumberLiteral' && bounds.isRising && isPlainLimit(node.limit)) {
    body.push(1, make.assign(counter, bounds.first))
    body.branch(inRange(bounds, node.at), start, after)
    return
  }
  const probe = body.shared.symbols.fresh()
  const numeric = [bounds.limit, bounds.step].filter(
    (each) => each.kind !== 'NumberLiteral' && each.kind !== 'Unary',
  )
  const loop = (
    first: Expression,
    limit: Expression,
    inside: readonly Statement[],
    symbol: number,
  ): Statement => ({
    kind: 'NumericFor',
    at: node.at,
    start: first,
    limit,
    step: bounds.step,
    binding: make.bind(symbol),
    body: make.block([...inside, make.break]),
  })
  const converted = numeric.map((each) => make.assign(each as never, make.binary(each, '+', make.number(0))))
  const statements = [
    loop(bounds.first, bounds.limit, [make.assign(counter, make.use(probe)), ...converted], probe),
  ]
  if (bounds.rises) {
    const rises = placeNode(bounds.rises, node.at)
    const direction = loop(
      make.number(0),
      make.number(1),
      [make.assign(rises, make.boolean(true))],
      body.shared.symbols.fresh(),
    )
    statements.push(make.assign(rises, make.boolean(false)), direction)
  }
  body.push(6, ...statements)
  body.branch(counter, start, after)
}

/** Numbers whatever they hold. */
function isPlainLimit(limit: Expression): boolean {
  return limit.kind === 'NumberLiteral' || (limit.kind === 'Unary' && limit.operator === '#')
}

function inRange(bounds: Bounds, at: Offset): Expression {
  const make = nodesAt(at)
  const counter = placeNode(bounds.counter, at)
  const rising = make.binary(counter, '<=', bounds.limit)
  const falling = make.binary(bounds.limit, '<=', counter)
  if (bounds.rises === null) return bounds.isRising ? rising : falling
  const rises = placeNode(bounds.rises, at)
  return make.logical(make.logical(rises, 'and', rising), 'or', make.logical(make.not(rises), 'and', falling))
}

/** A variable that the script never assigns is the counter itself. */
function bindCounter(body: Body, node: NumericFor, bounds: Bounds): void {
  const { symbol } = node.binding
  if (!body.shared.variables.get(symbol)?.isAssigned) {
    body.shared.places.set(symbol, bounds.counter)
    return
  }
  const make = nodesAt(node.at)
  const place = body.declare(symbol)
  const counter = placeNode(bounds.counter, node.at)
  body.push(1, make.assign(registerNode(place, node.at), place.isCell ? make.table([counter]) : counter))
}
