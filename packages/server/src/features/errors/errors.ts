/** Error groups, as the script's author sees and edits them. */

import { Refused, refuse } from '../../api/refusals.ts'
import type { ErrorState } from '../../database/schema/error-tables.ts'
import type { Deps } from '../../deps.ts'
import type { Scope } from '../access/scopes.ts'
import type { ProjectSubject, ScriptSubject } from '../projects/store/subjects.ts'
import { listScriptNames, type ScriptRow } from '../scripts/store/scripts.ts'
import { readSource, type UploadedSource } from '../scripts/versions.ts'
import { MAX_ANNOUNCED_KEYS } from '../variables/announcements.ts'
import { placeOf, readFrames, readPlace } from './frames.ts'
import type { ErrorFrame } from './map-reports.ts'
import { sourceLines } from './source-lines.ts'
import {
  countErrorKeys,
  type ErrorCountRow,
  type ErrorSampleRow,
  listErrorCounts,
  listErrorSamples,
  listErrorUsers,
} from './store/error-details.ts'
import {
  countErrorGroups,
  type ErrorFilter,
  type ErrorGroupRow,
  type ErrorSort,
  type ErrorsOf,
  findErrorGroup,
  listErrorGroups,
  lockErrorGroupById,
  updateErrorGroup,
} from './store/error-groups.ts'

type Page = { readonly from?: number; readonly limit?: number }
/** The response contains customers and source lines only for callers with these scopes. */
type Reader = { readonly scopes: ReadonlySet<Scope> }

const PAGE_SIZE = 100
/** Number of lines shown before and after the failing one. */
const LINES_AROUND = 5

type ListQuery = ErrorFilter & Page & { readonly sort?: ErrorSort }

export async function listErrors(deps: Deps, { id }: ScriptRow, query: ListQuery) {
  const { rows, total } = await readList(deps, { script_id: id }, query)
  return { errors: rows.map(describeGroup), total }
}

/** The errors in all scripts of a project, each with its script. */
export async function listProjectErrors(deps: Deps, { customer, project }: ProjectSubject, query: ListQuery) {
  const { rows, total } = await readList(deps, { project_id: project.id }, query)
  const scripts = await listScriptNames(deps.db.read, customer.id, project.id)
  const names = new Map(scripts.map(({ id, name }) => [id, name]))
  const errors = rows.map((row) => ({
    ...describeGroup(row),
    script_id: row.script_id,
    script_name: names.get(row.script_id) ?? '',
  }))
  return { errors, total }
}

async function readList(
  { db }: Deps,
  of: ErrorsOf,
  { sort = 'last_seen', from = 0, limit = PAGE_SIZE, ...filter }: ListQuery,
) {
  const rows = await listErrorGroups(db.read, of, { ...filter, sort, from, limit })
  return { rows, total: await countErrorGroups(db.read, of, filter) }
}

export async function getError(
  deps: Deps,
  { project, script }: ScriptSubject,
  id: string,
  { scopes }: Reader,
) {
  const { read } = deps.db
  const row = await findErrorGroup(read, script.id, id)
  if (!row) return refuse('not_found')
  const samples = await listErrorSamples(read, id)
  const counts = await listErrorCounts(read, id)
  const shown = samples.find(({ script_version }) => script_version === row.last_version) ?? samples[0]
  return {
    ...describeGroup(row),
    ...(await describeCode(deps, script, { shown, isReadable: scopes.has('scripts:source') })),
    ...describeCounts(counts),
    keys: await countErrorKeys(read, { id, project_id: project.id }, MAX_ANNOUNCED_KEYS),
    samples: samples.map((sample) => describeSample(sample, scopes.has('users:read'))),
  }
}

export async function editError(
  deps: Deps,
  script: ScriptRow,
  id: string,
  { state, note }: { readonly state: ErrorState; readonly note?: string | null },
): Promise<undefined | Refused<'not_found'>> {
  return deps.db.transaction(async (tx) => {
    const row = await lockErrorGroupById(tx, script.id, id)
    if (!row) return refuse('not_found')
    deps.annotateAudit({ before: { state: row.state, note: row.note }, isNullValue: true })
    const changes = {
      ...stateChanges(row, state, { now: deps.now(), live: script.version }),
      ...noteChange(note),
    }
    if (Object.keys(changes).length > 0) await updateErrorGroup(tx, script.id, id, changes)
    return undefined
  })
}

/** Users who still exist and whose runs reported the error, most recent first. */
export async function listErrorCustomers(
  { db }: Deps,
  { project, script }: ScriptSubject,
  id: string,
  { from = 0, limit = PAGE_SIZE }: Page,
) {
  const row = await findErrorGroup(db.read, script.id, id)
  if (!row) return refuse('not_found')
  return { users: await listErrorUsers(db.read, { id, project_id: project.id }, { from, limit }) }
}

function stateChanges(row: ErrorGroupRow, state: ErrorState, { now, live }: { now: number; live: number }) {
  if (row.state === state) return {}
  if (state === 'resolved') {
    // After a rollback, the version with the error may be newer than the live one, and its runs may continue.
    const resolved_in_version = Math.max(live, row.last_version)
    return { state, resolved_at: now, resolved_in_version, regressed_at: null }
  }
  return { state, resolved_at: null, resolved_in_version: null, regressed_at: null }
}

function noteChange(note: string | null | undefined) {
  return note === undefined ? {} : { note: note?.trim() || null }
}

function describeGroup(row: ErrorGroupRow) {
  const { id, kind, message, state, note, occurrences, runs, customers } = row
  const { first_version, last_version, resolved_at, resolved_in_version, regressed_at } = row
  return {
    ...{ id, kind, message, place: readPlace(row.place), state, note, occurrences, runs, customers },
    ...{ first_seen: row.first_at, last_seen: row.last_at, first_version, last_version },
    ...{ resolved_at, resolved_in_version, regressed_at },
  }
}

type Shown = { readonly shown: ErrorSampleRow | undefined; readonly isReadable: boolean }

/** The frames of the selected sample, and the author's source around the innermost one. */
async function describeCode(deps: Deps, script: ScriptRow, { shown, isReadable }: Shown) {
  if (shown === undefined) return { frames: [], code: null }
  const frames = readFrames(shown.frames)
  const uploaded = isReadable ? await readSource(deps, script, shown.script_version) : undefined
  if (uploaded === undefined || uploaded instanceof Refused)
    return { frames: frames.map((frame) => ({ ...frame, source: null })), code: null }
  return {
    frames: frames.map((frame) => ({ ...frame, source: lineOf(uploaded, frame) })),
    code: codeAround(uploaded, placeOf(frames), shown.script_version),
  }
}

function codeAround(uploaded: UploadedSource, place: ErrorFrame | null, version: number) {
  if (place === null || place.line === null) return null
  const first_line = Math.max(1, place.line - LINES_AROUND)
  const lines = sourceLines(textOf(uploaded, place.file), first_line, place.line + LINES_AROUND)
  return { version, file: place.file, line: place.line, first_line, lines }
}

function lineOf(uploaded: UploadedSource, { file, line }: ErrorFrame): string | null {
  if (line === null) return null
  return sourceLines(textOf(uploaded, file), line, line)[0]?.trim() ?? null
}

function textOf({ source, files }: UploadedSource, file: string | null): string {
  return file === null || file === files?.script_path ? source : (files?.files[file] ?? '')
}

function describeCounts(counts: readonly ErrorCountRow[]) {
  const of = (dimension: ErrorCountRow['dimension']) =>
    counts.filter((count) => count.dimension === dimension)
  return {
    versions: of('version').map(({ value, occurrences }) => ({ version: Number(value), occurrences })),
    executors: of('executor').map(({ value, occurrences }) => ({ executor: value, occurrences })),
    days: of('day')
      .map(({ value, occurrences }) => ({ day: value, occurrences }))
      .sort((a, b) => (a.day < b.day ? -1 : 1)),
  }
}

function describeSample(sample: ErrorSampleRow, isUserShown: boolean) {
  const { exec, script_version, executor, runtime, user_key, kind, text, tags, reported_at } = sample
  return {
    ...{ exec, version: script_version, executor, runtime, kind, text },
    user_key: isUserShown ? user_key : null,
    frames: readFrames(sample.frames),
    tags: tags === null ? {} : (JSON.parse(tags) as Record<string, string>),
    reported_at,
  }
}
