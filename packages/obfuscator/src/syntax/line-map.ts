/**
 * The line map of an output. An error at run time names a line of the output, which reveals nothing without
 * this map and gives the source line with it.
 */

import type { Random } from '../random.ts'
import type { Bytes, Offset } from './ast.ts'

const EMPTY_SHARE = 0.25

/** The offset of nodes that come from no place of the source. They start no line. */
export const NOWHERE: Offset = -1

/** Decides where the printer ends lines. */
export type LineTracker = Pick<LineMap, 'before' | 'skip'>

/** The offsets at which the lines of a source begin. */
export function lineStarts(source: Bytes): Int32Array {
  const starts = new Int32Array(source.length + 1)
  let count = 1
  for (let i = 0; i < source.length; i++) {
    const code = source.charCodeAt(i)
    if (code === 10 || (code === 13 && source.charCodeAt(i + 1) !== 10)) starts[count++] = i + 1
  }
  return starts.slice(0, count)
}

export class LineMap {
  /** Source line by line of the output, from the first. 0: no source line. */
  readonly lines: number[]
  readonly #starts: Int32Array
  readonly #random: Random

  /** @param before lines of the output before the first statement. */
  constructor(starts: Int32Array, before: number, random: Random) {
    this.#random = random
    this.lines = Array.from({ length: before + 1 }, () => 0)
    this.#starts = starts
  }

  /** The line ends before the next statement, which has this offset in the source. */
  before(at: Offset): string {
    if (at === NOWHERE) return ''
    const line = this.#lineOf(at)
    const last = this.lines.length - 1
    if (this.lines[last] === line) return ''
    if (this.lines[last] === 0) {
      this.lines[last] = line
      return ''
    }
    // Empty lines, so that a line number reveals nothing even where statements are in source order.
    const count = this.#random.chance(EMPTY_SHARE) ? 2 : 1
    for (let i = 0; i < count; i++) this.lines.push(line)
    return '\n'.repeat(count)
  }

  /** Line ends that the output counts. */
  skip(count: number): string {
    for (let i = 0; i < count; i++) this.lines.push(0)
    return '\n'.repeat(count)
  }

  #lineOf(at: Offset): number {
    let low = 0
    let high = this.#starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#starts[middle] as number) <= at) low = middle
      else high = middle
    }
    return low + 1
  }
}
