/**
 * Compares the files of two sources line by line. Large sources take a long time, so this runs in the worker
 * pool.
 */
import { type StructuredPatchHunk, structuredPatch } from 'diff'

type Source = {
  readonly source: string
  /** Path of the source, and the other files by path. Null for a single-file script. */
  readonly files: { readonly script_path: string; readonly files: Readonly<Record<string, string>> } | null
}
export type DiffInput = { readonly before: Source; readonly after: Source }

export type FileChange = {
  readonly path: string
  readonly change: 'changed' | 'added' | 'removed'
  /** Without a diff, the two counts include every line of the file. */
  readonly added_lines: number
  readonly removed_lines: number
  /** Hunks of a unified diff, or null if there are too many differing lines to compare. */
  readonly diff: string | null
}

/** `truncated` is true if lines or entire diffs were left out. */
export type SourceDiff = { readonly files: FileChange[]; readonly truncated: boolean }

/** The budget left for the remaining files. */
type Budget = { bytes: number; edits: number; isTruncated: boolean }
type Change = Omit<FileChange, 'diff'> & { readonly hunks: readonly StructuredPatchHunk[] | null }

/** Path used for a single-file script's file. */
const MAIN = 'main.lua'
const CONTEXT_LINES = 3
/**
 * Maximum number of differing lines in all files. The time for a comparison grows with the square of this
 * number.
 */
const MAX_EDITS = 2000
/** Maximum total size of all diffs. */
const MAX_BYTES = 204_800
/** Maximum length in characters. Lines of a minified file can have any length. */
const MAX_LINE = 1000

/** Lists changed files first, then added and removed ones, each sorted by path. */
export function diffSources({ before, after }: DiffInput): SourceDiff {
  const main = after.files?.script_path ?? before.files?.script_path ?? MAIN
  const [from, to] = [filesOf(before, main), filesOf(after, main)]
  const budget = { bytes: MAX_BYTES, edits: MAX_EDITS, isTruncated: false }
  const files = [
    ...pathsOf(to, (path) => from.has(path) && from.get(path) !== to.get(path)),
    ...pathsOf(to, (path) => !from.has(path)),
    ...pathsOf(from, (path) => !to.has(path)),
  ].map((path) => writeDiff(changeOf(path, { from: from.get(path), to: to.get(path) }, budget), budget))
  return { files, truncated: budget.isTruncated }
}

function filesOf({ source, files }: Source, main: string): ReadonlyMap<string, string> {
  const others = Object.entries(files?.files ?? {})
  return new Map([[files?.script_path ?? main, source], ...others])
}

function pathsOf(files: ReadonlyMap<string, string>, isShown: (path: string) => boolean): string[] {
  return [...files.keys()].filter(isShown).sort()
}

type Texts = { readonly from: string | undefined; readonly to: string | undefined }

function changeOf(path: string, { from, to }: Texts, budget: Budget): Change {
  const [removed, added] = [linesOf(from), linesOf(to)]
  const all = { path, added_lines: added.length, removed_lines: removed.length }
  if (from === undefined) return { ...all, change: 'added', hunks: [wholeFile([], added)] }
  if (to === undefined) return { ...all, change: 'removed', hunks: [wholeFile(removed, [])] }
  const hunks = compare(from, to, budget)
  if (hunks === null) return { ...all, change: 'changed', hunks }
  const count = (sign: string) =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0)
  return { path, change: 'changed', added_lines: count('+'), removed_lines: count('-'), hunks }
}

function linesOf(text = ''): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

function wholeFile(removed: readonly string[], added: readonly string[]): StructuredPatchHunk {
  return {
    ...{ oldStart: Math.min(1, removed.length), oldLines: removed.length },
    ...{ newStart: Math.min(1, added.length), newLines: added.length },
    lines: [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)],
  }
}

function compare(from: string, to: string, budget: Budget): StructuredPatchHunk[] | null {
  const limits = { context: CONTEXT_LINES, maxEditLength: budget.edits }
  const patch = budget.edits > 0 ? structuredPatch('', '', from, to, '', '', limits) : undefined
  const edits = patch?.hunks.flatMap(({ lines }) => lines).filter((line) => /^[+-]/.test(line))
  budget.edits -= edits?.length ?? budget.edits
  return patch?.hunks ?? null
}

function writeDiff({ hunks, ...change }: Change, budget: Budget): FileChange {
  if (hunks === null) {
    budget.isTruncated = true
    return { ...change, diff: null }
  }
  const lines = hunks.flatMap((hunk) => [headOf(hunk), ...hunk.lines])
  const shown: string[] = []
  for (const whole of lines) {
    const line = shorten(whole, budget)
    budget.bytes -= Buffer.byteLength(line) + 1
    if (budget.bytes < 0) break
    shown.push(line)
  }
  if (shown.length < lines.length) budget.isTruncated = true
  return { ...change, diff: shown.join('\n') }
}

function headOf({ oldStart, oldLines, newStart, newLines }: StructuredPatchHunk): string {
  return `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`
}

function shorten(line: string, budget: Budget): string {
  if (line.length <= MAX_LINE) return line
  budget.isTruncated = true
  return `${line.slice(0, MAX_LINE).toWellFormed()}…`
}
