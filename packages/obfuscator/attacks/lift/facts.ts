/**
 * Collects what expressions reveal: the script's constants, and the decisions, return values and constants of
 * each function.
 */

import type { Expression, FunctionExpression, Logical } from '../../src/syntax/ast.ts'
import { evaluate, evaluateTruth, hashedText, type Known } from './evaluate.ts'
import type { Oracle } from './oracle.ts'

export class Facts {
  readonly strings = new Set<string>()
  readonly numbers = new Set<number>()
  readonly #oracle: Oracle
  readonly #enter: (node: FunctionExpression, known: Known) => void

  constructor(oracle: Oracle, enter: (node: FunctionExpression, known: Known) => void) {
    this.#oracle = oracle
    this.#enter = enter
  }

  /** Records the constants and the decisions in an expression. */
  read(node: Expression, known: Known, features: Set<string>): void {
    const value = evaluate(node, known, this.#oracle)
    if (typeof value === 'string') this.#text(value, features)
    else if (typeof value === 'number') {
      this.numbers.add(value)
      if (Math.abs(value) > 1 && node.kind !== 'LocalName') features.add(`constant ${Math.abs(value)}`)
    } else this.#parts(node, known, features)
  }

  #text(value: string, features: Set<string>): void {
    this.strings.add(value)
    features.add(`constant ${JSON.stringify(value)}`)
  }

  #parts(node: Expression, known: Known, features: Set<string>): void {
    if (node.kind === 'FunctionExpression') this.#enter(node, known)
    else if (node.kind === 'Logical') this.#logical(node, known, features)
    else if (node.kind === 'GlobalName') this.#text(node.name, features)
    else {
      if (node.kind === 'MethodCall') this.#text(node.method, features)
      for (const each of partsOf(node)) this.read(each, known, features)
    }
  }

  /** Records a condition as its comparisons. Ignores negations and the order of operands. */
  decide(node: Expression, known: Known, features: Set<string>): void {
    if (evaluateTruth(evaluate(node, known, this.#oracle)) !== undefined) return
    if (node.kind === 'Unary' && node.operator === 'not') this.decide(node.operand, known, features)
    else if (node.kind === 'Logical') {
      this.decide(node.left, known, features)
      this.decide(node.right, known, features)
    } else {
      const isEquality = node.kind === 'Binary' && /^[=~]=$/.test(node.operator)
      const isOrder = node.kind === 'Binary' && /^[<>]/.test(node.operator)
      const kind = isEquality ? 'equal' : isOrder ? 'order' : 'if'
      const hashed = node.kind === 'Binary' ? hashedText(node, known, this.#oracle) : null
      if (hashed) this.note(kind, [JSON.stringify(hashed.text)], features)
      else {
        this.read(node, known, features)
        this.note(kind, this.#compared(node, known), features)
      }
    }
  }

  /** Returns the constants in a comparison, and the names of fields in it. */
  #compared(node: Expression, known: Known): string[] {
    const value = evaluate(node, known, this.#oracle)
    if (typeof value === 'string' || typeof value === 'number') return [JSON.stringify(value)]
    if (node.kind === 'Binary') return [node.left, node.right].flatMap((each) => this.#compared(each, known))
    return node.kind === 'Index' ? this.#compared(node.key, known) : []
  }

  returns(values: readonly Expression[], known: Known, features: Set<string>): void {
    for (const each of values) this.read(each, known, features)
    const constants = values.map((each) => evaluate(each, known, this.#oracle))
    this.note(
      'return',
      constants.filter((each) => typeof each === 'string' || typeof each === 'number').map(String),
      features,
    )
  }

  note(kind: string, constants: readonly string[], features: Set<string>): void {
    features.add([kind, ...[...constants].sort()].join(' '))
  }

  /**
   * A lookup that creates missing entries is not the author's decision. Neither is a condition whose left
   * operand is known.
   */
  #logical({ left, right, operator }: Logical, known: Known, features: Set<string>): void {
    const truth = evaluateTruth(evaluate(left, known, this.#oracle))
    if (truth === undefined) {
      this.decide(left, known, features)
      this.read(left, known, features)
      this.read(right, known, features)
    } else this.read(truth === (operator === 'or') ? left : right, known, features)
  }
}

/** The subexpressions of an expression, in source order. */
function partsOf(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case 'Index':
      return [node.object, node.key]
    case 'Binary':
      return [node.left, node.right]
    case 'Unary':
      return [node.operand]
    case 'Paren':
      return [node.inner]
    case 'Table':
      return node.items.flatMap((item) => (item.kind === 'KeyedItem' ? [item.key, item.value] : [item.value]))
    case 'MethodCall':
      return [node.object, ...node.args]
    case 'Call':
      return [node.callee, ...node.args]
    case 'IfExpression':
      return [node.condition, node.consequent, node.otherwise]
    default:
      return []
  }
}
