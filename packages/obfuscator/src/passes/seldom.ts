// Whether a block says something: what `lock-values` asks before it encrypts an arm of an `if` that runs seldom.

import type { Block, Node } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'

/** Shorter strings are punctuation and names of kinds, which are not worth a call. */
const SHORTEST_TEXT = 5

/** Names of fields and globals are no texts. */
export function holdsText(block: Block, sealed: ReadonlySet<Node>): boolean {
  const names = new Set<Node>()
  let isFound = false
  const note = ({ key }: { readonly key: Node }): undefined => void names.add(key)
  rewrite(block, {
    Index: { enter: note },
    KeyedItem: { enter: note },
    StringLiteral(node) {
      if (!names.has(node) && !sealed.has(node) && node.value.length >= SHORTEST_TEXT) isFound = true
    },
    InterpolatedString: ({ strings }) => {
      if (strings.some(({ length }) => length >= SHORTEST_TEXT)) isFound = true
    },
  })
  return isFound
}
