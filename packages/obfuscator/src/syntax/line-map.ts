/**
 * The line map of an output. A runtime error contains an output line number. This number reveals nothing by
 * itself; the map translates it to a source line.
 */

import type { Random } from '../random.ts'
import type { Bytes, Offset } from './ast.ts'

const EMPTY_SHARE = 0.25

/** The offset of nodes without a source position. They never start a new line. */
export const NOWHERE: Offset = -1

/** Decides where the printer breaks lines. */
export type LineTracker = Pick<LineMap, 'before' | 'within' | 'skip'>

/**
 * Maps the lines of an output to its source. `lines[i]` is the source line of output line i + 1, or 0 if
 * there is none. `functions[i]` is the index in `names` of the function that contains this line; an empty
 * name stands for the chunk itself or an anonymous function. In a source tree, lines are numbered
 * consecutively across files, and `files` lists the files in that order with their first `line`.
 */
export type LineTable = {
  readonly lines: readonly number[]
  readonly functions: readonly number[]
  readonly names: readonly string[]
  readonly files?: readonly FileLines[]
}

type FileLines = { readonly path: string; readonly line: number }

/** Finds the function that contains a position. The result is an index in `names`. */
export type FunctionsOf = { readonly names: readonly string[]; at(place: Offset): number }

/** The offsets at which the lines of a source start. */
export function lineStarts(source: Bytes): Int32Array {
  const starts = new Int32Array(source.length + 1)
  let count = 1
  for (let i = 0; i < source.length; i++) {
    const code = source.charCodeAt(i)
    if (code === 10 || (code === 13 && source.charCodeAt(i + 1) !== 10)) starts[count++] = i + 1
  }
  return starts.slice(0, count)
}

/**
 * `starts` contains the offset of each source line, across all files. `files` contains the offset of each
 * file and is empty for a single-file source.
 */
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

  /** @param before the number of output lines before the first statement. */
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

  /** The line breaks before the next statement. `at` is the source offset of the statement. */
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
    // Some lines stay empty, so that a line number reveals nothing even if statements are in source order.
    const count = this.#random.chance(EMPTY_SHARE) ? 2 : 1
    for (let i = 0; i < count; i++) this.#add(line, func)
    return '\n'.repeat(count)
  }

  /**
   * The line breaks inside the current statement; empty unless the part of the statement at `at` is on a
   * later source line. Code added by passes has the offset of a statement, so it never causes a line break.
   */
  within(at: Offset): string {
    const line = this.#lines.at(-1) ?? 0
    const next = this.#source.starts[line]
    return line === 0 || next === undefined || at < next ? '' : this.before(at)
  }

  /** Adds line breaks that the output requires. */
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

/** Breaks lines so that statements stay on their source lines, as long as they are in source order. */
export class SourceLines implements LineTracker {
  readonly #starts: Int32Array
  #line: number

  /** @param before see `LineMap`. */
  constructor({ starts }: Pick<SourcePlaces, 'starts'>, before: number) {
    this.#starts = starts
    this.#line = before + 1
  }

  before(at: Offset): string {
    if (at === NOWHERE) return ''
    // Code that was moved up, such as a required file, may already be past its source line.
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
