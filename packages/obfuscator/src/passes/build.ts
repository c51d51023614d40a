// Short makers of nodes for passes. No decisions are taken here.

import { bind, use } from '../semantics/symbols.ts'
import type {
  Assign,
  Binary,
  BinaryOperator,
  Binding,
  Block,
  BooleanLiteral,
  Bytes,
  Call,
  Do,
  Expression,
  If,
  Index,
  Local,
  Logical,
  LogicalOperator,
  NumberLiteral,
  Offset,
  Return,
  Statement,
  StringLiteral,
  SymbolId,
  Table,
  Target,
} from '../syntax/ast.ts'

/** Makes nodes that all stand at one offset: the place of what they replace. */
export function nodesAt(at: Offset) {
  const block = (statements: readonly Statement[]): Block => ({ kind: 'Block', at, statements })
  return {
    boolean: (value: boolean): BooleanLiteral => ({ kind: 'BooleanLiteral', at, value }),
    number: (value: number): NumberLiteral => ({ kind: 'NumberLiteral', at, value }),
    string: (value: Bytes): StringLiteral => ({ kind: 'StringLiteral', at, value }),
    use: (symbol: SymbolId) => use(symbol, at),
    bind: (symbol: SymbolId): Binding => bind(symbol, at),
    index: (object: Expression, key: Expression): Index => ({ kind: 'Index', at, object, key }),
    call: (callee: Expression, ...args: readonly Expression[]): Call => ({ kind: 'Call', at, callee, args }),
    binary: (left: Expression, operator: BinaryOperator, right: Expression): Binary => ({
      kind: 'Binary',
      at,
      operator,
      left,
      right,
    }),
    logical: (left: Expression, operator: LogicalOperator, right: Expression): Logical => ({
      kind: 'Logical',
      at,
      operator,
      left,
      right,
    }),
    not: (operand: Expression): Expression => ({ kind: 'Unary', at, operator: 'not', operand }),
    table: (values: readonly Expression[]): Table => ({
      kind: 'Table',
      at,
      items: values.map((value) => ({ kind: 'PositionalItem', at, value })),
    }),
    local: (symbols: readonly SymbolId[], values: readonly Expression[] = []): Local => ({
      kind: 'Local',
      at,
      bindings: symbols.map((symbol) => bind(symbol, at)),
      values,
    }),
    assign: (target: Target, value: Expression): Assign => ({
      kind: 'Assign',
      at,
      targets: [target],
      values: [value],
    }),
    return: (...values: readonly Expression[]): Return => ({ kind: 'Return', at, values }),
    break: { kind: 'Break', at } as Statement,
    block,
    do: (statements: readonly Statement[]): Do => ({ kind: 'Do', at, body: block(statements) }),
    if: (condition: Expression, then: readonly Statement[], otherwise?: readonly Statement[]): If => ({
      kind: 'If',
      at,
      clauses: [{ kind: 'IfClause', at, condition, body: block(then) }],
      otherwise: otherwise ? block(otherwise) : null,
    }),
    once: (statements: readonly Statement[]): Statement => ({
      kind: 'Repeat',
      at,
      body: block(statements),
      condition: { kind: 'BooleanLiteral', at, value: true },
    }),
  }
}

/** Cuts what may give several values to one. */
export function oneValue(value: Expression): Expression {
  const isMany = value.kind === 'Call' || value.kind === 'MethodCall' || value.kind === 'Vararg'
  return isMany ? { kind: 'Paren', at: value.at, inner: value } : value
}
