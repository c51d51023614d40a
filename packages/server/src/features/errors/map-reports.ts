/**
 * Maps error reports to the author's lines and finds what identifies each error. Large line maps take long to read, so
 * this runs in the worker pool.
 */
import { type LineTable, mapLine, mapTraceback } from '@scriptward/obfuscator'
import { readLineTable } from '../builds/line-table.ts'
import { linesIn, type MappedSource } from '../traces/map-places.ts'
import { messageIdentity, messageOf } from './message.ts'

/** A line of the protected script, and the author's line that it comes from; null if there is none. */
export type ErrorFrame = {
  readonly output_line: number
  /** Path of the file; null for a single-file script. */
  readonly file: string | null
  readonly line: number | null
  readonly function: string | null
}

type ReportedText = { readonly text: string; readonly at: readonly number[] }

/** `map` is the compressed line table of the version; null when it has none. */
export type ReportsInput = MappedSource & {
  readonly map: Uint8Array | null
  readonly name: string
  readonly reports: readonly ReportedText[]
}

export type MappedReport = {
  /** The text with the author's lines. */
  readonly text: string
  readonly message: string
  readonly frames: readonly ErrorFrame[]
  /** Equal for reports of the same error. */
  readonly identity: string
}

/** Frames that identify an error. */
const MAX_IDENTIFYING = 3

export function mapReports({ map, name, reports, ...source }: ReportsInput): MappedReport[] {
  const table = map && readLineTable(map)
  const lineId = lineIds(source)
  return reports.map((report) => {
    const { text, places } = mapTraceback(report.text, table, name)
    // A host without debug functions reports only the position in the message.
    const lines = report.at.length > 0 ? report.at : places.slice(0, 1).map((place) => place.outputLine)
    const frames = lines.map((line) => frameOf(line, table))
    const message = messageOf(text)
    const identity = JSON.stringify([messageIdentity(message), ...identifying(frames).map(lineId)])
    return { text, message, frames, identity }
  })
}

function frameOf(line: number, table: LineTable | null): ErrorFrame {
  const { outputLine, ...place } = mapLine(line, table)
  return { output_line: outputLine, ...place }
}

/** The innermost frames. A recursion counts once, since its depth differs between occurrences. */
function identifying(frames: readonly ErrorFrame[]): ErrorFrame[] {
  const mapped = frames.filter(({ line }) => line !== null)
  const isSame = (a: ErrorFrame, b: ErrorFrame | undefined) => a.file === b?.file && a.line === b.line
  return mapped.filter((frame, i) => !isSame(frame, mapped[i - 1])).slice(0, MAX_IDENTIFYING)
}

/**
 * Identifies a line by its function and content, so that lines added above it in a later version don't make it another
 * error. Equal lines of one file are told apart by their order.
 */
function lineIds(source: MappedSource): (frame: ErrorFrame) => readonly unknown[] {
  const linesOf = linesIn(source)
  return ({ file, line, function: name }) => {
    const lines = linesOf(file)
    const content = lines[(line ?? 0) - 1]?.trim() ?? ''
    if (content === '') return [file, name, line]
    const before = lines.slice(0, (line ?? 1) - 1).filter((each) => each.trim() === content).length
    return [file, name, content, before]
  }
}
