/** The texts of several files, one behind the other, so that one offset names a place in any of them. */

import type { Bytes, Offset } from '../syntax/ast.ts'

export type JoinedFile = {
  readonly path: string
  readonly text: Bytes
  /** Where it begins in the whole. */
  readonly from: Offset
}

export class JoinedText {
  readonly #files: JoinedFile[] = []
  #length = 0

  /** Paths are names of the author's files; a single file without one has none. */
  add(path: string, text: Bytes): JoinedFile {
    const file = { path, text, from: this.#length }
    this.#files.push(file)
    // A line end is between files, so that each begins on a line of its own.
    this.#length += text.length + 1
    return file
  }

  get files(): readonly JoinedFile[] {
    return this.#files
  }

  get text(): Bytes {
    return this.#files.map(({ text }) => text).join('\n')
  }

  fileAt(at: Offset): JoinedFile {
    return this.#files[indexAt(this.#files, at)] as JoinedFile
  }
}

/** The last of some parts, ordered by where they begin, that begins at or before a place; 0 before the first. */
export function indexAt(parts: readonly { readonly from: Offset }[], at: Offset): number {
  let low = 0
  let high = parts.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((parts[middle]?.from ?? at) <= at) low = middle
    else high = middle
  }
  return low
}
