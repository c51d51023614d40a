/**
 * Versions of a script: their source, report and test, which one is served, and which are yanked.
 * `scripts.ts` creates versions. After that, only the notes and the yanked state can change, and versions are
 * removed only with their script.
 */

import { type ListSpec, type PageQuery, readPage } from '../../api/pagination.ts'
import { Refused, refuse } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import { listServerCode } from '../functions/store.ts'
import { describeMessages } from '../messages/describe.ts'
import type { ScriptSubject } from '../projects/store/subjects.ts'
import { STABLE } from '../releases/customer-version.ts'
import {
  type OpenScript,
  openScript,
  replaceReleases,
  restage,
  serveVersion,
} from '../releases/open-releases.ts'
import { checkUsable, refuseVersion, refuseVersionAs } from '../releases/usable-versions.ts'
import { reviewSessions } from '../sessions/reconcile.ts'
import { openTest } from './build-version.ts'
import type { OptionValues } from './options.ts'
import { openFiles, type SourceFiles } from './source-files.ts'
import {
  countScriptVersions,
  findScriptVersion,
  findTestScript,
  findVersionReport,
  findYanked,
  listScriptVersions,
  updateScriptVersion,
  type VersionChanges,
  type VersionSummary,
} from './store/script-versions.ts'
import { lockScript, type ScriptRow } from './store/scripts.ts'

const LISTED: ListSpec<VersionSummary> = { name: 'version', numberOf: ({ version }) => version }

export async function listVersions(deps: Deps, script: ScriptRow, query: PageQuery) {
  const { read } = deps.db
  const found = await readPage(LISTED, query, (range) => listScriptVersions(read, script.id, range))
  if (found instanceof Refused) return found
  return {
    versions: found.rows.map((row) => describeVersion(row, script)),
    total: await countScriptVersions(read, script.id),
    next: found.next,
  }
}

/**
 * Returns the version with its unchanged obfuscation report, the code that it calls on the server, and the
 * messages that it sends to Discord channels.
 */
export async function getVersion(deps: Deps, script: ScriptRow, version: number) {
  const row = await findVersionReport(deps.db.read, script.id, version)
  if (!row) return refuseVersion(deps.db.read, script, version)
  const report = JSON.parse(row.report) as Readonly<Record<string, unknown>>
  return {
    ...describeVersion(row, script),
    report,
    server_code: await listServerCode(deps.db.read, script.id, version),
    ...(await describeMessages(deps, script, row.messages)),
  }
}

/** Returns a version without its report. */
export async function findVersion(
  deps: Deps,
  script: ScriptRow,
  version: number,
): Promise<ReturnType<typeof describeVersion> | Refused<'not_found'>> {
  const row = await findVersionReport(deps.db.read, script.id, version)
  return row ? describeVersion(row, script) : refuseVersion(deps.db.read, script, version)
}

/** Returns the author's source and the other files, exactly as uploaded. */
export type UploadedSource = { readonly source: string; readonly files: SourceFiles | null }

export async function readSource(
  deps: Deps,
  script: ScriptRow,
  version: number,
): Promise<UploadedSource | Refused<'not_found'>> {
  const row = await findScriptVersion(deps.db.read, script.id, version)
  if (!row) return refuseVersion(deps.db.read, script, version)
  const source = deps.secrets.openText('source', script.id, row.source)
  return { source, files: openFiles(deps, script.id, row.files) }
}

/** Returns the test that the version passed, or null if its author didn't provide one. */
export async function readTest(
  deps: Deps,
  script: ScriptRow,
  version: number,
): Promise<{ test_script: string | null } | Refused<'not_found'>> {
  const row = await findTestScript(deps.db.read, script.id, version)
  if (!row) return refuseVersion(deps.db.read, script, version)
  return { test_script: openTest(deps, script.id, row.test_script) }
}

/** Makes this version the active one, whether it is older or newer than the one that is currently active. */
export async function activateVersion(
  deps: Deps,
  { customer, project, script }: ScriptSubject,
  version: number,
): Promise<undefined | Refused<'account_expired' | 'not_found' | 'version_yanked'>> {
  if (isAccountExpired(customer, deps.now())) return refuse('account_expired')
  const refused = await deps.db.transaction(async (tx) => {
    if (!(await lockScript(tx, project.id, script.id))) return refuse('not_found')
    const unusable = await checkUsable(tx, script, version)
    if (unusable) return unusable
    await replaceReleases(tx, deps, script, STABLE)
    await serveVersion(tx, deps, script, { channel: STABLE, version })
    await restage(tx, script)
    return undefined
  })
  if (!refused) await reviewSessions(deps, { script_id: script.id })
  return refused
}

/**
 * Yanks a version, so that it can no longer be activated, or undoes a yank. Runs of the version continue.
 * Keys that keep this version after they expire can still run it, because their customers paid for it and get
 * no other version.
 */
export async function yankVersion(
  deps: Deps,
  { customer, project, script }: ScriptSubject,
  { version, isYanked }: { readonly version: number; readonly isYanked: boolean },
): Promise<undefined | Refused<Used | 'account_expired' | 'not_found'>> {
  if (isAccountExpired(customer, deps.now())) return refuse('account_expired')
  return deps.db.transaction(async (tx) => {
    const open = await openScript(tx, { id: script.id, project_id: project.id })
    if (!open) return refuse('not_found')
    const found = await findYanked(tx, script.id, version)
    if (!found) return refuseVersion(tx, script, version)
    const used = isYanked ? checkUnused(open, version) : undefined
    if (used) return used
    const yankedAt = isYanked ? (found.yanked_at ?? deps.now()) : null
    await updateScriptVersion(tx, script.id, version, { yanked_at: yankedAt })
    return undefined
  })
}

export type VersionEdit = {
  /** An empty string removes the notes. */
  readonly notes?: string
  readonly notes_public?: boolean
}

export async function editVersion(
  deps: Deps,
  { customer, script }: ScriptSubject,
  version: number,
  edit: VersionEdit,
): Promise<undefined | Refused<'account_expired' | 'cannot_edit_nothing' | 'not_found'>> {
  if (isAccountExpired(customer, deps.now())) return refuse('account_expired')
  const changes = changesOf(edit)
  if (Object.keys(changes).length === 0) return refuse('cannot_edit_nothing')
  return deps.db.transaction(async (tx) => {
    const before = await findVersionReport(tx, script.id, version)
    if (!before) return refuseVersion(tx, script, version)
    deps.annotateAudit({ before: { notes: before.notes, notes_public: before.notes_public === 1 } })
    await updateScriptVersion(tx, script.id, version, changes)
    return undefined
  })
}

function changesOf({ notes, notes_public: isPublic }: VersionEdit): VersionChanges {
  return {
    ...(notes === undefined ? {} : { notes: notes.trim() || null }),
    ...(isPublic === undefined ? {} : { notes_public: isPublic ? 1 : 0 }),
  }
}

type Used = 'version_active' | 'version_in_channel' | 'version_released'

/** Rejects yanking a version that customers currently get. */
function checkUnused({ script, channels, releases }: OpenScript, version: number): undefined | Refused<Used> {
  if (script.version === version) return refuseVersionAs('version_active', script, version)
  if (channels.some((one) => one.version === version))
    return refuseVersionAs('version_in_channel', script, version)
  const isReleased = releases.some((one) => one.version === version)
  return isReleased ? refuseVersionAs('version_released', script, version) : undefined
}

export function describeVersion(row: VersionSummary, script: ScriptRow) {
  return {
    version: row.version,
    active: row.version === script.version,
    preset: row.preset,
    options: JSON.parse(row.options) as OptionValues,
    created_at: row.created_at,
    source_bytes: row.source_bytes,
    protected_bytes: row.payload_size,
    duration_ms: row.duration_ms,
    author: row.author,
    notes: row.notes,
    notes_public: row.notes_public === 1,
    yanked_at: row.yanked_at,
  }
}
