/** Code that moved to the server, in the format that the server stores. */

import type { Bytes } from '../syntax/ast.ts'

/** Maximum number of functions and tables per script. */
export const MAX_SERVER_CODE = 100
/** Maximum size of a function, including the code that it uses, in bytes of Luau. */
export const MAX_FUNCTION_BYTES = 65_536
/** Maximum total size of all functions of a script, which the server encrypts and stores in one step. */
export const MAX_ALL_FUNCTIONS_BYTES = 1_048_576
/** Maximum size of a table: the bytes of its strings, plus 16 bytes for each value. */
export const MAX_TABLE_BYTES = 262_144

/** A value in a table. Strings have one character per byte. */
export type ServerValue =
  | boolean
  | number
  | Bytes
  /** Null represents nil. */
  | { readonly list: readonly (ServerValue | null)[] }
  | { readonly members: readonly (readonly [name: Bytes, value: ServerValue])[] }

export type ServerKey = boolean | number | Bytes

/** `name` is the variable or field that the author assigned it to; null if there is none. */
type Named = { readonly name: string | null; readonly place: string }

/**
 * `source` is a Luau chunk that takes `ward` and returns the function. `lines` contains the author's line for
 * each line of the chunk, such as `line 12 of lib/a.lua`.
 */
export type ServerFunction = Named & {
  readonly kind: 'function'
  readonly source: string
  readonly lines: readonly string[]
}

export type ServerTable = Named & {
  readonly kind: 'table'
  readonly entries: readonly (readonly [key: ServerKey, value: ServerValue])[]
}

/** A function or table marked with `WARD_SERVER`. The script contains only its number. */
export type ServerCode = ServerFunction | ServerTable
