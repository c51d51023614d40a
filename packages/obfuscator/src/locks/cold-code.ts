/**
 * Decides whether a block contains strings that are worth protecting, and whether the block is cold.
 * `lock-values` encrypts only such blocks.
 */

import type { Block, Node, Statement, StringLiteral } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'

/** Shorter strings are mostly punctuation and type names, which are not worth the extra call. */
const MIN_TEXT_LENGTH = 5

/**
 * Whether the block contains a string of at least `MIN_TEXT_LENGTH` bytes that is not the name of a field or
 * global.
 */
export function holdsText(block: Block, frozen: ReadonlySet<Node>): boolean {
  const names = new Set<Node>()
  let isFound = false
  const note = ({ key }: { readonly key: Node }): undefined => void names.add(key)
  rewrite(block, {
    Index: { enter: note },
    KeyedItem: { enter: note },
    StringLiteral(node) {
      if (!names.has(node) && !frozen.has(node) && node.value.length >= MIN_TEXT_LENGTH) isFound = true
    },
    InterpolatedString: ({ strings }) => {
      if (strings.some(({ length }) => length >= MIN_TEXT_LENGTH)) isFound = true
    },
  })
  return isFound
}

/**
 * Whether a statement of the block passes a string to a function, which is typical of code that shows a
 * message. Inner loops are not searched, because such code rarely runs in loops.
 */
export function callsWithText({ statements }: Block): boolean {
  return statements.some(
    (each) =>
      each.kind === 'CallStatement' &&
      each.call.args.some((one) => one.kind === 'StringLiteral' && one.value.length >= MIN_TEXT_LENGTH),
  )
}

/** Whether this statement may return from the function. If so, the code after it is not always reached. */
export function mayReturn(node: Statement): boolean {
  let isFound = false
  const note = (): undefined => {
    isFound = true
  }
  rewrite(node, { FunctionExpression: { enter: () => false }, Return: { enter: note } })
  return isFound
}

/** Total length of all strings in the block. */
export function textLength(block: Block): number {
  let length = 0
  const count = ({ value }: StringLiteral): undefined => {
    length += value.length
  }
  rewrite(block, { StringLiteral: count })
  return length
}
