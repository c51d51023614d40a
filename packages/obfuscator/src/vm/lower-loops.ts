/**
 * Lowers loops to basic blocks. A `for` loop over an iterator stays native because the host defines how to
 * iterate over its values; its body becomes a separate region.
 */

import type {
  Expression,
  GenericFor,
  NumberLiteral,
  NumericFor,
  Offset,
  Repeat,
  Statement,
  While,
} from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import type { BasicBlock } from './ir.ts'
import { lowerCondition, lowerOperands, openList, type Part } from './lower-expressions.ts'
import { RegionBuilder } from './region-builder.ts'
import { type Location, registerNode, valueNode } from './register-allocator.ts'

/** Lowers a block and ends the scope of its variables. */
function lowerBlock(builder: RegionBuilder, statements: readonly Statement[]): void {
  builder.ended.block(statements, () => builder.shared.lower(builder, statements))
}

export function lowerWhile(builder: RegionBuilder, node: While): void {
  const after = builder.block()
  const isPlain = builder.lease === null && builder.shared.measureOf(node.condition).functions === 0
  builder.loops.push({ onBreak: after, onContinue: builder.block() })
  const [start, test] = [builder.block(), builder.block()]
  builder.loops.pop()
  const again = isPlain ? test : start
  builder.loops.push({ onBreak: after, onContinue: again })
  // The test is emitted at both ends of the loop, so that each iteration takes only one jump. In a locked
  // block, this duplication would reveal the loop.
  if (isPlain) testAt(builder, node.condition, start)
  else builder.jump(start)
  builder.open(start)
  if (!isPlain) {
    const inside = builder.block()
    testAt(builder, node.condition, inside)
    builder.open(inside)
  }
  lowerBlock(builder, node.body.statements)
  builder.jump(again)
  if (isPlain) {
    builder.open(test)
    testAt(builder, node.condition, start)
  }
  builder.loops.pop()
  builder.open(after)
}

function testAt(builder: RegionBuilder, test: Expression, start: BasicBlock): void {
  const after = builder.loops.at(-1)?.onBreak
  if (!after) throw new Error('a loop has no end')
  if (test.kind === 'BooleanLiteral' && test.value) builder.jump(start)
  else lowerCondition(builder, test, start, after)
}

/** The condition can use the variables of the body. */
export function lowerRepeat(builder: RegionBuilder, node: Repeat): void {
  const after = builder.block()
  builder.loops.push({ onBreak: after, onContinue: null })
  const [start, test] = [builder.block(), builder.block()]
  builder.loops.pop()
  builder.loops.push({ onBreak: after, onContinue: test })
  builder.jump(start)
  builder.open(start)
  builder.scope(() => {
    builder.shared.lower(builder, node.body.statements)
    builder.jump(test)
    builder.open(test)
    lowerCondition(builder, node.condition, after, start)
  })
  builder.loops.pop()
  builder.open(after)
}

export function lowerGenericFor(builder: RegionBuilder, node: GenericFor): void {
  const list = openList(builder, node.values)
  const values = list.rebuild(lowerOperands(builder, list.parts))
  const statements = buildRegion(builder, node.body.statements, node.at, true)
  const loop: Statement = { ...node, values, body: nodesAt(node.at).block(statements) }
  builder.push(builder.shared.measureOf(node).weight, loop)
}

/** Builds and emits statements as a region nested in the current one. */
export function buildRegion(
  builder: RegionBuilder,
  statements: readonly Statement[],
  at: Offset,
  isLoopBody: boolean,
): readonly Statement[] {
  const inner = new RegionBuilder(builder.shared, builder)
  builder.ended.passTo(inner.ended)
  if (isLoopBody) lowerBlock(inner, statements)
  else builder.shared.lower(inner, statements)
  inner.close({ kind: 'leave', how: 'end' })
  builder.ended.takeFrom(inner.ended)
  const { stream, lease, key, spent, policy } = builder
  const { entry, swaps } = inner
  return builder.shared.emit({ entry, swaps, isLoopBody, stream, lease, key, spent, policy }, at)
}

// --- numeric for

/** The registers for a loop's counter, limit and step. A constant limit or step has no register. */
type Bounds = {
  readonly counter: Location
  readonly limit: Expression
  readonly step: Expression
  /** Whether the loop counts up; null if this can only be determined at run time. */
  readonly isRising: boolean | null
  readonly rises: Location | null
}

export function lowerNumericFor(builder: RegionBuilder, node: NumericFor): void {
  const after = builder.block()
  builder.scope(() => {
    const bounds = begin(builder, node)
    builder.loops.push({ onBreak: after, onContinue: null })
    const [start, next] = [builder.block(), builder.block()]
    builder.loops.pop()
    enter(builder, node, bounds, { start, after })
    builder.loops.push({ onBreak: after, onContinue: next })
    builder.open(start)
    builder.scope(() => {
      bindCounter(builder, node, bounds)
      lowerBlock(builder, node.body.statements)
    })
    builder.jump(next)
    builder.open(next)
    const make = nodesAt(node.at)
    const counter = valueNode(bounds.counter, node.at)
    builder.push(2, make.assign(counter, make.binary(counter, '+', bounds.step)))
    const isLast = wraps(builder, node) ? notWrapped(bounds, node.at) : inRange(bounds, node.at)
    builder.branch(isLast, start, after)
    builder.loops.pop()
  })
  builder.open(after)
}

/** Evaluates start, limit and step. */
function begin(builder: RegionBuilder, node: NumericFor): Bounds & { readonly first: Expression } {
  const make = nodesAt(node.at)
  const constantStep = node.step ? signOf(node.step) : 1
  const parts = [node.start, node.limit, ...(node.step ? [node.step] : [])]
  const found = lowerOperands(
    builder,
    parts.map((value): Part => ({ value })),
  )
  const targets: Location[] = []
  const values: Expression[] = []
  const keep = (value: Expression): Expression => {
    if (value.kind === 'NumberLiteral') return value
    const place = builder.temporary()
    targets.push(place)
    values.push(value)
    return valueNode(place, node.at)
  }
  const [start, limit, step] = found as [Expression, Expression, Expression | undefined]
  const first = keep(start)
  const last = keep(limit)
  const by = step ? (constantStep === null ? keep(step) : step) : make.number(1)
  const counter = builder.temporary()
  builder.push(3, {
    kind: 'Assign',
    at: node.at,
    targets: [...targets, counter].map((place) => valueNode(place, node.at)),
    values: [...values, { kind: 'NilLiteral', at: node.at }],
  })
  const rises = constantStep === null ? builder.temporary() : null
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
 * Uses a native loop to check the start, limit and step, convert numeric strings to numbers, and compute the
 * first number, if there is one.
 */
function enter(
  builder: RegionBuilder,
  node: NumericFor,
  bounds: Bounds & { readonly first: Expression },
  { start, after }: { readonly start: BasicBlock; readonly after: BasicBlock },
): void {
  const make = nodesAt(node.at)
  const counter = valueNode(bounds.counter, node.at)
  const isPlain = bounds.first.kind === 'NumberLiteral' && !becomesFloat(builder, bounds.first, bounds.step)
  if (isPlain && bounds.isRising && isPlainLimit(node.limit)) {
    builder.push(1, make.assign(counter, bounds.first))
    builder.branch(inRange(bounds, node.at), start, after)
    return
  }
  const probe = builder.shared.symbols.fresh()
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
    const rises = valueNode(bounds.rises, node.at)
    const direction = loop(
      make.number(0),
      make.number(1),
      [make.assign(rises, make.boolean(true))],
      builder.shared.symbols.fresh(),
    )
    statements.push(make.assign(rises, make.boolean(false)), direction)
  }
  builder.push(6, ...statements)
  builder.branch(counter, start, after)
}

/** If the step is not an integer, Lua 5.4 counts in floats, even from an integer start. */
function becomesFloat(builder: RegionBuilder, first: NumberLiteral, step: Expression): boolean {
  const isWhole = (node: Expression) => node.kind === 'NumberLiteral' && Number.isInteger(node.value)
  return builder.shared.countersWrap && isWhole(first) && !isWhole(step)
}

/** Whether the limit is always a number. */
function isPlainLimit(limit: Expression): boolean {
  return limit.kind === 'NumberLiteral' || (limit.kind === 'Unary' && limit.operator === '#')
}

/** Whether the counter may wrap around at the end of the integer range, which happens only in Lua 5.4. */
function wraps(builder: RegionBuilder, { limit }: NumericFor): boolean {
  return builder.shared.countersWrap && !isPlainLimit(limit)
}

function notWrapped(bounds: Bounds, at: Offset): Expression {
  const make = nodesAt(at)
  const counter = valueNode(bounds.counter, at)
  const before = make.binary(counter, '-', bounds.step)
  const rose = make.binary(before, '<=', counter)
  const fell = make.binary(counter, '<=', before)
  if (bounds.rises === null) return make.logical(inRange(bounds, at), 'and', bounds.isRising ? rose : fell)
  const rises = valueNode(bounds.rises, at)
  const moved = make.logical(
    make.logical(rises, 'and', rose),
    'or',
    make.logical(make.not(rises), 'and', fell),
  )
  return make.logical(inRange(bounds, at), 'and', moved)
}

function inRange(bounds: Bounds, at: Offset): Expression {
  const make = nodesAt(at)
  const counter = valueNode(bounds.counter, at)
  const rising = make.binary(counter, '<=', bounds.limit)
  const falling = make.binary(bounds.limit, '<=', counter)
  if (bounds.rises === null) return bounds.isRising ? rising : falling
  const rises = valueNode(bounds.rises, at)
  return make.logical(make.logical(rises, 'and', rising), 'or', make.logical(make.not(rises), 'and', falling))
}

/** A variable that the script never assigns uses the same register as the counter. */
function bindCounter(builder: RegionBuilder, node: NumericFor, bounds: Bounds): void {
  const { symbol } = node.binding
  if (!builder.shared.variables.get(symbol)?.isAssigned) {
    builder.shared.places.set(symbol, bounds.counter)
    return
  }
  const make = nodesAt(node.at)
  const place = builder.declare(symbol)
  const counter = valueNode(bounds.counter, node.at)
  builder.push(1, make.assign(registerNode(place, node.at), place.isCell ? make.table([counter]) : counter))
}
