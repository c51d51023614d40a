/**
 * The data segment of an output: a table of strings that `split-data` has moved to the start of the output. A
 * server can send data and code separately, and join them without compiling the data.
 */

import type { DataSegment } from './passes/pass.ts'
import type { Chunk } from './syntax/ast.ts'
import { NOWHERE } from './syntax/line-map.ts'
import { nodesAt, withPrologue } from './syntax/nodes.ts'

/** Byte range of the table constructor in the output, including both braces. `to` is exclusive. */
export type DataPlace = { readonly from: number; readonly to: number }

/** Adds a declaration of the table before the function that the chunk returns. */
export function prependDataSegment(chunk: Chunk, data: DataSegment | null): Chunk {
  if (data === null) return chunk
  const make = nodesAt(NOWHERE)
  const table = make.table(data.texts.map((text) => make.string(text)))
  return withPrologue(chunk, [make.local([data.symbol], [table])])
}

export function locateData(code: string, { texts }: DataSegment): DataPlace {
  const table = `{${texts.map((text) => `"${text}"`).join(',')}}`
  const from = code.indexOf(table)
  if (from < 0) throw new Error('the data is not in the output as it was written')
  return { from, to: from + table.length }
}

/**
 * Returns only the strings: in double quotes, separated by commas, without escapes. They start at byte `from
 * + 1` of the output.
 */
export function dataOf(code: string, { from, to }: DataPlace): string {
  return code.slice(from + 1, to - 1)
}

/**
 * Returns the output without its strings. It is a chunk that takes the table of strings as its argument, and
 * that otherwise behaves the same.
 */
export function interpreterOf(code: string, { from, to }: DataPlace): string {
  return `${code.slice(0, from)}...${code.slice(to)}`
}
