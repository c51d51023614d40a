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
export type LineTracker = Pick<LineMap, 'before' | 'within' | 'skip'>

/**
 * What the lines of an output are in its source. `lines[i]`: the source line of line i + 1 of the output, 0
 * for none. `functions[i]`: the place in `names` of the function that it is in; an empty name is the chunk
 * itself or a function without a name. `files`: of a tree, whose lines are counted on from file to file, in
 * that order; `line` is the first of each.
 */
export type LineTable = {
  readonly lines: readonly number[]
  readonly functions: readonly number[]
  readonly names: readonly string[]
  readonly files?: readonly FileLines[]
}

type FileLines = { readonly path: string; readonly line: number }

/** Knows the function around a place, as a number. */
export type FunctionsOf = { readonly names: readonly string[]; at(place: Offset): number }

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

/** `starts`: where each line of the source begins, of all files. `files`: where each begins; none for one file. */
export type SourcePlaces = {
  readonly starts: Int32Array
  readonly functions: FunctionsOf
  readonly files: readonly { readonly path: string; readonly from: Offset }[]
}

export class LineMap {
  readonly #lines: number[]
  readonly #functions: number[]
  readonly #source: SourcePlaces
  readonly #random: Random

  /** @param before lines of the output before the first statement. */
  constructor(source: SourcePlaces, before: number, random: Random) {
    this.#random = random
    this.#lines = Array.from({ length: before + 1 }, () => 0)
    this.#functions = [...this.#lines]
    this.#source = source
  }

  get table(): LineTable {
    const { functions, files } = this.#source
    const table = { lines: this.#lines, functions: this.#functions, names: functions.names }
    if (files.length === 0) return table
    return { ...table, files: files.map(({ path, from }) => ({ path, line: this.#lineOf(from) })) }
  }

  /** The line ends before the next statement, which has this offset in the source. */
  before(at: Offset): string {
    if (at === NOWHERE) return ''
    const line = this.#lineOf(at)
    const last = this.#lines.length - 1
    const func = this.#source.functions.at(at)
    if (this.#lines[last] === line && this.#functions[last] === func) return ''
    if (this.#lines[last] === 0) {
      this.#lines[last] = line
      this.#functions[last] = func
      return ''
    }
    // Empty lines, so that a line number reveals nothing even where statements are in source order.
    const count = this.#random.chance(EMPTY_SHARE) ? 2 : 1
    for (let i = 0; i < count; i++) this.#add(line, func)
    return '\n'.repeat(count)
  }

  /**
   * The line ends before a part of the current statement: none, unless it is on a later line of the source.
   * What passes add has the offset of a statement, so it is on none.
   */
  within(at: Offset): string {
    const line = this.#lines.at(-1) ?? 0
    const next = this.#source.starts[line]
    return line === 0 || next === undefined || at < next ? '' : this.before(at)
  }

  /** Line ends that the output counts. */
  skip(count: number): string {
    for (let i = 0; i < count; i++) this.#add(0, 0)
    return '\n'.repeat(count)
  }

  #add(line: number, func: number): void {
    this.#lines.push(line)
    this.#functions.push(func)
  }

  #lineOf(at: Offset): number {
    return lineAt(this.#source.starts, at)
  }
}

/** Ends lines so that statements stand on the lines of the source, as far as they follow each other. */
export class SourceLines implements LineTracker {
  readonly #starts: Int32Array
  #line: number

  /** @param before as for `LineMap`. */
  constructor({ starts }: Pick<SourcePlaces, 'starts'>, before: number) {
    this.#starts = starts
    this.#line = before + 1
  }

  before(at: Offset): string {
    if (at === NOWHERE) return ''
    // What moved up, as the code of a required file does, stands behind its line already.
    return this.skip(Math.max(0, lineAt(this.#starts, at) - this.#line))
  }

  within(at: Offset): string {
    return this.before(at)
  }

  skip(count: number): string {
    this.#line += count
    return '\n'.repeat(count)
  }
}

function lineAt(starts: Int32Array, at: Offset): number {
  let low = 0
  let high = starts.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((starts[middle] as number) <= at) low = middle
    else high = middle
  }
  return low + 1
}
