// Writes what only Luau has in the Lua 5.1 that every target runs. Statements are
// lowered here and in `lower-loops.ts`, what needs code at run time in `lower-support.ts`.

import { bind, type Symbols } from '../semantics/symbols.ts'
import type { Target as Host } from '../semantics/target.ts'
import type {
  Chunk,
  CompoundAssign,
  Expression,
  GenericFor,
  IfExpression,
  InterpolatedString,
  Local,
  Node,
  Return,
  Statement,
  Target,
} from '../syntax/ast.ts'
import { dialectWords, type Feature, featureWords } from '../syntax/dialect.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'
import { HOT } from './attributes.ts'
import { nodesAt, oneValue } from './build.ts'
import { lowerGoto } from './lower-goto.ts'
import { type Loop, lowerContinue } from './lower-loops.ts'
import { createSupport, type Support } from './lower-support.ts'
import type { Pass, Work } from './pass.ts'
import { varyForms } from './vary-forms.ts'

export const lowerLuau: Pass = {
  name: 'lower-luau',
  summary: 'Writes Luau syntax in the Lua that the target runs.',
  settings: [],
  run(source, work) {
    const { target, mentions } = work.facts
    // A label that nothing jumps to is lowered too.
    const hasLabels = mentions('goto') || mentions('::')
    const chunk = target === 'luajit' || !hasLabels ? source : lowerGoto(source)
    if (target === 'luau') return rewrite(chunk, foreign(work))
    const support = createSupport(work.symbols)
    const lowered = rewrite(chunk, { ...foreign(work), ...visitors(work, support) })
    return withPrologue(
      withDirectives(lowered, work.facts.target),
      varyForms(support.prologue(chunk.at), work.random),
    )
  },
}

/** Puts statements before the first one of the chunk. */
export function withPrologue(chunk: Chunk, prologue: readonly Statement[]): Chunk {
  if (prologue.length === 0) return chunk
  return { ...chunk, body: { ...chunk.body, statements: [...prologue, ...chunk.body.statements] } }
}

/** Directives are comments to the others, and only `any` may meet a Luau that reads them. */
function withDirectives(chunk: Chunk, host: Host): Chunk {
  return host === 'any' ? chunk : { ...chunk, directives: [] }
}

/** Refuses what LuaJIT alone has: it runs nowhere else and has no equal in plain Lua. */
function foreign({ facts, diagnostics }: Work): Visitors {
  const host = facts.target
  if (host === 'luajit') return {}
  const words = host === 'any' ? 'every target (Lua 5.1 and Luau do not have it)' : dialectWords[host]
  const refuse = (feature: Feature) => ({
    enter(node: Node): undefined {
      diagnostics.report(node.at, 'notInTarget', featureWords(feature), words)
    },
  })
  return {
    Goto: refuse('goto'),
    Label: refuse('goto'),
    Int64Literal: refuse('int64'),
    ImaginaryLiteral: refuse('imaginary'),
  }
}

function visitors({ symbols, facts }: Work, support: Support): Visitors {
  // Looking for `continue` reads every loop once more.
  const canContinue = facts.mentions('continue') || facts.mentions('goto')
  const loop = (node: Loop): Loop => (canContinue ? lowerContinue(node, symbols) : node)
  return {
    Binding: (node) => (node.isConst ? { ...node, isConst: false } : undefined),
    FunctionExpression: (node) =>
      node.attributes.length > 0 ? { ...node, attributes: lowerAttributes(node.attributes) } : undefined,
    CompoundAssign: (node) => lowerCompound(node, symbols, support),
    Binary: (node) =>
      node.operator === '//'
        ? nodesAt(node.at).call(support.use('floorDivide', node.at), node.left, oneValue(node.right))
        : undefined,
    InterpolatedString: (node) => lowerInterpolation(node, support),
    IfExpression: lowerIfExpression,
    Local: lowerIfLocal,
    Return: lowerIfReturn,
    GenericFor: (node) => loop(lowerIteration(node, support)),
    NumericFor: loop,
    While: loop,
    Repeat: loop,
  }
}

/** A function that Luau would compile to machine code should be as fast as it can be elsewhere too. */
function lowerAttributes(attributes: readonly string[]): string[] {
  const own = attributes.filter((each) => each.startsWith(' '))
  return attributes.includes('native') ? [...own, HOT] : own
}

// --- compound assignment ----------------------------------------------------------------------------------------

/** The object and the key of the target are evaluated once; locals are read where they stand, as Luau does. */
function lowerCompound(node: CompoundAssign, symbols: Symbols, support: Support): Statement | Statement[] {
  const make = nodesAt(node.at)
  const operate = (left: Expression): Expression =>
    node.operator === '//'
      ? make.call(support.use('floorDivide', node.at), left, oneValue(node.value))
      : make.binary(left, node.operator, node.value)
  const target = node.target
  if (target.kind !== 'Index') return make.assign(target, operate(target))
  const kept: { symbol: number; value: Expression }[] = []
  const once = (part: Expression): Expression => {
    if (isFixed(part)) return part
    const symbol = symbols.fresh()
    kept.push({ symbol, value: part })
    return make.use(symbol)
  }
  const place = make.index(once(target.object), once(target.key))
  const assign = make.assign(place, operate(place))
  if (kept.length === 0) return assign
  const locals = make.local(
    kept.map((each) => each.symbol),
    kept.map((each) => oneValue(each.value)),
  )
  return make.do([locals, assign])
}

function isFixed(part: Expression): boolean {
  return part.kind === 'LocalName' || part.kind === 'StringLiteral' || part.kind === 'NumberLiteral'
}

// --- if-expressions ---------------------------------------------------------------------------------------------

/** `c and a or b` where `a` cannot be false; else the branch travels in a table, so that its value may be false. */
function lowerIfExpression(node: IfExpression): Expression {
  const make = nodesAt(node.at)
  const { condition, consequent, otherwise } = node
  if (isTruthy(consequent)) return make.logical(make.logical(condition, 'and', consequent), 'or', otherwise)
  if (isTruthy(otherwise)) {
    return make.logical(make.logical(make.not(condition), 'and', otherwise), 'or', consequent)
  }
  const boxed = make.logical(
    make.logical(condition, 'and', make.table([oneValue(consequent)])),
    'or',
    make.table([oneValue(otherwise)]),
  )
  return make.index(boxed, make.number(1))
}

function isTruthy(value: Expression): boolean {
  switch (value.kind) {
    case 'NumberLiteral':
    case 'StringLiteral':
    case 'Table':
    case 'FunctionExpression':
      return true
    case 'BooleanLiteral':
      return value.value
    default:
      return false
  }
}

/** `local x = if c then a else b` becomes a statement, which costs nothing when it runs. */
function lowerIfLocal(node: Local, original: Local): Statement[] | undefined {
  const [value] = original.values
  const [binding] = node.bindings
  if (original.values.length !== 1 || node.bindings.length !== 1) return undefined
  if (value?.kind !== 'IfExpression' || !binding || isTruthy(value.consequent)) return undefined
  const lowered = unboxed(node.values[0] as Expression)
  if (!lowered) return undefined
  const make = nodesAt(node.at)
  const target: Target = make.use(binding.symbol)
  return [
    { ...node, bindings: [bind(binding.symbol, binding.at, binding.name)], values: [] },
    make.if(lowered.condition, [make.assign(target, lowered.then)], [make.assign(target, lowered.otherwise)]),
  ]
}

function lowerIfReturn(node: Return, original: Return): Statement | undefined {
  if (original.values.length !== 1 || original.values[0]?.kind !== 'IfExpression') return undefined
  const lowered = unboxed(node.values[0] as Expression)
  if (!lowered) return undefined
  const make = nodesAt(node.at)
  return make.if(lowered.condition, [make.return(lowered.then)], [make.return(lowered.otherwise)])
}

type Branches = { readonly condition: Expression; readonly then: Expression; readonly otherwise: Expression }

/** Takes apart what `lowerIfExpression` made with tables. */
function unboxed(value: Expression): Branches | undefined {
  if (value.kind !== 'Index' || value.object.kind !== 'Logical') return undefined
  const { left, right } = value.object
  if (left.kind !== 'Logical' || left.right.kind !== 'Table' || right.kind !== 'Table') return undefined
  const then = left.right.items[0]?.value
  const otherwise = right.items[0]?.value
  return then && otherwise ? { condition: left.left, then, otherwise } : undefined
}

// --- interpolated strings, iteration ------------------------------------------------------------------------------

/** One value is put between its strings; with more, all are evaluated before the first becomes text, as Luau does. */
function lowerInterpolation(node: InterpolatedString, support: Support): Expression {
  const make = nodesAt(node.at)
  const pieces = node.strings.map((text) => make.string(text))
  const [first, last] = pieces
  const [value] = node.values
  if (!value) return first ?? make.string('')
  if (node.values.length > 1 || !first || !last) {
    const args = node.values.flatMap((each, i) => [pieces[i] ?? make.string(''), oneValue(each)])
    return make.call(
      support.use('interpolate', node.at),
      ...args,
      pieces[node.values.length] ?? make.string(''),
    )
  }
  const text = make.call(support.use('tostring', node.at), oneValue(value))
  const head = first.value === '' ? text : make.binary(first, '..', text)
  return last.value === '' ? head : make.binary(head, '..', last)
}

/** Functions that give functions: what they return needs no look at run time. */
const PLAIN_ITERATORS = new Set(['pairs', 'ipairs', 'next', 'gmatch', 'gfind', 'wrap', 'lines'])

function lowerIteration(node: GenericFor, support: Support): GenericFor {
  const [first] = node.values
  if (!first || isFunction(first)) return node
  const values = [nodesAt(node.at).call(support.use('iterate', node.at), ...node.values)]
  return { ...node, values }
}

function isFunction(value: Expression): boolean {
  if (value.kind === 'FunctionExpression') return true
  if (value.kind === 'GlobalName') return value.name === 'next'
  if (value.kind === 'MethodCall') return PLAIN_ITERATORS.has(value.method)
  if (value.kind !== 'Call') return false
  const callee = value.callee
  if (callee.kind === 'GlobalName') return PLAIN_ITERATORS.has(callee.name)
  if (callee.kind !== 'Index' || callee.key.kind !== 'StringLiteral') return false
  return callee.object.kind === 'GlobalName' && PLAIN_ITERATORS.has(callee.key.value)
}
