/**
 * Finds the output lines in errors and tracebacks from Lua 5.1, LuaJIT, Lua 5.4 and Luau, and replaces them
 * with the source's lines and names. The work is linear in the length of the input, regardless of its
 * contents.
 */

import type { LineTable } from './syntax/line-map.ts'

/** One position found in a traceback. */
export type Place = {
  /** The host's name for the script: its chunk name, or the start of its source code. */
  readonly chunk: string
  readonly outputLine: number
  /** Path of the file in its source tree; null for a single-file source, or if `line` is null. */
  readonly file: string | null
  /** Line in the source file; null if the output line has no source line. */
  readonly line: number | null
  /** Name of the enclosing function in the source; null if it is anonymous. */
  readonly function: string | null
}

export type MappedText = {
  /** The traceback with the source's lines and names. */
  readonly text: string
  /** The distinct positions, in order of first occurrence. */
  readonly places: readonly Place[]
  /** Whether the traceback contains further positions, which were left unchanged. */
  readonly isCut: boolean
}

/** This limit is high enough for the traceback of a stack overflow. */
const MAX_PLACES = 500
/** Limits the work on candidates that turn out not to be positions, such as times of day. */
const MAX_LOOKED = 10_000
const MAX_CHUNK = 300
/** Lua 5.1, LuaJIT and Lua 5.4 truncate chunk names to 59 bytes, and Luau truncates them to 255. */
const CUT_NAME = 59

/**
 * @param name the chunk name of the script. If it occurs in the traceback, other positions belong to other
 * scripts.
 */
export function mapTraceback(text: string, table: LineTable | null, name: string | null = null): MappedText {
  const { found, isCut } = findPlaces(text, name)
  const places = new Map<string, Place>()
  let mapped = ''
  let done = 0
  for (const each of found) {
    const place = placeOf(each, table)
    places.set(`${place.chunk}:${place.outputLine}`, place)
    const { until, words } = rewritten(text, each, place)
    mapped += text.slice(done, each.from) + words
    done = until
  }
  return { text: mapped + text.slice(done), places: [...places.values()], isCut }
}

/** `from` and `to` delimit the digits of the line number. */
type Found = { readonly chunk: string; readonly from: number; readonly to: number; readonly line: number }

/**
 * Matches `name:12`, and `Script 'name', Line 12` in consoles. The lookahead prevents a number from being
 * truncated.
 */
const LINE = /(?::|', [Ll]ine )(\d{1,9})(?=[:>\s,).'"\]]|$)/g

function findPlaces(text: string, name: string | null): { found: readonly Found[]; isCut: boolean } {
  const own: Found[] = []
  const others: Found[] = []
  let looked = 0
  const names = name === null ? [] : [name, ...(name.length > CUT_NAME ? [name.slice(0, CUT_NAME)] : [])]
  for (const match of text.matchAll(LINE)) {
    const isOwn = names.some((each) => endsWithName(text, match.index, each))
    const list = isOwn ? own : others
    if (list.length > MAX_PLACES || (!isOwn && ++looked > MAX_LOOKED)) continue
    const chunk = isOwn ? name : chunkAtEnd(lineBefore(text, match.index))
    const to = match.index + match[0].length
    const digits = match[1] as string
    if (chunk !== null) list.push({ chunk, from: to - digits.length, to, line: Number(digits) })
  }
  const found = own.length > 0 ? own : others
  return { found: found.slice(0, MAX_PLACES), isCut: found.length > MAX_PLACES }
}

/** The text before a position on the same line, limited to the length of a chunk name. */
function lineBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - MAX_CHUNK), at)
  return before.slice(before.lastIndexOf('\n') + 1)
}

/** Whether the name ends here and is not the end of a longer name. */
function endsWithName(text: string, at: number, name: string): boolean {
  const from = at - name.length
  return from >= 0 && text.startsWith(name, from) && (from === 0 || !/[\w.]/.test(text.charAt(from - 1)))
}

const STRING_CHUNK = '[string "'
/** Matches times, URLs, the server's loader, the host's C code and its command line. */
const NO_SCRIPT = /^[\d\s:.,T+-]*$|:\/\/|^loader$|^C\]$|^command line\)$|^stdin$/

/** The chunk name at the end of the text; null if there is none. */
function chunkAtEnd(before: string): string | null {
  const string = before.lastIndexOf(STRING_CHUNK)
  if (string >= 0 && before.endsWith('"]')) return before.slice(string)
  const begin = Math.max(...['\t', '<', "'", '"', '(', '[', ': '].map((mark) => endOf(before, mark)))
  const chunk = before.slice(begin).trim()
  return chunk === '' || NO_SCRIPT.test(chunk) ? null : chunk
}

function endOf(text: string, mark: string): number {
  const at = text.lastIndexOf(mark)
  return at < 0 ? 0 : at + mark.length
}

function placeOf({ chunk, line }: Found, table: LineTable | null): Place {
  return { chunk, ...mapLine(line, table) }
}

/** Maps one line of an output. A line beyond the end of the output has no source line. */
export function mapLine(outputLine: number, table: LineTable | null): Omit<Place, 'chunk'> {
  const { file, line } = sourceLine(table, outputLine)
  const number = table?.functions[outputLine - 1]
  const name = (line !== null && number !== undefined && table?.names[number]) || null
  return { outputLine, file, line, function: name }
}

function sourceLine(table: LineTable | null, outputLine: number): Pick<Place, 'file' | 'line'> {
  const line = table?.lines[outputLine - 1] || null
  const file = line === null ? undefined : table?.files?.findLast((each) => each.line <= line)
  if (line === null || !file) return { file: null, line }
  return { file: file.path, line: line - file.line + 1 }
}

/**
 * Matches the function name after a position, as written by Lua and LuaJIT, or by Luau and its consoles.
 */
const FUNCTION =
  /^(?<before>: in (?:function|local|upvalue|method|field|global) '|(?: -)? function )(?<name>[^'\n]{1,200}?)(?<after>'|\s|$)/

function rewritten(text: string, { from, to }: Found, place: Place): { until: number; words: string } {
  if (place.line === null) return { until: to, words: text.slice(from, to) }
  const behind = FUNCTION.exec(text.slice(to, to + MAX_CHUNK))?.groups
  const { before = '', name = '' } = behind ?? {}
  const line = place.file === null ? String(place.line) : `${place.file}:${place.line}`
  if (!behind || place.function === null) return { until: to, words: line }
  return { until: to + before.length + name.length, words: `${line}${before}${place.function}` }
}
