/** Code that moved to the server, in the format that the server stores. */

import type { Bytes } from '../syntax/ast.ts'

/** Maximum number of functions and tables per script. */
export const MAX_SERVER_CODE = 100
/** Maximum size of a function, including the code that it uses, in bytes of Luau. */
export const MAX_FUNCTION_BYTES = 65_536
/** Maximum total size of all functions in a script. The server encrypts and stores them in one step. */
export const MAX_ALL_FUNCTIONS_BYTES = 1_048_576
/** Maximum size of a table in bytes: the bytes of its strings, plus 16 for each value. */
export const MAX_TABLE_BYTES = 262_144

/** A value in a table. In strings, each character is one byte. */
export type ServerValue =
  | boolean
  | number
  | Bytes
  /** Null represents nil. */
  | { readonly list: readonly (ServerValue | null)[] }
  | { readonly members: readonly (readonly [name: Bytes, value: ServerValue])[] }

export type ServerKey = boolean | number | Bytes

/**
 * `name` is the variable or field that the author assigned the function or table to; null if there is none.
 */
type Named = { readonly name: string | null; readonly place: string }

/**
 * `source` is a Luau chunk that takes `ward` and returns the function. For each line of that chunk, `lines`
 * contains the author's line, such as `line 12 of lib/a.lua`.
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

/** A function or table that the author marked with `WARD_SERVER`. The script contains only its number. */
export type ServerCode = ServerFunction | ServerTable
