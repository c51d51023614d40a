/** Adds a script's mapped reports to their groups, in one transaction. */
import { createHash } from 'node:crypto'
import { newId } from '../../api/ids.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { countCrashes } from '../health/count-health.ts'
import type { ScriptRow } from '../scripts/store/scripts.ts'
import { addEvent } from '../webhooks/events/events.ts'
import { countReports } from './count-reports.ts'
import { placeOf, readPlace } from './frames.ts'
import type { MappedReport } from './map-reports.ts'
import { addErrorRuns, addErrorSamples, addErrorUsers } from './store/error-details.ts'
import {
  deleteSurplusErrorGroups,
  type ErrorGroupChanges,
  type ErrorGroupRow,
  insertErrorGroup,
  keepScript,
  lockErrorGroup,
  updateErrorGroup,
} from './store/error-groups.ts'
import { type ErrorReportRow, takeErrorReports } from './store/error-reports.ts'

export type GroupedReport = { readonly row: ErrorReportRow; readonly mapped: MappedReport }
export type GroupingDeps = Pick<Deps, 'now' | 'random' | 'secrets' | 'limits'>

/** Maximum number of groups per script. */
const MAX_ERROR_GROUPS = 2000
/** Maximum number of samples per group. */
const MAX_ERROR_SAMPLES = 20

export async function groupReports(
  tx: Queries,
  deps: GroupingDeps,
  script: ScriptRow,
  reports: readonly GroupedReport[],
): Promise<void> {
  if (!(await keepScript(tx, script.id))) return
  const taken = await takeErrorReports(
    tx,
    reports.map(({ row }) => row.seq),
  )
  const own = reports.filter(({ row }) => taken.has(row.seq))
  const groups = [...Map.groupBy(own, ({ mapped }) => fingerprintOf(mapped))]
  // All processes lock a script's groups in the same order, to prevent deadlocks.
  groups.sort(([a], [b]) => (a < b ? -1 : 1))
  const adding = { deps, script }
  let isNew = false
  for (const [fingerprint, each] of groups) isNew = (await addToGroup(tx, adding, fingerprint, each)) || isNew
  await countCrashes(
    tx,
    script.id,
    own.map(({ row }) => row),
  )
  if (isNew) await deleteSurplusErrorGroups(tx, script.id, MAX_ERROR_GROUPS)
}

function fingerprintOf({ identity }: MappedReport): string {
  return createHash('sha256').update(identity).digest('hex').slice(0, 32)
}

type Adding = { readonly deps: GroupingDeps; readonly script: ScriptRow }
type Reports = readonly GroupedReport[]

/** Returns whether the group is new. */
async function addToGroup(
  tx: Queries,
  adding: Adding,
  fingerprint: string,
  reports: Reports,
): Promise<boolean> {
  const known = await lockErrorGroup(tx, { script_id: adding.script.id, fingerprint })
  const made = known ?? (await insertErrorGroup(tx, newGroup(adding, fingerprint, reports)))
  // Another process has inserted the group since the lookup.
  const group = made ?? (await lockErrorGroup(tx, { script_id: adding.script.id, fingerprint }))
  if (!group) throw new Error('a group of errors that exists cannot be found')
  const counted = await countAll(tx, group, reports)
  const changes = { ...counted, ...seen(group, reports), ...regression(group, reports) }
  const changed = await updateErrorGroup(tx, group.script_id, group.id, changes)
  const isNew = known === undefined && made !== undefined
  if (changed && isNew) await report(tx, adding, 'script.error_new', { group: changed, reports })
  if (changed && 'regressed_at' in changes)
    await report(tx, adding, 'script.error_regressed', { group: changed, reports })
  return isNew
}

function newGroup({ deps, script }: Adding, fingerprint: string, reports: Reports) {
  const { row, mapped } = reports[0] as GroupedReport
  return {
    ...{ id: newId('err', deps.now(), deps.random), project_id: script.project_id, script_id: script.id },
    ...{ fingerprint, kind: row.kind, message: mapped.message, place: null },
    ...{ first_at: row.reported_at, last_at: row.reported_at },
    ...{ first_version: row.script_version, last_version: row.script_version },
  }
}

async function countAll(tx: Queries, { id, ...group }: ErrorGroupRow, reports: Reports) {
  const rows = reports.map(({ row }) => row)
  const occurrences = await countReports(tx, id, rows)
  const runs = new Map(rows.map(({ exec, reported_at }) => [exec, { exec, last_at: reported_at }]))
  const newRuns = await addErrorRuns(tx, id, [...runs.values()])
  const guests = new Set(rows.filter(({ user_key }) => user_key === null).map(({ exec }) => exec))
  const newGuests = guests.intersection(newRuns).size
  const users = usersOf(rows)
  const newUsers = users.length === 0 ? 0 : await addErrorUsers(tx, id, users)
  await addErrorSamples(tx, id, reports.slice(-MAX_ERROR_SAMPLES).map(sampleOf(id)), MAX_ERROR_SAMPLES)
  return {
    occurrences: group.occurrences + occurrences,
    runs: group.runs + newRuns.size,
    customers: group.customers + newGuests + newUsers,
  }
}

function usersOf(rows: readonly ErrorReportRow[]) {
  const withKey = rows.filter(({ user_key }) => user_key !== null)
  return [...Map.groupBy(withKey, ({ user_key }) => user_key ?? '')].map(([user_key, own]) => ({
    user_key,
    occurrences: own.reduce((sum, { count }) => sum + count, 0),
    last_at: Math.max(...own.map(({ reported_at }) => reported_at)),
  }))
}

const sampleOf =
  (error_id: string) =>
  ({ row, mapped }: GroupedReport) => {
    const { exec, script_version, user_key, executor, runtime, kind, tags, reported_at } = row
    return {
      ...{ error_id, exec, script_version, user_key, executor, runtime, kind, tags, reported_at },
      ...{ text: mapped.text, frames: JSON.stringify(mapped.frames) },
    }
  }

/**
 * Returns the group's changes. Its message and location come from the latest version that reported the error.
 */
function seen(group: ErrorGroupRow, reports: Reports): ErrorGroupChanges {
  const versions = reports.map(({ row }) => row.script_version)
  const times = reports.map(({ row }) => row.reported_at)
  const newest = reports.findLast(({ row }) => row.script_version === Math.max(...versions)) as GroupedReport
  const place = placeOf(newest.mapped.frames)
  const isShown = newest.row.script_version >= group.last_version
  return {
    first_at: Math.min(group.first_at, ...times),
    last_at: Math.max(group.last_at, ...times),
    first_version: Math.min(group.first_version, ...versions),
    last_version: Math.max(group.last_version, ...versions),
    ...(isShown && {
      kind: newest.row.kind,
      message: newest.mapped.message,
      place: place && JSON.stringify(place),
    }),
  }
}

/** If a later version reports a resolved error, the error was not fixed or has returned. */
function regression({ state, resolved_in_version }: ErrorGroupRow, reports: Reports): ErrorGroupChanges {
  const later = reports.filter(({ row }) => row.script_version > (resolved_in_version ?? 0))
  if (state !== 'resolved' || later.length === 0) return {}
  return { state: 'open', regressed_at: Math.max(...later.map(({ row }) => row.reported_at)) }
}

type Reported = { readonly group: ErrorGroupRow; readonly reports: Reports }

async function report(
  tx: Queries,
  { deps, script }: Adding,
  type: 'script.error_new' | 'script.error_regressed',
  { group, reports }: Reported,
): Promise<void> {
  const left_out = deps.limits.errorEvents.count(script.id, deps.now())
  if (left_out === undefined) return
  const { row } = reports.at(-1) as GroupedReport
  const { id, message } = group
  const place = readPlace(group.place)
  const data = {
    script: { id: script.id, name: script.name },
    error: { id, message, place: place && { file: place.file, line: place.line, function: place.function } },
    version: row.script_version,
    executor: row.executor,
    left_out,
  }
  await addEvent(tx, deps, { type, project_id: script.project_id, data })
}
