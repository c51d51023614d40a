/**
 * Maps a traceback to the author's lines. Long tracebacks and sources take seconds, so this runs in the
 * worker pool.
 */
import { mapTraceback, type Place } from '@scriptward/obfuscator'
import { readLineTable } from '../builds/line-table.ts'

export type SourcePlace = {
  readonly chunk: string
  readonly output_line: number
  /** Path of the file. Null for a single-file script. */
  readonly file: string | null
  readonly line: number | null
  /** Content of the line. */
  readonly source: string | null
  readonly function: string | null
}

/** The source of a single-file script, or the path of the main file and the other files by path. */
export type MappedSource = {
  readonly source: string
  readonly files: {
    readonly script_path: string
    readonly files: Readonly<Record<string, string>>
  } | null
}

/** `map` is the version's compressed line table, or null if it has none. */
export type TracebackInput = MappedSource & {
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

function describePlaces(places: readonly Place[], source: MappedSource): SourcePlace[] {
  const linesOf = linesIn(source)
  return places.map(({ chunk, outputLine, file, line, function: name }) => ({
    chunk,
    output_line: outputLine,
    file,
    line,
    source: line === null ? null : (linesOf(file)[line - 1] ?? '').trim().slice(0, MAX_LINE),
    function: name,
  }))
}

/** Splits a file into lines when it is first needed. Null selects the source of a single-file script. */
export function linesIn({ source, files }: MappedSource): (file: string | null) => readonly string[] {
  const split = new Map<string | null, readonly string[]>()
  return (file) => {
    const text = file === null || file === files?.script_path ? source : (files?.files[file] ?? '')
    const lines = split.get(file) ?? text.split(/\r\n|\r|\n/)
    split.set(file, lines)
    return lines
  }
}
