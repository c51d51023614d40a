/** Which function of which file a place is in. */

import type { FunctionPlaces } from '../semantics/function-places.ts'
import type { Offset } from '../syntax/ast.ts'
import type { FunctionsOf } from '../syntax/line-map.ts'
import { indexAt } from './joined-text.ts'

/** One file, by where it begins, with the functions by their places in it. */
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
