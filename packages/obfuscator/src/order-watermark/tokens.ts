/**
 * The constants of a program in source order: strings, numbers, names of fields and globals, and some
 * operators. A lifted program has different local names, statements and whitespace, but nearly the same order
 * of constants. Each token is a 32-bit hash.
 */

import type { Binary, Node, SymbolId } from '../syntax/ast.ts'
import type { Visitors } from '../syntax/walk.ts'
import { isConstant } from './comparisons.ts'

export type Token = number

const OPERATORS: ReadonlySet<string> = new Set(['..', '*', '/', '%', '^', '==', '<'])

/** Comparisons that differ only in a negation or in the order of their operands get the same token. */
const ALIKE: ReadonlyMap<string, string> = new Map([
  ['~=', '=='],
  ['<=', '<'],
  ['>', '<'],
  ['>=', '<'],
])

export function wordToken(text: string): Token {
  return hash(`w${text}`)
}

export function numberToken(value: number): Token {
  return hash(`n${value}`)
}

export function signToken(sign: string): Token {
  return hash(`s${ALIKE.get(sign) ?? sign}`)
}

/**
 * If a constant is directly before or after a comparison operator, the token of the operator depends on which
 * side the constant is on.
 */
export function operatorToken(sign: string, side: 'before' | 'behind' | '' = ''): Token {
  return hash(`s${ALIKE.get(sign) ?? sign}${isComparison(sign) ? side : ''}`)
}

export function isComparison(sign: string): boolean {
  return /^[=~<>]=?$/.test(sign) && sign !== '='
}

export function isOperator(sign: string): boolean {
  return OPERATORS.has(ALIKE.get(sign) ?? sign)
}

function hash(text: string): Token {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value >>> 0
}

/** Collects the tokens of a syntax tree. */
export type TokenSink = {
  readonly tokens: Token[]
  readonly globals: Set<Token>
  /** The local that holds the environment. Globals are its fields. */
  readonly environment: SymbolId | null
  /** Visits a child with all visitors of the current traversal. */
  visit(node: Node): void
  /** Called after the tokens of an operation have been added. They start at index `first`. */
  operation(node: Binary, first: number): void
}

/** Creates visitors that add the tokens of each node to the sink. */
export function tokenVisitors({ tokens, globals, environment, visit, operation }: TokenSink): Visitors {
  const add = (token: Token): undefined => void tokens.push(token)
  const side = (node: Node) => (node.kind === 'NilLiteral' ? add(signToken('nil')) : visit(node))
  return {
    StringLiteral: ({ value }) => (value === '' ? undefined : add(wordToken(value))),
    NumberLiteral: ({ value }) => add(numberToken(Math.abs(value))),
    BooleanLiteral: ({ value }) => add(signToken(`${value}`)),
    GlobalName({ name }) {
      globals.add(wordToken(name))
      return add(wordToken(name))
    },
    Index: {
      enter({ object, key }) {
        const isGlobal = object.kind === 'LocalName' && object.symbol === environment
        if (isGlobal && key.kind === 'StringLiteral') globals.add(wordToken(key.value))
      },
    },
    Table: { enter: () => add(signToken('{')) },
    Unary: {
      enter({ operator }): undefined {
        if (operator === '#') add(signToken('#'))
      },
    },
    Binary: {
      enter(node) {
        const first = tokens.length
        side(node.left)
        if (isOperator(node.operator)) add(operatorToken(node.operator, sideOfConstant(node)))
        side(node.right)
        operation(node, first)
        return false
      },
    },
    MethodCall: {
      enter({ object, method, args }) {
        visit(object)
        add(wordToken(method))
        for (const each of args) visit(each)
        return false
      },
    },
  }
}

/** Returns the tokens of a comparison with a constant after its operands are swapped. */
export function turnTokens(node: Binary, tokens: readonly Token[]): Token[] {
  const isBehind = sideOfConstant(node) === 'behind'
  const operator = operatorToken(node.operator, isBehind ? 'before' : 'behind')
  if (isBehind) return [...tokens.slice(-1), operator, ...tokens.slice(0, -2)]
  return [...tokens.slice(2), operator, ...tokens.slice(0, 1)]
}

function sideOfConstant({ left, right }: Binary): 'before' | 'behind' | '' {
  if (isConstant(left)) return 'before'
  return isConstant(right) ? 'behind' : ''
}
