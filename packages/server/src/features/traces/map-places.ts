/** Maps a traceback and finds the author's lines. Long texts and sources take seconds, so it runs in the pool. */
import { mapTraceback, type Place } from '@scriptward/obfuscator'
import { readLineTable } from '../builds/line-table.ts'

export type SourcePlace = {
  readonly chunk: string
  readonly output_line: number
  /** Path of the file; null when the source is one file. */
  readonly file: string | null
  readonly line: number | null
  /** The text of that line. */
  readonly source: string | null
  readonly function: string | null
}

/** Of one file, or of several: the path of the one that runs, and the others by their paths. */
type Source = {
  readonly source: string
  readonly files: {
    readonly script_path: string
    readonly files: Readonly<Record<string, string>>
  } | null
}

/** `map` is the packed line table of the version; null when it has none. */
export type TracebackInput = Source & {
  readonly text: string
  readonly map: Uint8Array | null
  readonly name: string
}

export type MappedPlaces = {
  readonly places: SourcePlace[]
  readonly isCut: boolean
  readonly text: string
}

const MAX_LINE = 300

export function mapPlaces({ text, map, name, ...source }: TracebackInput): MappedPlaces {
  const found = mapTraceback(text, map && readLineTable(map), name)
  return { places: describePlaces(found.places, source), isCut: found.isCut, text: found.text }
}

function describePlaces(places: readonly Place[], { source, files }: Source): SourcePlace[] {
  const split = new Map<string | null, readonly string[]>()
  const linesOf = (file: string | null) => {
    const text = file === null || file === files?.script_path ? source : (files?.files[file] ?? '')
    const lines = split.get(file) ?? text.split(/\r\n|\r|\n/)
    split.set(file, lines)
    return lines
  }
  return places.map(({ chunk, outputLine, file, line, function: name }) => ({
    chunk,
    output_line: outputLine,
    file,
    line,
    source: line === null ? null : (linesOf(file)[line - 1] ?? '').trim().slice(0, MAX_LINE),
    function: name,
  }))
}
