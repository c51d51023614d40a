/** Compiles expressions to bytecode. The bytecode evaluates operands in the same order as the hosts. */

import { toFormatCall } from '../lower/interpolated-strings.ts'
import type {
  Binary,
  Call,
  Expression,
  IfExpression,
  Index,
  Logical,
  MethodCall,
  NodeOf,
  Table,
} from '../syntax/ast.ts'
import type { BinaryOperator, UnaryOperator } from '../syntax/operator-names.ts'
import { type Constant, createLabel, type Label } from './bytecode.ts'
import { type FunctionFrame, isMany, type Place } from './function-frame.ts'
import { isComparison, isOperation, type Opcode } from './machine.ts'

/** The count of a list whose last expression may return several values. */
const OPEN = -1

const BINARY: Readonly<Record<BinaryOperator, Opcode>> = {
  '+': 'add',
  '-': 'subtract',
  '*': 'multiply',
  '/': 'divide',
  '%': 'modulo',
  '^': 'power',
  '..': 'join',
  '==': 'equal',
  '~=': 'unequal',
  '<': 'less',
  '<=': 'atMost',
  '>': 'greater',
  '>=': 'atLeast',
  '//': 'floorDivide',
  '&': 'bitAnd',
  '|': 'bitOr',
  '~': 'bitXor',
  '<<': 'shiftLeft',
  '>>': 'shiftRight',
}

export function binaryOpcode(operator: BinaryOperator): Opcode {
  return BINARY[operator]
}

const UNARY: Readonly<Record<UnaryOperator, Opcode>> = {
  '-': 'negate',
  not: 'not',
  '#': 'length',
  '~': 'bitNot',
}

/** Evaluates an expression into the next register. */
export function toNext(frame: FunctionFrame, node: Expression): number {
  if (node.kind === 'Call' || node.kind === 'MethodCall') {
    const { base, count } = call(frame, node)
    frame.emit('call', base, count)
    frame.release(base)
    return base
  }
  const target = frame.allocate()
  into(frame, node, target)
  return target
}

/**
 * Evaluates an operand immediately. The exception is a local of the function itself, which hosts read only
 * when the operation runs. `read` returns the operand's register at that time.
 */
export function operand(frame: FunctionFrame, node: Expression): { read(): number } {
  if (node.kind === 'LocalName') {
    const place = frame.placeOf(node.symbol)
    if (!place.isUpvalue) return { read: () => readOwn(frame, place) }
  }
  const register = toNext(frame, node)
  return { read: () => register }
}

function readOwn(frame: FunctionFrame, { index, isCell }: Place): number {
  if (!isCell) return index
  const target = frame.allocate()
  frame.emit('getCell', target, index)
  return target
}

/** Evaluates an expression into a register that the expression does not use. Only the first value is kept. */
export function into(frame: FunctionFrame, node: Expression, target: number): void {
  frame.scope(() => evaluate(frame, node, target))
}

function evaluate(frame: FunctionFrame, node: Expression, target: number): void {
  const compile = compilers[node.kind]
  if (!compile) throw new Error(`${node.kind} cannot be compiled`)
  compile(frame, node, target)
}

type Compile<K extends Expression['kind']> = (frame: FunctionFrame, node: NodeOf<K>, target: number) => void
// Method parameters are bivariant, which is necessary for the lookup by `node.kind`.
type AnyCompile = { of(frame: FunctionFrame, node: Expression, target: number): void }['of']

const byKind: { readonly [K in Expression['kind']]?: Compile<K> } = {
  NilLiteral: (frame, _, target) => frame.emit('clear', target, target),
  BooleanLiteral: (frame, { value }, target) => frame.emit('boolean', target, value ? 1 : 0),
  NumberLiteral: (frame, { value }, target) => number(frame, value, target),
  StringLiteral: (frame, { value }, target) => frame.emit('constant', target, { constant: value }),
  InterpolatedString: (frame, node, target) => evaluate(frame, toFormatCall(node), target),
  LocalName: (frame, { symbol }, target) => read(frame, frame.placeOf(symbol), target),
  GlobalName: (frame, { name }, target) => read(frame, frame.placeOf(name), target),
  Vararg: (frame, _, target) => frame.emit('varargs', target, 1, frame.parameters + 1),
  FunctionExpression: (frame, node, target) => frame.closure(node, target),
  Paren: (frame, { inner }, target) => evaluate(frame, inner, target),
  Index: index,
  Unary: (frame, node, target) =>
    frame.emit(UNARY[node.operator], target, operand(frame, node.operand).read()),
  Binary: binary,
  Logical: logical,
  IfExpression: chosen,
  Call: oneResult,
  MethodCall: oneResult,
  Table: table,
}

const compilers: { readonly [K in Expression['kind']]?: AnyCompile } = byKind

function oneResult(frame: FunctionFrame, node: Call | MethodCall, target: number): void {
  const { base, count } = call(frame, node)
  frame.emit('call', base, count)
  frame.emit('move', target, base)
}

function number(frame: FunctionFrame, value: number, target: number): void {
  if (Number.isFinite(value)) {
    frame.emit('constant', target, { constant: Math.abs(value) })
    if (value < 0 || Object.is(value, -0)) frame.emit('negate', target, target)
    return
  }
  const [dividend, divisor] = [frame.allocate(), frame.allocate()]
  frame.emit('constant', dividend, { constant: 1 })
  frame.emit('constant', divisor, { constant: 0 })
  frame.emit('divide', target, dividend, divisor)
}

function read(frame: FunctionFrame, { index, isUpvalue, isCell }: Place, target: number): void {
  if (isUpvalue) frame.emit(isCell ? 'getShared' : 'upvalue', target, index)
  else frame.emit(isCell ? 'getCell' : 'move', target, index)
}

function index(frame: FunctionFrame, { object, key }: Index, target: number): void {
  if (object.kind === 'LocalName' && key.kind === 'StringLiteral') {
    const place = frame.placeOf(object.symbol)
    if (place.isUpvalue && !place.isCell) {
      frame.emit('upvalueField', target, place.index, { constant: key.value })
      return
    }
  }
  const from = operand(frame, object)
  if (key.kind === 'StringLiteral') {
    frame.emit('field', target, from.read(), { constant: key.value })
    return
  }
  const by = operand(frame, key)
  frame.emit('index', target, from.read(), by.read())
}

function binary(frame: FunctionFrame, { operator, left, right }: Binary, target: number): void {
  const opcode = BINARY[operator]
  // In a chain of `..`, all operands are evaluated before the last two are concatenated.
  const first = operator === '..' ? settled(frame, left) : operand(frame, left)
  const constant = constantOf(right)
  if (constant && isOperation(opcode)) {
    frame.emit(`${opcode}Constant`, target, first.read(), constant)
    return
  }
  const second = operator === '..' ? settled(frame, right) : operand(frame, right)
  frame.emit(opcode, target, first.read(), second.read())
}

/** Evaluates an operand immediately, even if it is a local. */
function settled(frame: FunctionFrame, node: Expression): { read(): number } {
  const register = toNext(frame, node)
  return { read: () => register }
}

function constantOf(node: Expression): Constant | null {
  if (node.kind === 'StringLiteral') return { constant: node.value }
  const isPlain = node.kind === 'NumberLiteral' && Number.isFinite(node.value) && 1 / node.value > 0
  return isPlain ? { constant: node.value } : null
}

function logical(frame: FunctionFrame, { operator, left, right }: Logical, target: number): void {
  const [end, value] = [createLabel(), frame.allocate()]
  into(frame, left, value)
  frame.emit(operator === 'and' ? 'jumpUnless' : 'jumpIf', value, end)
  into(frame, right, value)
  frame.place(end)
  frame.emit('move', target, value)
}

function chosen(frame: FunctionFrame, node: IfExpression, target: number): void {
  const [otherwise, end, value] = [createLabel(), createLabel(), frame.allocate()]
  jumpUnless(frame, node.condition, otherwise)
  into(frame, node.consequent, value)
  frame.emit('jump', end)
  frame.place(otherwise)
  into(frame, node.otherwise, value)
  frame.place(end)
  frame.emit('move', target, value)
}

/** Emits a jump that is taken if the condition is false. */
export function jumpUnless(frame: FunctionFrame, node: Expression, to: Label): void {
  jump(frame, node, { to, isIf: false })
}

type Jump = { readonly to: Label; readonly isIf: boolean }

/** Emits a jump that is taken if the condition has the truth value `isIf`. */
function jump(frame: FunctionFrame, node: Expression, { to, isIf }: Jump): void {
  if (node.kind === 'Unary' && node.operator === 'not') {
    jump(frame, node.operand, { to, isIf: !isIf })
  } else if (node.kind === 'Logical' && (node.operator === 'or') === isIf) {
    jump(frame, node.left, { to, isIf })
    jump(frame, node.right, { to, isIf })
  } else if (node.kind === 'Logical') {
    const after = createLabel()
    jump(frame, node.left, { to: after, isIf: !isIf })
    jump(frame, node.right, { to, isIf })
    frame.place(after)
  } else test(frame, node, isIf ? 'jumpIf' : 'jumpUnless', to)
}

function test(frame: FunctionFrame, node: Expression, opcode: 'jumpIf' | 'jumpUnless', to: Label): void {
  frame.scope(() => {
    const comparison = node.kind === 'Binary' ? BINARY[node.operator] : null
    if (node.kind === 'Binary' && comparison && opcode === 'jumpUnless' && isComparison(comparison)) {
      const first = operand(frame, node.left)
      const constant = constantOf(node.right)
      if (constant) frame.emit(`${comparison}ConstantElse`, first.read(), constant, to)
      else {
        const second = operand(frame, node.right)
        frame.emit(`${comparison}Else`, first.read(), second.read(), to)
      }
    } else frame.emit(opcode, operand(frame, node).read(), to)
  })
}

// --- calls and lists

/**
 * `base` is the register of the function to call, and `count` is the number of arguments. The arguments are
 * in the registers after `base`.
 */
export type PreparedCall = { readonly base: number; readonly count: number }

/** Evaluates the callee and the arguments of a call. */
export function call(frame: FunctionFrame, node: Call | MethodCall): PreparedCall {
  const base = frame.allocate()
  if (node.kind === 'Call') {
    into(frame, node.callee, base)
    return { base, count: list(frame, node.args) }
  }
  const self = frame.allocate()
  const object = frame.scope(() => operand(frame, node.object).read())
  frame.emit('self', base, object, { constant: node.method })
  frame.release(self)
  const count = list(frame, node.args)
  if (frame.shared.code.machine.looksUpLate) frame.emit('method', base, { constant: node.method })
  return { base, count: count === OPEN ? OPEN : count + 1 }
}

/**
 * Evaluates values into consecutive registers.
 * @returns the number of values; -1 if the last expression may return several values.
 */
export function list(frame: FunctionFrame, values: readonly Expression[]): number {
  for (const [i, value] of values.entries()) {
    if (i === values.length - 1 && isMany(value)) {
      expand(frame, value, OPEN)
      return OPEN
    }
    toNext(frame, value)
  }
  return values.length
}

/**
 * Evaluates an expression that may return several values into the next registers.
 * @param count the number of values; -1 for all.
 */
export function expand(frame: FunctionFrame, node: Expression, count: number): void {
  const base = frame.top + 1
  if (node.kind === 'Vararg') frame.emit('varargs', frame.allocate(), count, frame.parameters + 1)
  else if (node.kind === 'Call' || node.kind === 'MethodCall') {
    const made = call(frame, node)
    frame.emit('callMany', made.base, made.count, count)
  } else throw new Error(`${node.kind} is one value`)
  frame.release(base - 1)
  if (count > 0) frame.allocate(count)
}

// --- tables

/**
 * The numbers of keyed items for which the machine has a table constructor. Hosts create a table with room
 * for all items of its constructor.
 */
const RECORDS = [1, 2, 4, 8] as const

/**
 * Creates the table in one constructor, so that the table has the same size as on the host. The size
 * determines the table's length if it has holes. If no handler takes exactly as many keyed items, the last
 * item is repeated. Items that don't fit into the largest handler are assigned afterward.
 */
function table(frame: FunctionFrame, { items }: Table, target: number): void {
  const keyed = items.filter((item) => item.kind === 'KeyedItem')
  const size = keyed.length === 0 ? 0 : (RECORDS.find((each) => each >= keyed.length) ?? RECORDS[3])
  const base = frame.baseFor(target)
  const places = new Map(keyed.map((item) => [item, frame.allocate(2)]))
  for (let i = keyed.length; i < size; i++) frame.allocate(2)
  const first = frame.top + 1
  let count = 0
  for (const [i, item] of items.entries()) {
    if (item.kind === 'KeyedItem') {
      const place = places.get(item) ?? base
      into(frame, item.key, place)
      into(frame, item.value, place + 1)
    } else if (i === items.length - 1 && isMany(item.value)) {
      expand(frame, item.value, OPEN)
      count = OPEN
    } else {
      toNext(frame, item.value)
      count += 1
    }
  }
  for (let i = 2 * keyed.length; i < 2 * size; i++) frame.emit('move', base + 1 + i, base + i - 1)
  const opcode: Opcode = size === 0 ? 'list' : `record${size}`
  frame.emit(opcode, base, first, count === OPEN ? OPEN : first + count - 1)
  for (let i = size; i < keyed.length; i++) frame.emit('setIndex', base, base + 1 + 2 * i, base + 2 + 2 * i)
  if (base !== target) frame.emit('move', target, base)
}
