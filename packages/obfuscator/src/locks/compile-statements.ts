import type {
  Assign,
  Block,
  Call,
  CompoundAssign,
  Expression,
  GenericFor,
  If,
  Local,
  MethodCall,
  NodeOf,
  NumericFor,
  Repeat,
  Return,
  Statement,
  While,
} from '../syntax/ast.ts'
import { createLabel, type Label } from './bytecode.ts'
import { binaryOpcode, call, expand, into, jumpUnless, list, operand, toNext } from './compile-expressions.ts'
import { type FunctionFrame, isMany, type Place } from './function-frame.ts'

/** Compiles a block. Its variables go out of scope at the end. */
function compileBlock(frame: FunctionFrame, { statements }: Block): void {
  frame.block(() => {
    compileStatements(frame, statements)
    const last = statements.at(-1)?.kind
    return last === 'Return' || last === 'Break' || last === 'Continue'
  })
}

export function compileStatements(frame: FunctionFrame, statements: readonly Statement[]): void {
  for (const each of statements) statement(frame, each)
}

function statement(frame: FunctionFrame, node: Statement): void {
  const compile = compilers[node.kind]
  if (!compile) throw new Error(`${node.kind} cannot be compiled`)
  compile(frame, node)
}

type Compile<K extends Statement['kind']> = (frame: FunctionFrame, node: NodeOf<K>) => void
// Method parameters are bivariant, which is necessary for the lookup by `node.kind`.
type AnyCompile = { of(frame: FunctionFrame, node: Statement): void }['of']

const byKind: { readonly [K in Statement['kind']]?: Compile<K> } = {
  Local: local,
  LocalFunction: (frame, { binding, func }) => store(frame, frame.declareRecursive(binding.symbol), func),
  Assign: (frame, node) => frame.scope(() => assign(frame, node)),
  CompoundAssign: (frame, node) => frame.scope(() => compound(frame, node)),
  CallStatement: (frame, node) => frame.scope(() => run(frame, node.call)),
  Do: (frame, { body }) => compileBlock(frame, body),
  If: conditional,
  While: (frame, node) => loop(frame, (labels) => whileLoop(frame, node, labels)),
  Repeat: (frame, node) => loop(frame, (labels) => repeatLoop(frame, node, labels)),
  NumericFor: (frame, node) => loop(frame, (labels) => numericFor(frame, node, labels)),
  GenericFor: (frame, node) => loop(frame, (labels) => genericFor(frame, node, labels)),
  Return: (frame, node) => frame.scope(() => leave(frame, node)),
  Break: (frame) => jumpOut(frame, 'onBreak'),
  Continue: (frame) => jumpOut(frame, 'onContinue'),
}

const compilers: { readonly [K in Statement['kind']]?: AnyCompile } = byKind

function run(frame: FunctionFrame, node: Call | MethodCall): void {
  if (isCollection(node)) frame.clear()
  const { base, count } = call(frame, node)
  frame.emit('run', base, count)
}

/** Matches calls to `collectgarbage`, which authors use to free values that are no longer referenced. */
function isCollection(node: Expression): boolean {
  if (node.kind !== 'Call') return false
  const { callee } = node
  if (callee.kind === 'GlobalName') return callee.name === 'collectgarbage'
  return (
    callee.kind === 'Index' && callee.key.kind === 'StringLiteral' && callee.key.value === 'collectgarbage'
  )
}

function local(frame: FunctionFrame, { bindings, values }: Local): void {
  const first = valuesTo(frame, values, bindings.length)
  for (const [i, { symbol }] of bindings.entries()) frame.declare(symbol, first + i)
}

/** Evaluates values into a fixed number of consecutive registers. Extra values are evaluated and dropped. */
function valuesTo(frame: FunctionFrame, values: readonly Expression[], wanted: number): number {
  const first = frame.top + 1
  for (const [i, value] of values.entries()) {
    const missing = wanted - i
    if (i === values.length - 1 && isMany(value) && missing > 1) expand(frame, value, missing)
    else toNext(frame, value)
  }
  const last = first + wanted - 1
  if (frame.top < last) frame.emit('clear', frame.top + 1, last)
  if (frame.top < last) frame.allocate(last - frame.top)
  frame.release(last)
  return first
}

function leave(frame: FunctionFrame, { values }: Return): void {
  const [only] = values
  if (values.length === 1 && (only?.kind === 'Call' || only?.kind === 'MethodCall')) {
    const { base, count } = call(frame, only)
    frame.emit('callLast', base, count)
    return
  }
  const first = frame.top + 1
  frame.emit('leave', first, list(frame, values))
}

// --- assignments

function store(frame: FunctionFrame, place: Place, value: Expression): void {
  if (!place.isCell) into(frame, value, place.index)
  else frame.scope(() => storeRegister(frame, place, toNext(frame, value)))
}

function storeRegister(frame: FunctionFrame, { index, isUpvalue, isCell }: Place, register: number): void {
  if (!isCell) frame.emit('move', index, register)
  else frame.emit(isUpvalue ? 'setShared' : 'setCell', index, register)
}

/** An assignment target whose object and key have been evaluated. */
type Stored = (register: number) => void

function assign(frame: FunctionFrame, { targets, values }: Assign): void {
  const [only] = targets
  if (targets.length === 1 && values.length === 1 && only && only.kind !== 'Index') {
    store(frame, placeOf(frame, only), values[0] as Expression)
    return
  }
  const changed = new Set(targets.map((each) => (each.kind === 'LocalName' ? each.symbol : null)))
  // If the same statement assigns the local, the local is read before the assignment.
  const part = (node: Expression) => {
    if (node.kind !== 'LocalName' || !changed.has(node.symbol)) return operand(frame, node)
    const register = toNext(frame, node)
    return { read: () => register }
  }
  const stored = targets.map((each): Stored => {
    if (each.kind !== 'Index') return (register) => storeRegister(frame, placeOf(frame, each), register)
    const { object, key } = each
    const table = part(object)
    if (key.kind === 'StringLiteral') {
      return (register) => frame.emit('setField', table.read(), { constant: key.value }, register)
    }
    const index = part(key)
    return (register) => frame.emit('setIndex', table.read(), index.read(), register)
  })
  const [value] = values
  if (targets.length === 1 && values.length === 1 && value) {
    const single = operand(frame, value)
    stored[0]?.(single.read())
    return
  }
  const first = valuesTo(frame, values, targets.length)
  inHostOrder(frame, stored, first)
}

/** Luau assigns multiple values from left to right, and other hosts assign them from right to left. */
function inHostOrder(frame: FunctionFrame, stored: readonly Stored[], first: number): void {
  const { machine } = frame.shared.code
  const inOrder = (places: readonly number[]) => {
    for (const i of places) frame.scope(() => stored[i]?.(first + i))
  }
  const forward = () => inOrder([...stored.keys()])
  const backward = () => inOrder([...stored.keys()].reverse())
  if (machine.has('iterate')) forward()
  else if (!machine.has('isLuau')) backward()
  else {
    const [others, end, flag] = [createLabel(), createLabel(), frame.allocate()]
    frame.emit('isLuau', flag)
    frame.emit('jumpUnless', flag, others)
    forward()
    frame.emit('jump', end)
    frame.place(others)
    backward()
    frame.place(end)
  }
}

function placeOf(frame: FunctionFrame, node: Expression): Place {
  if (node.kind === 'LocalName') return frame.placeOf(node.symbol)
  if (node.kind === 'GlobalName') return frame.placeOf(node.name)
  throw new Error(`${node.kind} cannot be assigned`)
}

/**
 * As in Luau, a local of the function is read after the value has been evaluated. All other operands are read
 * before that.
 */
function compound(frame: FunctionFrame, { target, operator, value }: CompoundAssign): void {
  const opcode = binaryOpcode(operator)
  if (target.kind !== 'Index') {
    const before = operand(frame, target)
    const second = operand(frame, value)
    const result = frame.allocate()
    frame.emit(opcode, result, before.read(), second.read())
    storeRegister(frame, placeOf(frame, target), result)
    return
  }
  const [object, key] = [operand(frame, target.object), operand(frame, target.key)]
  const before = frame.allocate()
  const [from, by] = [object.read(), key.read()]
  frame.emit('index', before, from, by)
  const second = operand(frame, value)
  frame.emit(opcode, before, before, second.read())
  frame.emit('setIndex', from, by, before)
}

// --- control flow

function jumpOut(frame: FunctionFrame, how: 'onBreak' | 'onContinue'): void {
  const labels = frame.loops.at(-1)
  if (!labels) throw new Error('a jump without a loop cannot be compiled')
  frame.emit('jump', labels[how])
}

function conditional(frame: FunctionFrame, { clauses, otherwise }: If): void {
  const end = createLabel()
  for (const [i, { condition, body }] of clauses.entries()) {
    const next = createLabel()
    frame.scope(() => jumpUnless(frame, condition, next))
    compileBlock(frame, body)
    if (otherwise || i < clauses.length - 1) frame.emit('jump', end)
    frame.place(next)
  }
  if (otherwise) compileBlock(frame, otherwise)
  frame.place(end)
}

type Labels = { readonly onBreak: Label; readonly onContinue: Label }

/** Clears the registers of a loop once the loop has ended, with or without a `break`. */
function loop(frame: FunctionFrame, inside: (labels: Labels) => void): void {
  const labels = { onBreak: createLabel(), onContinue: createLabel() }
  frame.block(() => {
    frame.loops.push(labels)
    inside(labels)
    frame.loops.pop()
    frame.place(labels.onBreak)
    return false
  })
}

function whileLoop(frame: FunctionFrame, { condition, body }: While, { onBreak, onContinue }: Labels): void {
  frame.place(onContinue)
  jumpUnless(frame, condition, onBreak)
  compileBlock(frame, body)
  frame.emit('jump', onContinue)
}

/** The condition can refer to variables that the body declares. */
function repeatLoop(frame: FunctionFrame, { condition, body }: Repeat, { onContinue }: Labels): void {
  const start = createLabel()
  frame.place(start)
  frame.scope(() => {
    compileStatements(frame, body.statements)
    frame.place(onContinue)
    jumpUnless(frame, condition, start)
  })
}

function numericFor(frame: FunctionFrame, node: NumericFor, { onBreak, onContinue }: Labels): void {
  const step: Expression = node.step ?? { kind: 'NumberLiteral', at: node.at, value: 1 }
  const base = valuesTo(frame, [node.start, node.limit, step], 3)
  const start = createLabel()
  const variable = frame.allocate()
  frame.emit('startCount', base, onBreak)
  frame.place(start)
  frame.declare(node.binding.symbol, variable)
  compileBlock(frame, node.body)
  frame.place(onContinue)
  frame.emit('count', base, start)
}

function genericFor(frame: FunctionFrame, node: GenericFor, { onBreak, onContinue }: Labels): void {
  frame.hold()
  const base = valuesTo(frame, node.values, 3)
  if (frame.shared.code.machine.has('iterate')) frame.emit('iterate', base)
  const first = frame.allocate(node.bindings.length)
  frame.place(onContinue)
  frame.emit('next', base, node.bindings.length, onBreak)
  for (const [i, { symbol }] of node.bindings.entries()) frame.declare(symbol, first + i)
  compileBlock(frame, node.body)
  frame.emit('jump', onContinue)
}
