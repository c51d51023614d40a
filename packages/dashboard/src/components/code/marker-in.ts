import type { Marker } from './code-mirror/props.ts'

const PLACE = /^line (\d+), column (\d+): (.*)$/s

/** Returns the source position in an obfuscator message, or undefined if the message has none. */
export function markerIn(message: string): Marker | undefined {
  const [, line, column, words] = PLACE.exec(message) ?? []
  return words === undefined ? undefined : { line: Number(line), column: Number(column), message: words }
}
