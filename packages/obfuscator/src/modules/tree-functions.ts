/** Finds the function and the file that contain a position in a source tree. */

import type { FunctionPlaces } from '../semantics/function-places.ts'
import type { Offset } from '../syntax/ast.ts'
import type { FunctionsOf } from '../syntax/line-map.ts'
import { indexAt } from './joined-text.ts'

/**
 * The functions of one file. `from` is the offset of the file in the source tree. Positions in `functions`
 * are relative to `from`.
 */
export type FileFunctions = { readonly from: Offset; readonly functions: FunctionPlaces }

export class TreeFunctions implements FunctionsOf {
  readonly names: readonly string[]
  readonly #files: readonly (FileFunctions & { readonly first: number })[]

  constructor(files: readonly FileFunctions[]) {
    let first = 0
    this.#files = files.map((file) => {
      const placed = { ...file, first }
      first += file.functions.names.length
      return placed
    })
    this.names = files.flatMap(({ functions }) => functions.names)
  }

  at(place: Offset): number {
    const file = this.#files[indexAt(this.#files, place)]
    return file ? file.first + file.functions.at(place - file.from) : 0
  }
}
