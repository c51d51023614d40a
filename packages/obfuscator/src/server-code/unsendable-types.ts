/** Finds types in the annotations of a function whose values cannot be sent to the server. */

import type { Bytes, FunctionExpression, Signature } from '../syntax/ast.ts'
import { FUNCTION_TYPE } from '../syntax/parse-types.ts'

/** Luau types whose values are neither plain values nor tables. */
const UNSENDABLE: ReadonlySet<Bytes> = new Set([FUNCTION_TYPE, 'thread', 'userdata', 'buffer', 'vector'])

/** Describes the first parameter or result that cannot be sent; null if there is none. */
export function unsendablePart({ signature }: FunctionExpression): string | null {
  if (signature === undefined) return null
  for (const { name, types } of signature.parts) {
    const type = unsendableIn(types, signature.declared)
    if (type === null) continue
    const what = type === FUNCTION_TYPE ? 'a function' : `'${type}'`
    return `the type of ${name === null ? 'its results' : `the parameter '${name}'`} includes ${what}`
  }
  return null
}

/** Types that a file declares are replaced with the types in their declarations. */
function unsendableIn(types: readonly Bytes[], declared: Signature['declared']): Bytes | null {
  const all = new Set(types)
  // Sets can grow while they are traversed.
  for (const type of all) {
    const parts = declared.get(type)
    if (parts === undefined && isUnsendable(type)) return type
    for (const part of parts ?? []) all.add(part)
  }
  return null
}

/**
 * Types with an uppercase letter that the file doesn't declare are classes of the host, such as `Instance`
 * and `Vector3`, or of the script. Types from other files can't be told apart, except for the host's enums.
 */
function isUnsendable(type: Bytes): boolean {
  return UNSENDABLE.has(type) || /^([A-Z][^.]*|Enum\..*)$/.test(type)
}
