/**
 * Tests with random trees that printed code parses to the same tree, and that real compilers accept it. A
 * grammar generates the trees, so that every kind of node occurs in combination with every other.
 */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { effort } from '../../../../client/test/effort.ts'
import { refusedBy, refusedByLuau } from '../../../test/parser-oracles.ts'
import { Diagnostics, describeDiagnostic } from '../../diagnostics.ts'
import type { Binding, Block, Chunk, Expression, FunctionExpression, Statement } from '../ast.ts'
import { parse } from '../parser.ts'
import { rewrite } from '../walk.ts'
import { print } from './print.ts'
import { spellNumber } from './spelling.ts'

type Grammar = { readonly lua51: boolean; readonly luaJit: boolean; readonly luau: boolean }

type Place = { readonly isVararg: boolean; readonly isLoop: boolean; readonly grammar: Grammar }

const at = 0
const nameOf = (symbol: number) => `v${symbol}`

// Contextual keywords are included on purpose.
const names = fc.constantFrom(
  'a',
  'B2',
  '_',
  'type',
  'continue',
  'goto',
  'export',
  'const',
  'typeof',
  'native',
)
const bytes = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(34, 39, 48, 92, 96, 10, 123, 125)), {
    maxLength: 6,
  })
  .map((codes) => String.fromCharCode(...codes))
const numbers = fc.oneof(
  fc.nat(),
  fc.double({ min: 0, noNaN: true }),
  fc.constantFrom(0, 1e21, 5e-324, Number.MAX_VALUE, Number.POSITIVE_INFINITY, 0.1, 1e300, 2 ** 53),
)

const names2 = (from: number): fc.Arbitrary<Binding[]> =>
  fc.array(bindingOf(false), { minLength: from, maxLength: 3 })

function bindingOf(isConst: boolean): fc.Arbitrary<Binding> {
  return fc.nat(20).map((symbol): Binding => ({ kind: 'Binding', at, symbol, name: nameOf(symbol), isConst }))
}

function leaves(isVararg: boolean, grammar: Grammar): fc.Arbitrary<Expression> {
  const plain: fc.Arbitrary<Expression>[] = [
    fc.constant({ kind: 'NilLiteral', at }),
    fc.boolean().map((value) => ({ kind: 'BooleanLiteral', at, value })),
    numbers.map((value) => ({ kind: 'NumberLiteral', at, value })),
    bytes.map((value) => ({ kind: 'StringLiteral', at, value })),
    names.map((name) => ({ kind: 'Name', at, name })),
  ]
  if (isVararg) plain.push(fc.constant({ kind: 'Vararg', at }))
  if (grammar.luaJit) {
    const value = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
    plain.push(
      fc.record({ kind: fc.constant('Int64Literal'), at: fc.constant(at), value, isUnsigned: fc.boolean() }),
    )
    plain.push(numbers.filter(Number.isFinite).map(imaginary))
  }
  return fc.oneof(...plain)
}

/** Creates an integer if Luau would read the number as an integer. */
function imaginary(value: number): Expression {
  const text = spellNumber(value)
  const isInteger = /^\d+$/.test(text) && BigInt(text) < 2n ** 63n
  return { kind: 'ImaginaryLiteral', at, value, integer: isInteger ? BigInt(text) : null }
}

const arithmetic = ['+', '-', '*', '/', '%', '^', '..', '==', '~=', '<', '<=', '>', '>='] as const

function expressionOf(depth: number, isVararg: boolean, grammar: Grammar): fc.Arbitrary<Expression> {
  if (depth === 0) return leaves(isVararg, grammar)
  const inner = expressionOf(depth - 1, isVararg, grammar)
  const list = fc.array(inner, { maxLength: 3 })
  const call = callOf(inner, list)
  const key = fc.oneof(
    inner,
    names.map((value): Expression => ({ kind: 'StringLiteral', at, value })),
  )
  const operator = fc.constantFrom(...arithmetic, ...(grammar.luau ? (['//'] as const) : []))
  const item = fc.oneof(
    inner.map((value) => ({ kind: 'PositionalItem', at, value }) as const),
    fc.tuple(key, inner).map(([k, value]) => ({ kind: 'KeyedItem', at, key: k, value }) as const),
  )
  const multiple = isVararg ? fc.oneof(call, fc.constant<Expression>({ kind: 'Vararg', at })) : call
  const all: fc.Arbitrary<Expression>[] = [
    leaves(isVararg, grammar),
    call,
    fc.tuple(inner, key).map(([object, k]) => ({ kind: 'Index', at, object, key: k })),
    fc
      .tuple(operator, inner, inner)
      .map(([o, left, right]) => ({ kind: 'Binary', at, operator: o, left, right })),
    fc
      .tuple(fc.constantFrom('and' as const, 'or' as const), inner, inner)
      .map(([o, left, right]) => ({ kind: 'Logical', at, operator: o, left, right })),
    fc
      .tuple(fc.constantFrom('-' as const, 'not' as const, '#' as const), inner)
      .map(([o, operand]) => ({ kind: 'Unary', at, operator: o, operand })),
    fc.array(item, { maxLength: 3 }).map((items) => ({ kind: 'Table', at, items })),
    multiple.map((node) => ({ kind: 'Paren', at, inner: node })),
    functionOf(depth - 1, grammar),
  ]
  return fc.oneof(...all, ...(grammar.luau ? luauExpressions(inner) : []))
}

function callOf(inner: fc.Arbitrary<Expression>, list: fc.Arbitrary<Expression[]>) {
  return fc.oneof(
    fc.tuple(inner, list).map(([callee, args]) => ({ kind: 'Call', at, callee, args }) as const),
    fc
      .tuple(inner, names, list)
      .map(([object, method, args]) => ({ kind: 'MethodCall', at, object, method, args }) as const),
  )
}

function luauExpressions(inner: fc.Arbitrary<Expression>): fc.Arbitrary<Expression>[] {
  return [
    fc.tuple(inner, inner, inner).map(([condition, consequent, otherwise]) => ({
      kind: 'IfExpression',
      at,
      condition,
      consequent,
      otherwise,
    })),
    fc
      .tuple(bytes, fc.array(fc.tuple(inner, bytes), { minLength: 1, maxLength: 3 }))
      .map(([first, rest]) => ({
        kind: 'InterpolatedString',
        at,
        strings: [first, ...rest.map(([, text]) => text)],
        values: rest.map(([value]) => value),
      })),
  ]
}

function functionOf(depth: number, grammar: Grammar): fc.Arbitrary<FunctionExpression> {
  const attributes = grammar.luau ? fc.subarray(['native', 'checked']) : fc.constant([])
  return fc.tuple(attributes, names2(0), fc.boolean()).chain(([used, parameters, isVararg]) =>
    blockOf(depth, isVararg, false, grammar).map(
      (body): FunctionExpression => ({
        kind: 'FunctionExpression',
        at,
        attributes: used,
        parameters,
        isVararg,
        body,
      }),
    ),
  )
}

function blockOf(depth: number, isVararg: boolean, isLoop: boolean, grammar: Grammar): fc.Arbitrary<Block> {
  const last: fc.Arbitrary<Statement>[] = [
    fc
      .array(expressionOf(Math.max(0, depth - 1), isVararg, grammar), { maxLength: 2 })
      .map((values) => ({ kind: 'Return', at, values })),
  ]
  if (isLoop) last.push(fc.constant({ kind: 'Break', at }))
  if (isLoop && grammar.luau) last.push(fc.constant({ kind: 'Continue', at }))
  const statement = statementOf(depth, isVararg, isLoop, grammar)
  return fc
    .tuple(fc.array(statement, { maxLength: 3 }), fc.option(fc.oneof(...last), { freq: 2 }))
    .map(([list, end]) => ({ kind: 'Block', at, statements: end ? [...list, end] : list }))
}

function statementOf(
  depth: number,
  isVararg: boolean,
  isLoop: boolean,
  grammar: Grammar,
): fc.Arbitrary<Statement> {
  const value = expressionOf(Math.max(0, depth - 1), isVararg, grammar)
  const some = fc.array(value, { minLength: 1, maxLength: 3 })
  const target = fc.oneof(
    names.map((name) => ({ kind: 'Name', at, name }) as const),
    fc.tuple(value, value).map(([object, key]) => ({ kind: 'Index', at, object, key }) as const),
  )
  const simple: fc.Arbitrary<Statement>[] = [
    fc
      .tuple(names2(1), fc.array(value, { maxLength: 2 }))
      .map(([bindings, values]) => ({ kind: 'Local', at, bindings, values })),
    fc
      .tuple(fc.array(target, { minLength: 1, maxLength: 2 }), some)
      .map(([targets, values]) => ({ kind: 'Assign', at, targets, values })),
    callOf(value, fc.array(value, { maxLength: 2 })).map((call) => ({ kind: 'CallStatement', at, call })),
  ]
  if (grammar.luau) {
    const operator = fc.constantFrom('+', '-', '*', '/', '//', '%', '^', '..')
    const compound = {
      kind: fc.constant('CompoundAssign' as const),
      at: fc.constant(at),
      operator,
      target,
      value,
    }
    simple.push(fc.record(compound))
    const bindings = fc.tuple(bindingOf(true))
    const values = fc.tuple(value)
    simple.push(fc.record({ kind: fc.constant('Local' as const), at: fc.constant(at), bindings, values }))
  }
  if (depth === 0) return fc.oneof(...simple)
  return fc.oneof(...simple, ...nested(depth - 1, { isVararg, isLoop, grammar }, value, some))
}

function nested(
  depth: number,
  { isVararg, isLoop, grammar }: Place,
  value: fc.Arbitrary<Expression>,
  some: fc.Arbitrary<Expression[]>,
): fc.Arbitrary<Statement>[] {
  const block = blockOf(depth, isVararg, isLoop, grammar)
  const body = blockOf(depth, isVararg, true, grammar)
  const clause = fc
    .tuple(value, block)
    .map(([condition, b]) => ({ kind: 'IfClause', at, condition, body: b }) as const)
  return [
    block.map((b) => ({ kind: 'Do', at, body: b })),
    fc.tuple(value, body).map(([condition, b]) => ({ kind: 'While', at, condition, body: b })),
    fc.tuple(body, value).map(([b, condition]) => ({ kind: 'Repeat', at, body: b, condition })),
    fc
      .tuple(fc.array(clause, { minLength: 1, maxLength: 3 }), fc.option(block))
      .map(([clauses, otherwise]) => ({ kind: 'If', at, clauses, otherwise })),
    fc
      .tuple(bindingOf(false), value, value, fc.option(value), body)
      .map(([binding, start, limit, step, b]) => ({
        kind: 'NumericFor',
        at,
        start,
        limit,
        step,
        binding,
        body: b,
      })),
    fc
      .tuple(names2(1), some, body)
      .map(([bindings, values, b]) => ({ kind: 'GenericFor', at, values, bindings, body: b })),
    fc
      .tuple(bindingOf(false), functionOf(depth, grammar))
      .map(([binding, func]) => ({ kind: 'LocalFunction', at, binding, func })),
  ]
}

function chunkOf(grammar: Grammar): fc.Arbitrary<Chunk> {
  return blockOf(3, true, false, grammar).map((body) => ({
    kind: 'Chunk',
    at,
    body,
    symbolCount: 0,
    nesting: 0,
    directives: [],
    functionEnds: new Map(),
  }))
}

/** A tree as JSON, without the offsets and symbol numbers that printing may change. */
function shapeOf(chunk: Chunk): string {
  return JSON.stringify(chunk, (key, value) => {
    if (key === 'at' || key === 'symbol' || key === 'symbolCount' || key === 'nesting') return undefined
    if (typeof value === 'bigint') return `${value}n`
    // `...` can be indexed or called only in parentheses, which also truncate it to one value.
    if ((key === 'object' || key === 'callee') && value.kind === 'Vararg')
      return { kind: 'Paren', inner: value }
    return value === Number.POSITIVE_INFINITY ? 'Infinity' : value
  })
}

const everything: Grammar = { lua51: true, luaJit: true, luau: true }
const lua51: Grammar = { lua51: true, luaJit: false, luau: false }
const luau: Grammar = { lua51: true, luaJit: false, luau: true }
const luaJit: Grammar = { lua51: true, luaJit: true, luau: false }

describe('printing', () => {
  test('a printed random tree is ASCII and parses to the same tree', () => {
    fc.assert(
      fc.property(chunkOf(everything), (chunk) => {
        const text = print(chunk, nameOf)
        const diagnostics = new Diagnostics(text)
        const again = parse(text, diagnostics)
        expect(diagnostics.list().map(describeDiagnostic)).toEqual([])
        expect(text).toMatch(/^[\x20-\x7e]*$/)
        expect(JSON.parse(shapeOf(again))).toEqual(JSON.parse(shapeOf(chunk)))
        expect(print(again, (symbol) => bindingNames(again).get(symbol) ?? '')).toBe(text)
      }),
      { numRuns: effort({ day: 400, night: 2000 }), seed: 20_251 },
    )
  })

  test('real compilers accept printed random trees', async () => {
    const sample = (grammar: Grammar) =>
      fc
        .sample(chunkOf(grammar), { numRuns: effort({ day: 100, night: 400 }), seed: 7 })
        .map((chunk) => `${print(chunk, nameOf)} `)
    expect(refusedBy('lua5.1', sample(lua51))).toEqual([])
    expect(refusedBy('luajit', sample(luaJit))).toEqual([])
    expect(await refusedByLuau(sample(luau))).toEqual([])
  })
})

describe('rewriting', () => {
  test('rewriting without replacements returns the same tree object', () => {
    fc.assert(
      fc.property(chunkOf(everything), (chunk) => {
        expect(rewrite(chunk, { Name: () => undefined, Call: { enter: () => true } })).toBe(chunk)
      }),
      { numRuns: 200, seed: 3 },
    )
  })

  test('rewriting reaches every name and leaves the original tree unchanged', () => {
    fc.assert(
      fc.property(chunkOf(everything), (chunk) => {
        const before = shapeOf(chunk)
        const marked = rewrite(chunk, { Name: (node) => ({ ...node, name: `${node.name}_` }) })
        expect(shapeOf(marked).replace(/("kind":"Name","name":"\w+)_"/g, '$1"')).toBe(before)
        expect(shapeOf(marked)).not.toMatch(/"kind":"Name","name":"(?:a|B2|type|continue|goto|export|const)"/)
        expect(shapeOf(chunk)).toBe(before)
      }),
      { numRuns: 300, seed: 4 },
    )
  })

  test('rewriting can replace a statement with several statements or none', () => {
    const source = 'a() do b() end if c then a() end'
    const chunk = parse(source, new Diagnostics(source))
    const twice = rewrite(chunk, { CallStatement: (node) => [node, node], Do: () => [] })
    expect(print(twice, nameOf)).toBe('a()a()if c then a()a()end')
  })

  test('rewriting skips a node if enter returns false', () => {
    const source = 'f(a) function g() f(a) end'
    const chunk = parse(source, new Diagnostics(source))
    const rewritten = rewrite(chunk, {
      FunctionExpression: { enter: () => false },
      Name: (node) => ({ ...node, name: 'x' }),
    })
    expect(print(rewritten, nameOf)).toBe('x(x)function x()f(a)end')
  })
})

function bindingNames(chunk: Chunk): Map<number, string> {
  const found = new Map<number, string>()
  rewrite(chunk, {
    Binding(node) {
      found.set(node.symbol, node.name)
    },
  })
  return found
}
