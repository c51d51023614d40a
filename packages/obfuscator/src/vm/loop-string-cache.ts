/**
 * The string cache of loops without calls. A string is decrypted on its first use in the loop and stays in a
 * register, which is cleared when the loop ends. Without calls, no other code can observe the string, and
 * decrypting in every iteration would be too slow.
 */

import type { Offset, Statement, StringLiteral } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import { isSecretString } from './constant-pool.ts'
import type { Loop } from './ended-variables.ts'
import type { RegionBuilder } from './region-builder.ts'
import { type Location, registerNode } from './register-allocator.ts'

/** Maximum number of cached strings. The others are decrypted on every use. */
const MAX_CACHED = 16

/** Calls `lower` to lower a loop, with registers allocated for the loop's strings. */
export function cacheLoopStrings(builder: RegionBuilder, loop: Loop, lower: () => void): void {
  const texts = textsOf(loop).filter((each) => !builder.shared.cachedStrings.has(each))
  if (texts.length === 0) {
    lower()
    return
  }
  builder.scope(() => {
    const places = new Map<string, Location>()
    for (const each of texts) {
      if (!places.has(each.value) && places.size >= MAX_CACHED) continue
      const place = places.get(each.value) ?? builder.temporary()
      places.set(each.value, place)
      builder.shared.cachedStrings.set(each, place)
    }
    builder.push(1, cleared([...places.values()], loop.at))
    lower()
    builder.push(1, cleared([...places.values()], loop.at))
  })
}

function cleared(places: readonly Location[], at: Offset): Statement {
  return {
    kind: 'Assign',
    at,
    targets: places.map((place) => registerNode(place, at)),
    values: [{ kind: 'NilLiteral', at }],
  }
}

/** The strings of a loop; empty if the loop contains a call or creates a function. */
function textsOf(loop: Loop): readonly StringLiteral[] {
  const found: StringLiteral[] = []
  const names = new Set<unknown>()
  let isCalling = false
  const note = {
    enter: (): boolean => {
      isCalling = true
      return false
    },
  }
  rewrite(loop, {
    Call: note,
    MethodCall: note,
    FunctionExpression: note,
    Index: { enter: ({ key }) => void names.add(key) },
    KeyedItem: { enter: ({ key }) => void names.add(key) },
    StringLiteral: (node) => {
      if (isSecretString(node) && !names.has(node)) found.push(node)
    },
  })
  return isCalling ? [] : found
}
