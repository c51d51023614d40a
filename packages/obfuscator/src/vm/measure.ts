/**
 * The cost model of the lowering: the size and contents of every part of a function, computed in one
 * traversal of the chunk.
 */

import type { Chunk, Kind, Node } from '../syntax/ast.ts'
import { runsOnce } from '../syntax/nodes.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'
import type { Variables } from './variables.ts'

/** Totals for a node and its descendants, without the bodies of nested functions. */
export type Measure = {
  /** The approximate number of host instructions. */
  readonly weight: number
  /**
   * The maximum number of host instructions that the output may need for the node, including dispatch and
   * hidden constants.
   */
  readonly size: number
  readonly loops: number
  readonly functions: number
  /** Method calls on anything other than a local variable. */
  readonly methods: number
  readonly locals: number
  /** The deepest level of loop nesting. */
  readonly loopDepth: number
  /** The same, without loops that never repeat, such as those of a lowered `continue`. */
  readonly repeatDepth: number
  /** Operations on a variable that the evaluation of the other operand may change. */
  readonly races: number
  /** `break` and `continue` statements whose loop is outside of the node. */
  readonly leaves: number
  readonly calls: number
}

/** Returns the measure of any node, including leaves. */
export type MeasureOf = (node: Node) => Measure

const WEIGHTS: Readonly<Record<Kind, number>> = {
  Chunk: 0,
  Block: 0,
  Binding: 0,
  Local: 1,
  LocalFunction: 1,
  Assign: 1,
  CompoundAssign: 1,
  CallStatement: 0,
  Class: 0,
  Do: 0,
  While: 2,
  Repeat: 2,
  If: 0,
  IfClause: 1,
  NumericFor: 3,
  GenericFor: 4,
  Return: 1,
  Break: 1,
  Continue: 1,
  Goto: 1,
  Label: 0,
  NilLiteral: 0,
  BooleanLiteral: 0,
  NumberLiteral: 0,
  Int64Literal: 1,
  ImaginaryLiteral: 1,
  StringLiteral: 0,
  InterpolatedString: 3,
  Vararg: 1,
  FunctionExpression: 2,
  Name: 0,
  LocalName: 0,
  GlobalName: 1,
  Index: 1,
  Call: 2,
  MethodCall: 3,
  Binary: 1,
  Logical: 1,
  Unary: 1,
  IfExpression: 2,
  Table: 1,
  PositionalItem: 1,
  KeyedItem: 1,
  Safe: 2,
  Guard: 0,
  Fields: 1,
  Paren: 0,
}

type Counter = { -readonly [K in keyof Measure]: number }

/**
 * The maximum growth per unit of weight, the size added by hiding a string or name, and the size added by
 * hiding a number.
 */
const PER_WEIGHT = 5
const PER_STRING = 14
const PER_NUMBER = 2
/** The size of a comparison whose value determines the state of the stream. */
const PER_EQUALITY = 16

const HIDDEN: { readonly [K in Kind]?: number } = {
  StringLiteral: PER_STRING,
  GlobalName: PER_STRING,
  MethodCall: PER_STRING,
  NumberLiteral: PER_NUMBER,
}

function sizeOf(kind: Kind): number {
  return WEIGHTS[kind] * PER_WEIGHT + (HIDDEN[kind] ?? 0)
}

const zero = (): Counter => ({
  weight: 0,
  size: 0,
  loops: 0,
  functions: 0,
  methods: 0,
  races: 0,
  locals: 0,
  loopDepth: 0,
  repeatDepth: 0,
  leaves: 0,
  calls: 0,
})

/** Measures every node of the chunk. */
export function measureChunk(chunk: Chunk, variables: Variables): MeasureOf {
  const known = new Map<Node, Measure>()
  const open: Counter[] = [zero()]
  const enter = (): undefined => void open.push(zero())
  const leave = (_: Node, node: Node): undefined => {
    const own = open.pop() as Counter
    if (own.weight > 0 && races(node, variables)) own.races += 1
    count(node, own)
    known.set(node, own)
    add(open[open.length - 1] as Counter, own)
  }
  const visitor = { enter, leave }
  const visitors = Object.fromEntries(INNER.map((kind) => [kind, visitor])) as Visitors
  const leaf = (node: Node): undefined => add(open[open.length - 1] as Counter, leafMeasure(node))
  const leaves = Object.fromEntries(LEAVES.map((kind) => [kind, leaf])) as Visitors
  rewrite(chunk, { ...visitors, ...leaves })
  return (node) => known.get(node) ?? leafMeasure(node)
}

const LEAVES: readonly Kind[] = [
  'Binding',
  'Break',
  'Continue',
  'Vararg',
  'GlobalName',
  'StringLiteral',
  'NumberLiteral',
]
const SILENT: readonly Kind[] = ['NilLiteral', 'BooleanLiteral', 'LocalName', 'Name']
const INNER = (Object.keys(WEIGHTS) as Kind[]).filter(
  (kind) => !LEAVES.includes(kind) && !SILENT.includes(kind),
)

const LOOPS: ReadonlySet<Kind> = new Set<Kind>(['While', 'Repeat', 'NumericFor', 'GenericFor'])

/**
 * Hosts read a local on the left after both operands have been evaluated, so a call on the right may change
 * it.
 */
function races(node: Node, variables: Variables): boolean {
  const left = node.kind === 'Binary' ? node.left : node.kind === 'Index' ? node.object : null
  if (left?.kind !== 'LocalName') return false
  const variable = variables.get(left.symbol)
  return variable?.isCaptured === true && variable.isAssigned
}

function leafMeasure(node: Node): Measure {
  const own = zero()
  own.weight = WEIGHTS[node.kind]
  own.size = sizeOf(node.kind)
  if (node.kind === 'Binding') own.locals = 1
  if (node.kind === 'Break' || node.kind === 'Continue') own.leaves = 1
  return own
}

function count(node: Node, own: Counter): void {
  own.weight += WEIGHTS[node.kind]
  own.size += sizeOf(node.kind)
  if (node.kind === 'Binary' && (node.operator === '==' || node.operator === '~=')) own.size += PER_EQUALITY
  if (LOOPS.has(node.kind)) {
    own.loops += 1
    own.loopDepth += 1
    if (!runsOnce(node)) own.repeatDepth += 1
    own.leaves = 0
    own.locals += 3
  } else if (node.kind === 'FunctionExpression') {
    Object.assign(own, zero(), {
      weight: WEIGHTS.FunctionExpression,
      size: sizeOf('FunctionExpression'),
      functions: 1,
    })
  } else if (node.kind === 'MethodCall' && node.object.kind !== 'LocalName') own.methods += 1
  if (node.kind === 'Call' || node.kind === 'MethodCall') own.calls += 1
}

function add(total: Counter, part: Measure): undefined {
  total.weight += part.weight
  total.size += part.size
  total.loops += part.loops
  total.functions += part.functions
  total.methods += part.methods
  total.races += part.races
  total.locals += part.locals
  total.leaves += part.leaves
  total.calls += part.calls
  total.loopDepth = Math.max(total.loopDepth, part.loopDepth)
  total.repeatDepth = Math.max(total.repeatDepth, part.repeatDepth)
}
