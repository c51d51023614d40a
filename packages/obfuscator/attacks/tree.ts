/**
 * Parses and prints Lua for the attacks. Real attackers also have a parser, a printer and a constant folder.
 */

import { Diagnostics, describeDiagnostic } from '../src/diagnostics.ts'
import { createRandom } from '../src/random.ts'
import { collectFacts } from '../src/semantics/facts.ts'
import { rename } from '../src/semantics/rename.ts'
import { resolve } from '../src/semantics/resolve.ts'
import type { Bytes, Chunk, Expression, Node, Offset } from '../src/syntax/ast.ts'
import type { Dialect } from '../src/syntax/dialect.ts'
import type { LineTracker } from '../src/syntax/line-map.ts'
import type { BinaryOperator } from '../src/syntax/operator-names.ts'
import { parse } from '../src/syntax/parser.ts'
import { print } from '../src/syntax/print/print.ts'
import { type Replacement, rewrite, type Visitors } from '../src/syntax/walk.ts'

export function readTree(code: Bytes, dialect: Dialect = 'any'): Chunk {
  const diagnostics = new Diagnostics(code)
  const resolved = resolve(parse(code, diagnostics, dialect), [], diagnostics)
  if (diagnostics.isEmpty) return resolved
  throw new Error(diagnostics.list().map(describeDiagnostic).join('\n'))
}

/**
 * Prints the tree with new local names. Without `read`, everything is on one line. If `read` is the code that
 * the tree was parsed from, every statement keeps its original line.
 */
export function writeTree(chunk: Chunk, read?: Bytes): Bytes {
  const nameOf = rename(collectFacts(chunk), createRandom(0, 'attack'))
  return print(chunk, nameOf, read === undefined ? undefined : linesOf(read))
}

function linesOf(text: Bytes): LineTracker {
  let at = 0
  const before = (to: Offset): string => {
    const ends = text.slice(at, Math.max(at, to)).split('\n').length - 1
    at = Math.max(at, to)
    return '\n'.repeat(ends)
  }
  return { before, within: before, skip: () => '' }
}

export function number(value: number, at: Offset): Expression {
  return { kind: 'NumberLiteral', at, value }
}

export function callGlobal(name: Bytes, at: Offset, ...args: readonly Expression[]): Expression {
  return { kind: 'Call', at, callee: { kind: 'GlobalName', at, name }, args }
}

/** Folds numeric literals and the operators on them. */
export function foldNumbers(chunk: Chunk): { readonly folded: Chunk; readonly numbers: ReadonlySet<number> } {
  const numbers = new Set<number>()
  const note = (value: number, at: Offset): Expression => {
    numbers.add(value)
    return number(value, at)
  }
  const visitors: Visitors = {
    NumberLiteral: (node) => void numbers.add(node.value),
    Paren: (node): Replacement<'Paren'> | undefined =>
      node.inner.kind === 'NumberLiteral' ? node.inner : undefined,
    Unary: (node) =>
      node.operator === '-' && node.operand.kind === 'NumberLiteral'
        ? note(-node.operand.value, node.at)
        : undefined,
    Binary(node) {
      if (node.left.kind !== 'NumberLiteral' || node.right.kind !== 'NumberLiteral') return undefined
      const value = calculate(node.operator, node.left.value, node.right.value)
      return typeof value === 'number' ? note(value, node.at) : undefined
    },
  }
  return { folded: rewrite(chunk, visitors), numbers }
}

/** Returns the result of a Lua operator on two numbers; null for operators that are not folded. */
export function calculate(operator: BinaryOperator, a: number, b: number): number | boolean | null {
  switch (operator) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      return a * b
    case '/':
      return a / b
    case '//':
      return Math.floor(a / b)
    case '%':
      return a - Math.floor(a / b) * b
    case '^':
      return a ** b
    case '..':
    case '&':
    case '|':
    case '~':
    case '<<':
    case '>>':
      return null
    default:
      return compare(operator, a, b)
  }
}

function compare(operator: '==' | '~=' | '<' | '<=' | '>' | '>=', a: number, b: number): boolean {
  switch (operator) {
    case '==':
      return a === b
    case '~=':
      return a !== b
    case '<':
      return a < b
    case '<=':
      return a <= b
    case '>':
      return a > b
    default:
      return a >= b
  }
}

/** Returns every string literal and every name in a tree. */
export function wordsOf(chunk: Chunk): { readonly strings: Set<Bytes>; readonly names: Set<Bytes> } {
  const strings = new Set<Bytes>()
  const names = new Set<Bytes>()
  const note = (node: Node & { readonly name: Bytes }): undefined => void names.add(node.name)
  rewrite(chunk, {
    StringLiteral: (node) => void strings.add(node.value),
    Binding: note,
    GlobalName: note,
    MethodCall: (node) => void names.add(node.method),
  })
  return { strings, names }
}
