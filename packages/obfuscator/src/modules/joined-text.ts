/**
 * The concatenated contents of several files, so that a single offset identifies a position in any of them.
 */

import type { Bytes, Offset } from '../syntax/ast.ts'

export type JoinedFile = {
  readonly path: string
  readonly text: Bytes
  /** Offset at which the file starts in the concatenation. */
  readonly from: Offset
}

export class JoinedText {
  readonly #files: JoinedFile[] = []
  #length = 0

  /** @param path the path of the file in the source tree. */
  add(path: string, text: Bytes): JoinedFile {
    const file = { path, text, from: this.#length }
    this.#files.push(file)
    // Files are separated by a line break, so that each file starts on a new line.
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

/**
 * Returns the index of the last part that starts at or before an offset; 0 if there is none. `parts` must be
 * sorted by `from`.
 */
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
