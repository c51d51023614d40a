/** Maps errors and tracebacks of protected scripts to the author's lines, by the line map of a version. */
import { type LineTable, mapTraceback, type Place } from '@scriptward/obfuscator'
import type { Deps } from '../../deps.ts'
import { readLineTable } from '../../obfuscation/line-table.ts'
import { findLineMap, listMappedVersions } from '../../store/tables/line-maps.ts'
import type { ScriptRow } from '../../store/tables/scripts.ts'
import { Refused, refuseMember } from '../refusals.ts'
import { readSource, type UploadedSource } from './versions.ts'

/** Without a version, the active one is assumed, since texts of errors name none. */
export type Traceback = { readonly text: string; readonly version: number | null }

type SourcePlace = {
  readonly chunk: string
  readonly output_line: number
  /** Path of the file; null when the source is one file. */
  readonly file: string | null
  readonly line: number | null
  /** The text of that line. */
  readonly source: string | null
  readonly function: string | null
}

export type MappedTraceback = {
  readonly version: number
  readonly assumed: boolean
  /** Whether the version has a line map. */
  readonly mapped: boolean
  /** Others that have one, the newest first. */
  readonly other_versions: number[]
  readonly places: SourcePlace[]
  readonly truncated: boolean
  readonly text: string
}

/** A traceback of a stack overflow has some hundred lines; logs that somebody pastes have more. */
const MAX_TEXT = 1_000_000
const MAX_OTHERS = 100
const MAX_LINE = 300

export async function mapScriptTraceback(
  deps: Deps,
  script: ScriptRow,
  { text, version: named }: Traceback,
): Promise<MappedTraceback | Refused<'invalid_request' | 'not_found'>> {
  if (text.length > MAX_TEXT) return refuseMember('text', 'must have at most 1,000,000 characters')
  const version = named ?? script.version
  const source = await readSource(deps, script, version)
  if (source instanceof Refused) return source
  const row = await findLineMap(deps.db.read, script.id, version)
  const table = row ? openTable(deps, script.id, row.map) : null
  const found = mapTraceback(text, table, script.name)
  const known = await listMappedVersions(deps.db.read, script.id, MAX_OTHERS + 1)
  return {
    version,
    assumed: named === null,
    mapped: table !== null,
    other_versions: known.filter((each) => each !== version).slice(0, MAX_OTHERS),
    places: describePlaces(found.places, source),
    truncated: found.isCut,
    text: found.text,
  }
}

function openTable({ secrets }: Deps, scriptId: string, map: Uint8Array): LineTable {
  return readLineTable(secrets.open('lineMap', scriptId, map))
}

function describePlaces(places: readonly Place[], { source, files }: UploadedSource): SourcePlace[] {
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
