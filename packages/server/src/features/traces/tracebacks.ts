/** Maps errors and tracebacks of protected scripts to the author's lines, using a version's line map. */

import { refuseUndone } from '../../api/offloaded.ts'
import { Refused, refuseMember } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import type { ScriptSubject } from '../projects/store/subjects.ts'
import { readSource } from '../scripts/versions.ts'
import type { SourcePlace } from './map-places.ts'
import { findLineMap, listMappedVersions } from './store/line-maps.ts'

/** Defaults to the active version, because error messages don't name one. */
export type Traceback = {
  readonly text: string
  readonly version: number | null
  /** Aborted if the client disconnects. */
  readonly closed?: AbortSignal | undefined
}

export type MappedTraceback = {
  readonly version: number
  readonly assumed: boolean
  /** Whether the version has a line map. */
  readonly mapped: boolean
  /** Other versions that have a line map, newest first. */
  readonly other_versions: number[]
  readonly places: SourcePlace[]
  readonly truncated: boolean
  readonly text: string
}

/**
 * Maximum length in characters. A stack overflow traceback has several hundred lines, and pasted logs have
 * more.
 */
const MAX_TEXT = 1_000_000
const MAX_OTHERS = 100
const MAP_MS = 20_000

export async function mapScriptTraceback(
  deps: Deps,
  { customer, script }: Pick<ScriptSubject, 'customer' | 'script'>,
  { text, version: named, closed }: Traceback,
): Promise<MappedTraceback | TracebackRefused> {
  if (text.length > MAX_TEXT) return refuseMember('text', TOO_LONG)
  const version = named ?? script.version
  const uploaded = await readSource(deps, script, version)
  if (uploaded instanceof Refused) return uploaded
  const { source, files } = uploaded
  const row = await findLineMap(deps.db.read, script.id, version)
  const map = row ? deps.secrets.open('lineMap', script.id, row.map) : null
  const input = { text, map, name: script.name, source, files }
  const limits = { deadlineMs: MAP_MS, signal: closed }
  const mapped = await deps.offload.run(customer.id, 'mapPlaces', input, limits)
  if (!('done' in mapped)) return refuseUndone(mapped, 'text', TOO_SLOW)
  const { places, isCut, text: found } = mapped.done
  const known = await listMappedVersions(deps.db.read, script.id, MAX_OTHERS + 1)
  return {
    version,
    assumed: named === null,
    mapped: map !== null,
    other_versions: known.filter((each) => each !== version).slice(0, MAX_OTHERS),
    places,
    truncated: isCut,
    text: found,
  }
}

type TracebackRefused = Refused<'invalid_request' | 'not_found' | 'rate_limited' | 'internal' | 'unavailable'>

const TOO_LONG = 'must have at most 1,000,000 characters. Send only the part with the error'
const TOO_SLOW = 'takes too long to map. Send only the part with the error'
