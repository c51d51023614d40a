/** Reads individual lines of a source, which may have hundreds of thousands of lines. */

const LINE_BREAK = /\r\n|\r|\n/g
const MAX_LINE = 300

/** The lines from `first` to `last`, counted from 1. Returns fewer lines near the end of the source. */
export function sourceLines(text: string, first: number, last: number): string[] {
  const lines: string[] = []
  let number = 1
  let from = 0
  for (const { index, 0: mark } of text.matchAll(LINE_BREAK)) {
    if (number > last) return lines
    if (number >= first) lines.push(text.slice(from, Math.min(index, from + MAX_LINE)))
    number += 1
    from = index + mark.length
  }
  if (number >= first && number <= last) lines.push(text.slice(from, from + MAX_LINE))
  return lines
}
