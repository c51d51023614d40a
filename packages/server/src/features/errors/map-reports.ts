/**
 * Maps error reports to the author's lines, and derives each error's identity. Large line maps take a long
 * time to read, so this runs in the worker pool.
 */
import { type LineTable, mapLine, mapTraceback } from '@scriptward/obfuscator'
import { readLineTable } from '../builds/line-table.ts'
import { linesIn, type MappedSource } from '../traces/map-places.ts'
import { isStackOverflow, messageIdentity, messageOf } from './message.ts'

/**
 * A line of the protected script, and the author's line that it was generated from. Null if there is none.
 */
export type ErrorFrame = {
  readonly output_line: number
  /** Path of the file. Null for a single-file script. */
  readonly file: string | null
  readonly line: number | null
  readonly function: string | null
}

type ReportedText = { readonly text: string; readonly at: readonly number[] }

/** `map` is the version's compressed line table. Null if it has none. */
export type ReportsInput = MappedSource & {
  readonly map: Uint8Array | null
  readonly name: string
  readonly reports: readonly ReportedText[]
}

export type MappedReport = {
  /** The message with the author's line numbers. */
  readonly text: string
  readonly message: string
  readonly frames: readonly ErrorFrame[]
  /** Identifies the error: the same for all of its reports. */
  readonly identity: string
}

/** Maximum number of frames that identify an error. */
const MAX_IDENTIFYING = 3

export function mapReports({ map, name, reports, ...source }: ReportsInput): MappedReport[] {
  const table = map && readLineTable(map)
  const lines = linesIn(source)
  return reports.map((report) => {
    const { text, places } = mapTraceback(report.text, table, name)
    // A host without debug functions reports a position only in the message.
    const at = report.at.length > 0 ? report.at : places.slice(0, 1).map((place) => place.outputLine)
    const frames = at.map((line) => frameOf(line, table))
    const message = messageOf(text)
    return { text, message, frames, identity: identityOf(message, frames, lines) }
  })
}

function frameOf(line: number, table: LineTable | null): ErrorFrame {
  const { outputLine, ...place } = mapLine(line, table)
  return { output_line: outputLine, ...place }
}

type Lines = ReturnType<typeof linesIn>

function identityOf(message: string, frames: readonly ErrorFrame[], lines: Lines): string {
  const name = messageIdentity(message)
  const mapped = frames.filter(({ line }) => line !== null)
  // A stack overflow occurs on varying lines, but the functions that call each other stay the same.
  if (isStackOverflow(name)) return JSON.stringify([name, ...functionsOf(mapped.slice(0, MAX_IDENTIFYING))])
  return JSON.stringify([name, ...identifying(mapped, lines).map((frame) => lineId(frame, lines))])
}

function functionsOf(frames: readonly ErrorFrame[]): readonly (readonly [string | null, string | null])[] {
  const names = new Map(frames.map((frame) => [`${frame.file}:${frame.function}`, frame]))
  return [...names].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, frame]) => [frame.file, frame.function])
}

/**
 * The innermost frames. Recursive calls count once, because the depth varies. Callers that directly return
 * the call's result are skipped, because most hosts remove them from the stack.
 */
function identifying(mapped: readonly ErrorFrame[], lines: Lines): ErrorFrame[] {
  const isSame = (a: ErrorFrame, b: ErrorFrame | undefined) => a.file === b?.file && a.line === b.line
  const known = mapped.filter((frame, i) => i === 0 || !RETURNING.test(contentOf(frame, lines)))
  return known.filter((frame, i) => !isSame(frame, known[i - 1])).slice(0, MAX_IDENTIFYING)
}

const RETURNING = /\breturn\b/

/**
 * Identifies a line by its function and content, so that lines added above it in a later version don't change
 * the error's identity. Equal lines in a file are distinguished by their order.
 */
function lineId(frame: ErrorFrame, lines: Lines): readonly unknown[] {
  const { file, line, function: name } = frame
  const content = contentOf(frame, lines)
  if (content === '') return [file, name, line]
  const before = lines(file)
    .slice(0, (line ?? 1) - 1)
    .filter((each) => each.trim() === content).length
  return [file, name, content, before]
}

function contentOf({ file, line }: ErrorFrame, lines: Lines): string {
  return lines(file)[(line ?? 0) - 1]?.trim() ?? ''
}
