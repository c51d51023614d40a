import type { Marker } from './code-mirror/props.ts'

const PLACE = /^line (\d+), column (\d+): (.*)$/s

/** Returns the position in a message of the obfuscator, or undefined if it has none. */
export function markerIn(message: string): Marker | undefined {
  const [, line, column, words] = PLACE.exec(message) ?? []
  return words === undefined ? undefined : { line: Number(line), column: Number(column), message: words }
}
