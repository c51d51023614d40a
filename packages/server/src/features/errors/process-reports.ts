/**
 * Processes reported errors. Each pass takes a batch from every script: `map-reports.ts` maps the reports to
 * the author's lines and identifies their errors, and then one transaction in `group-reports.ts` adds them to
 * their groups. It takes only reports that no other process has taken in the meantime.
 */
import { Refused } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import { remember } from '../../platform/limits/remember.ts'
import type { ScriptRow } from '../scripts/store/scripts.ts'
import { readSource } from '../scripts/versions.ts'
import { findLineMap } from '../traces/store/line-maps.ts'
import { type GroupedReport, groupReports } from './group-reports.ts'
import type { MappedReport } from './map-reports.ts'
import { findScriptOfReports } from './store/error-groups.ts'
import { type ErrorReportRow, findReportedScript, listErrorReports } from './store/error-reports.ts'

type Grouping = {
  readonly deps: Deps
  readonly mapped: Map<string, MappedReport>
  readonly signal: AbortSignal
}

const EVERY_MS = 2000
/** Large batches are cheap if many reports are about the same error. */
const BATCH_SIZE = 500
/** Limits how long a transaction blocks SQLite's writer if every report is a different error. */
const MAX_ERRORS = 50
/** Maximum number of mapped reports in memory. Each takes a few kilobytes. */
const MAX_MAPPED = 2000
const MAP_MS = 20_000
/** In the worker pool, reports queue only behind other reports, never behind their account's requests. */
const OWNER = 'group-errors'

export function processReports(deps: Deps): Worker {
  // Maps an error only once, even if many runs report it. Entries never become stale, because stored versions
  // never change.
  const mapped = new Map<string, MappedReport>()
  let after = ''
  let isMore = false
  return {
    name: 'group-errors',
    everyMs: EVERY_MS,
    async run(signal) {
      const scriptId = await findReportedScript(deps.db.read, after)
      if (scriptId === undefined) {
        const wasMore = isMore
        after = ''
        isMore = false
        return wasMore
      }
      // Moves on before processing the script, so that a script whose reports fail does not block the others.
      after = scriptId
      isMore = (await groupBatch({ deps, mapped, signal }, scriptId)) || isMore
      return true
    },
  }
}

/** Returns whether the script may have more reports. */
async function groupBatch(grouping: Grouping, scriptId: string): Promise<boolean> {
  const { deps } = grouping
  const script = await findScriptOfReports(deps.db.read, scriptId)
  const rows = await listErrorReports(deps.db.read, scriptId, BATCH_SIZE)
  if (script === undefined || rows.length === 0) return false
  const grouped: GroupedReport[] = []
  for (const [version, reports] of Map.groupBy(rows, ({ script_version }) => script_version))
    grouped.push(...(await mapVersion(grouping, { script, version }, reports)))
  if (grouped.length === 0) return false
  const batch = firstErrors(grouped)
  await deps.db.transaction((tx) => groupReports(tx, deps, script, batch))
  return rows.length === BATCH_SIZE || batch.length < grouped.length
}

/** Leaves further errors to the next pass. */
function firstErrors(grouped: readonly GroupedReport[]): GroupedReport[] {
  const errors = new Set<string>()
  return grouped.filter(({ mapped: { identity } }) => {
    if (errors.size < MAX_ERRORS) errors.add(identity)
    return errors.has(identity)
  })
}

type ScriptVersion = { readonly script: ScriptRow; readonly version: number }

/** Maps the reports of one version. Returns none if the worker pool has no room or is closing. */
async function mapVersion(
  grouping: Grouping,
  of: ScriptVersion,
  reports: readonly ErrorReportRow[],
): Promise<GroupedReport[]> {
  const { mapped } = grouping
  const nameOf = ({ at, text }: ErrorReportRow) =>
    `${of.script.id} ${of.version} ${of.script.name} ${at} ${text}`
  const known = new Map<string, MappedReport>()
  const unknown = new Map<string, ErrorReportRow>()
  for (const row of reports) {
    const name = nameOf(row)
    const found = mapped.get(name)
    if (found) known.set(name, found)
    else unknown.set(name, row)
  }
  for (const [name, report] of await mapUnknown(grouping, of, unknown)) {
    known.set(name, report)
  }
  for (const [name, report] of known) remember(mapped, name, report, MAX_MAPPED)
  return reports.flatMap((row) => {
    const found = known.get(nameOf(row))
    return found ? [{ row, mapped: found }] : []
  })
}

async function mapUnknown(
  { deps, signal }: Grouping,
  of: ScriptVersion,
  unknown: ReadonlyMap<string, ErrorReportRow>,
): Promise<(readonly [string, MappedReport])[]> {
  if (unknown.size === 0) return []
  const names = [...unknown.keys()]
  const reports = [...unknown.values()].map(({ text, at }) => ({ text, at: JSON.parse(at) as number[] }))
  const limits = { deadlineMs: MAP_MS, signal }
  const readable = { ...(await readVersion(deps, of)), name: of.script.name, reports }
  const done = await deps.offload.run(OWNER, 'mapReports', readable, limits)
  if ('done' in done) return done.done.flatMap((report, i) => [[names[i] as string, report] as const])
  if (done.failed === 'full' || done.failed === 'stopped') return []
  // The line map or the source is too large, so the reports are grouped by message.
  const bare = { ...UNREADABLE, name: of.script.name, reports: reports.map(({ text }) => ({ text, at: [] })) }
  const fallback = await deps.offload.run(OWNER, 'mapReports', bare, limits)
  return 'done' in fallback ? fallback.done.map((report, i) => [names[i] as string, report] as const) : []
}

const UNREADABLE = { map: null, source: '', files: null }

/** A version that doesn't exist has neither a source nor a line map. */
async function readVersion(deps: Deps, { script, version }: ScriptVersion) {
  const uploaded = await readSource(deps, script, version)
  if (uploaded instanceof Refused) return UNREADABLE
  const row = await findLineMap(deps.db.read, script.id, version)
  return { ...uploaded, map: row ? deps.secrets.open('lineMap', script.id, row.map) : null }
}
