/**
 * Rewrites generated statements differently in every build. This costs nothing at run time because hosts fold
 * literals at compile time. Code shared by all builds would help an attacker distinguish the protection from
 * the script.
 */

import { TURNED } from '../order-watermark/comparisons.ts'
import type { Random } from '../random.ts'
import type { Binary, Expression, Node, NumberLiteral, Statement } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'
import { varyGeneratedForms } from './statement-forms.ts'

/** The operator to use when the operands are swapped. */
const SWAPPED: Readonly<Record<string, Binary['operator']>> = { ...TURNED, '+': '+', '*': '*' }

/** A string that is used only for its methods, so its contents do not matter. */
const ANY = ' '
const LETTERS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789']

const MAX_VARIED_NUMBER = 1_000_000_000
const [MIN_TERM, MAX_TERM] = [11, 9999]

/**
 * @param share the fraction of integers that become sums, from 0 to 1; each sum adds about ten bytes.
 * @param frozen receives the new literals, which later passes need not hide.
 */
export function varyGenerated(
  statements: readonly Statement[],
  random: Random,
  share: number,
  frozen: Set<Node>,
): readonly Statement[] {
  const sum = (node: NumberLiteral): Expression | undefined => {
    const isWhole = Number.isInteger(node.value) && node.value >= 0 && node.value < MAX_VARIED_NUMBER
    return isWhole && !frozen.has(node) && random.chance(share) ? difference(node, random, frozen) : undefined
  }
  return varyGeneratedForms(statements, random).map((each) =>
    rewrite(each, {
      NumberLiteral: sum,
      StringLiteral: (node) => (node.value === ANY ? { ...node, value: random.pick(LETTERS) } : undefined),
      Binary: {
        enter: (node) => (isScalable(node) && random.chance(0.5) ? scaled(node, frozen) : undefined),
        leave: (node) => (isTurnable(node) && random.chance(0.5) ? turned(node) : undefined),
      },
    }),
  )
}

/** Matches divisions by a power of two. */
function isScalable({ operator, right }: Binary): boolean {
  return operator === '/' && right.kind === 'NumberLiteral' && Number.isInteger(Math.log2(right.value))
}

/** Replaces the division with a multiplication that has exactly the same result. */
function scaled(node: Binary & { readonly right: Expression }, frozen: Set<Node>): Binary {
  const factor = nodesAt(node.at).number(1 / (node.right as NumberLiteral).value)
  frozen.add(factor)
  return { ...node, operator: '*', right: factor }
}

function difference({ value, at }: NumberLiteral, random: Random, frozen: Set<Node>): Expression {
  const make = nodesAt(at)
  const term = random.int(MIN_TERM, MAX_TERM)
  const [whole, less] = [make.number(value + term), make.number(term)]
  frozen.add(whole).add(less)
  return make.binary(whole, '-', less)
}

/** Operands with calls are not swapped, because that would change the order of the calls. */
function isTurnable({ operator, left, right }: Binary): boolean {
  return Object.hasOwn(SWAPPED, operator) && !hasCalls(left) && !hasCalls(right)
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
    operator: SWAPPED[node.operator] as Binary['operator'],
    left: node.right,
    right: node.left,
  }
}
