// Writes statements of our own differently in every build, where it costs nothing at run time: hosts add literals when they
// compile. What all builds have in common serves whoever wants to know what is the protection and what is the script.

import type { Random } from '../random.ts'
import type { Binary, Expression, Node, NumberLiteral, Statement } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'
import { varyForms } from './statement-forms.ts'

/** What an operator is when its sides change places. */
const TURNED: Readonly<Record<string, Binary['operator']>> = {
  '+': '+',
  '*': '*',
  '==': '==',
  '~=': '~=',
  '<': '>',
  '>': '<',
  '<=': '>=',
  '>=': '<=',
}

/** A text that is there for its methods: any will do. */
const ANY = ' '
const LETTERS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789']

const LARGEST = 1_000_000_000
const [LEAST_TERM, MOST_TERM] = [11, 9999]

/**
 * @param share of the integers that become sums, 0 to 1; each takes some ten bytes.
 * @param finished takes the new literals, which no later pass needs to hide.
 */
export function vary(
  statements: readonly Statement[],
  random: Random,
  share: number,
  finished: Set<Node>,
): readonly Statement[] {
  const sum = (node: NumberLiteral): Expression | undefined => {
    const isWhole = Number.isInteger(node.value) && node.value >= 0 && node.value < LARGEST
    return isWhole && !finished.has(node) && random.chance(share)
      ? difference(node, random, finished)
      : undefined
  }
  return varyForms(statements, random).map((each) =>
    rewrite(each, {
      NumberLiteral: sum,
      StringLiteral: (node) => (node.value === ANY ? { ...node, value: random.pick(LETTERS) } : undefined),
      Binary: {
        enter: (node) => (isScalable(node) && random.chance(0.5) ? scaled(node, finished) : undefined),
        leave: (node) => (isTurnable(node) && random.chance(0.5) ? turned(node) : undefined),
      },
    }),
  )
}

/** A quotient by a power of two; what is divided stays as it is. */
function isScalable({ operator, right }: Binary): boolean {
  return operator === '/' && right.kind === 'NumberLiteral' && Number.isInteger(Math.log2(right.value))
}

/** The product that is exactly the same. */
function scaled(node: Binary & { readonly right: Expression }, finished: Set<Node>): Binary {
  const factor = nodesAt(node.at).number(1 / (node.right as NumberLiteral).value)
  finished.add(factor)
  return { ...node, operator: '*', right: factor }
}

function difference({ value, at }: NumberLiteral, random: Random, finished: Set<Node>): Expression {
  const make = nodesAt(at)
  const term = random.int(LEAST_TERM, MOST_TERM)
  const [whole, less] = [make.number(value + term), make.number(term)]
  finished.add(whole).add(less)
  return make.binary(whole, '-', less)
}

/** Calls on both sides would change places too. */
function isTurnable({ operator, left, right }: Binary): boolean {
  return Object.hasOwn(TURNED, operator) && !hasCalls(left) && !hasCalls(right)
}

function hasCalls(node: Expression): boolean {
  let isFound = false
  const note = (): undefined => {
    isFound = true
  }
  rewrite(node, { Call: note, MethodCall: note, FunctionExpression: note })
  return isFound
}

function turned(node: Binary): Binary {
  return {
    ...node,
    operator: TURNED[node.operator] as Binary['operator'],
    left: node.right,
    right: node.left,
  }
}
