// Texts of loops that call nothing: decrypted at their first use in such a loop, held in registers until it ends, forgotten
// then. While nothing is called nobody can look, and code that does little else must not decrypt again and again.

import type {
  GenericFor,
  NumericFor,
  Offset,
  Repeat,
  Statement,
  StringLiteral,
  While,
} from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import { isSecretString } from './constant-pool.ts'
import type { RegionBuilder } from './region-builder.ts'
import { type Location, registerNode } from './register-allocator.ts'

/** More texts than these are decrypted at every use. */
const MAX_CACHED = 16

type Loop = While | Repeat | NumericFor | GenericFor

/** Lowers a loop by `lower`, around which its texts have registers. */
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

/** None when something is called, or a function made that may be. */
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
