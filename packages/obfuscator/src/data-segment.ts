// The data of an output that was split from its code: a table of strings that the output begins with. Whoever serves it may
// send the two apart, and join them again without compiling the data. What is data is decided in `passes/split-data.ts`.

import type { DataSegment } from './passes/pass.ts'
import type { Chunk } from './syntax/ast.ts'
import { NOWHERE } from './syntax/line-map.ts'
import { nodesAt, withPrologue } from './syntax/nodes.ts'

/** Where the constructor of the table stands in the output, both braces included. `to` is the byte behind it. */
export type DataPlace = { readonly from: number; readonly to: number }

/** Puts the table around the function that the chunk returns. */
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
 * The strings alone: each in double quotes, with commas between them and no escapes. Its first byte is the output's at
 * `from + 1`.
 */
export function dataOf(code: string, { from, to }: DataPlace): string {
  return code.slice(from + 1, to - 1)
}

/** The output without its strings: a chunk that takes the table of them as its argument, and then is what it was. */
export function interpreterOf(code: string, { from, to }: DataPlace): string {
  return `${code.slice(0, from)}...${code.slice(to)}`
}
