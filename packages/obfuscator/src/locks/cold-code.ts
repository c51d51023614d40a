/** Whether a block holds text, and whether it is cold: `lock-values` encrypts only such blocks. */

import type { Block, Node, Statement, StringLiteral } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'

/** Shorter strings are punctuation and type names, which are not worth a call. */
const MIN_TEXT_LENGTH = 5

/** Whether the block has a string that is text. Names of fields and globals are not. */
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
 * Whether a statement of the block calls a function with a text, as code that shows messages does. Inner
 * loops do not do that.
 */
export function callsWithText({ statements }: Block): boolean {
  return statements.some(
    (each) =>
      each.kind === 'CallStatement' &&
      each.call.args.some((one) => one.kind === 'StringLiteral' && one.value.length >= MIN_TEXT_LENGTH),
  )
}

/** Whether the function may return in this statement, so that the code after it is not always reached. */
export function mayReturn(node: Statement): boolean {
  let isFound = false
  const note = (): undefined => {
    isFound = true
  }
  rewrite(node, { FunctionExpression: { enter: () => false }, Return: { enter: note } })
  return isFound
}

/** Characters of all strings in the block. */
export function textLength(block: Block): number {
  let length = 0
  const count = ({ value }: StringLiteral): undefined => {
    length += value.length
  }
  rewrite(block, { StringLiteral: count })
  return length
}
