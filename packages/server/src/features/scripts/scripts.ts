/**
 * Uploads, edits, enables, removes and lists the scripts of a project. `build-version.ts` turns a source into
 * a version.
 */

import { nextOptions } from '@scriptward/obfuscator'
import { newId } from '../../api/ids.ts'
import { type ListSpec, type Page, type PageQuery, readPage } from '../../api/pagination.ts'
import { type Reason, Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { keepObfuscation, withObfuscation } from '../accounts/obfuscation-reservations.ts'
import { type Account, isAccountExpired, isReached, lockAccount } from '../accounts/quotas.ts'
import { findTier } from '../accounts/store/tiers.ts'
import { newChange, placeOf } from '../changes/record-change.ts'
import { trashTree } from '../changes/store/trash.ts'
import { hasManyCustomers } from '../executions/store/daily-customers.ts'
import { deleteScriptOutcomes } from '../executions/store/outcomes.ts'
import { lockProject, type ProjectRow } from '../projects/store/projects.ts'
import type { ProjectSubject, ScriptSubject } from '../projects/store/subjects.ts'
import { checkChannel, type ReleaseOrder, releaseVersion } from '../releases/releases.ts'
import type { ReleaseRow } from '../releases/store/releases.ts'
import { reviewSessions } from '../sessions/reconcile.ts'
import { endSessions } from '../sessions/sessions.ts'
import { updateAllKicked } from '../sessions/store/instances.ts'
import {
  type BuildOrder,
  type BuildReason,
  buildVersion,
  openTest,
  prepareBuild,
  storeVersion,
  type VersionNotes,
} from './build-version.ts'
import { describeTargets, editsTargets, editTargets, type TargetEdit } from './hub-targets.ts'
import type { OptionValues } from './options.ts'
import { filesOf } from './source-files.ts'
import { insertActivation } from './store/script-activations.ts'
import { findNewestVersion, findTestScript } from './store/script-versions.ts'
import {
  countCustomerScripts,
  countScripts as countScriptRows,
  deleteScript,
  insertScript,
  listScripts as listScriptRows,
  lockScript,
  type NewScript,
  type ScriptChanges,
  type ScriptRow,
  updateScript as updateScriptRow,
} from './store/scripts.ts'

export type ScriptDraft = {
  readonly name: string
  readonly script: string
  readonly files?: Readonly<Record<string, string>>
  readonly script_path?: string
  readonly free_for_all?: boolean
  readonly use_heartbeat?: boolean
  readonly kick_outdated?: boolean
  readonly report_errors?: boolean
  readonly options?: OptionValues
  readonly test_script?: string
  readonly notes?: string
  readonly notes_public?: boolean
}

/**
 * By default, a new version keeps the options, the list of server functions, and the test of the previous
 * version. An empty list or test removes it.
 */
export type ScriptUpdate = Pick<
  ScriptDraft,
  'script' | 'files' | 'script_path' | 'options' | 'test_script' | 'notes' | 'notes_public'
> & {
  /**
   * `all` gives the version to all customers immediately. If omitted, the `staged_releases` setting decides.
   */
  readonly release?: ReleaseOrder | 'all'
}

/** `release` is null if all customers got the version immediately. */
export type UploadedVersion = { readonly version: number; readonly release: ReleaseRow | null }

export type ScriptEdit = TargetEdit & {
  readonly name?: string
  readonly free_for_all?: boolean
  readonly use_heartbeat?: boolean
  readonly kick_outdated?: boolean
  readonly require_sessions?: boolean
  readonly silent?: boolean
  readonly report_errors?: boolean
  readonly staged_releases?: boolean
  /** An empty string removes the message. */
  readonly disabled_message?: string
}

const LISTED: ListSpec<ScriptRow> = { name: 'script', numberOf: ({ seq }) => seq }

export async function createScript(
  deps: Deps,
  { customer, project }: ProjectSubject,
  draft: ScriptDraft,
  signal?: AbortSignal,
): Promise<string | Refused<BuildReason | 'account_expired' | 'max_scripts_reached' | 'not_found'>> {
  const now = deps.now()
  if (isAccountExpired(customer, now)) return refuse('account_expired')
  const tier = await findTier(deps.db.read, customer.tier)
  if (!tier || (await hasAllScripts(deps.db.read, { customer, tier }))) return refuse('max_scripts_reached')
  const row = newScriptRow(newId('scr', now, deps.random), project, draft, now)
  deps.annotateAudit({ nouns: { script_id: row.id } })
  const { script: source, options: values = {}, test_script: test } = draft
  const order = {
    scriptId: row.id,
    source,
    files: filesOf(draft),
    options: values,
    test: test || null,
    notes: notesOf(draft),
    signal,
  }
  const options = await prepareBuild(deps, customer, order)
  if (options instanceof Refused) return options
  return withObfuscation(deps, customer.id, async (reserved) => {
    const version = await buildVersion(deps, order, options, { customerId: customer.id, reserved })
    if (version instanceof Refused) return version
    return deps.db.transaction(async (tx) => {
      const account = await lockAccount(tx, customer.id)
      if (account instanceof Refused) return account
      if (!(await lockProject(tx, customer.id, project.id))) return refuse('not_found')
      // This is checked again at this point, because other scripts may have been created during the build.
      if (await hasAllScripts(tx, account)) return refuse('max_scripts_reached')
      await insertScript(tx, row)
      const unstored = await storeVersion(tx, deps, version, { projectId: project.id, version: row.version })
      if (unstored) return unstored
      await insertActivation(tx, { script_id: row.id, activated_at: deps.now(), version: row.version })
      return (await keepObfuscation(tx, customer.id, reserved)) ?? row.id
    })
  })
}

/** Stores a new version and releases it. */
export async function updateScript(
  deps: Deps,
  { customer, project, script }: ScriptSubject,
  update: ScriptUpdate,
  signal?: AbortSignal,
): Promise<UploadedVersion | Refused<BuildReason | 'account_expired' | 'not_found' | 'invalid_request'>> {
  if (isAccountExpired(customer, deps.now())) return refuse('account_expired')
  const release = update.release ?? (await defaultRelease(deps, script))
  const unknown = await checkChannel(deps.db.read, script, release)
  if (unknown) return unknown
  const order = { ...(await orderOf(deps, script, update)), signal }
  const options = await prepareBuild(deps, customer, order)
  if (options instanceof Refused) return options
  const uploaded = await withObfuscation(deps, customer.id, async (reserved) => {
    const version = await buildVersion(deps, order, options, { customerId: customer.id, reserved })
    if (version instanceof Refused) return version
    return deps.db.transaction(async (tx) => {
      // This must come first, because it may lock the account, and accounts are always locked before their
      // scripts.
      const unkept = await keepObfuscation(tx, customer.id, reserved)
      if (unkept) return unkept
      const locked = await updateScriptRow(tx, project.id, script.id, { id: script.id })
      if (!locked) return refuse('not_found')
      const next = (await findNewestVersion(tx, script.id)) + 1
      deps.annotateAudit({ nouns: { version: String(next) } })
      const unstored = await storeVersion(tx, deps, version, { projectId: project.id, version: next })
      if (unstored) return unstored
      await updateScriptRow(tx, project.id, script.id, { options: version.row.options })
      const released = await releaseVersion(tx, deps, script, { version: next, release })
      return released instanceof Refused ? released : { version: next, release: released }
    })
  })
  if (!(uploaded instanceof Refused)) await reviewSessions(deps, { script_id: script.id })
  return uploaded
}

/** Uploads to a script with many customers are rolled out gradually, unless the owner has turned this off. */
async function defaultRelease({ db, now }: Deps, script: ScriptRow): Promise<ReleaseOrder | 'all'> {
  if (script.staged_releases === 0) return 'all'
  return (await hasManyCustomers(db.read, script, now())) ? {} : 'all'
}

export async function editScript(
  deps: Deps,
  { customer, project, script }: ScriptSubject,
  edit: ScriptEdit,
): Promise<undefined | Refused<'account_expired' | 'cannot_edit_nothing' | 'invalid_request' | 'not_found'>> {
  if (isAccountExpired(customer, deps.now())) return refuse('account_expired')
  const changes = changesOf(edit)
  if (Object.keys(changes).length === 0 && !editsTargets(edit)) return refuse('cannot_edit_nothing')
  const subject = { customer, project, script }
  return changeScript(deps, subject, changes, async (tx) =>
    editsTargets(edit) ? editTargets(tx, deps, subject, edit) : undefined,
  )
}

export async function toggleScript(
  deps: Deps,
  { customer, project, script }: ScriptSubject,
  enabled: boolean,
): Promise<undefined | Refused<'account_expired' | 'not_found'>> {
  if (isAccountExpired(customer, deps.now())) return refuse('account_expired')
  const changes: ScriptChanges = { enabled: enabled ? 1 : 0 }
  return changeScript(deps, { project, script }, changes)
}

/** `first` runs in the same transaction. If it returns an error, nothing is changed. */
async function changeScript<R extends Reason = never>(
  deps: Deps,
  { project, script }: Pick<ScriptSubject, 'project' | 'script'>,
  changes: ScriptChanges,
  first: (tx: Queries) => Promise<undefined | Refused<R>> = async () => undefined,
): Promise<undefined | Refused<R | 'not_found'>> {
  const refused = await deps.db.transaction(async (tx) => {
    const unfit = await first(tx)
    if (unfit) return unfit
    // Setting the ID verifies that the script still exists, even if nothing else changes.
    const row = { id: script.id, ...changes }
    return (await updateScriptRow(tx, project.id, script.id, row)) ? undefined : refuse('not_found')
  })
  if (!refused) await reviewSessions(deps, { script_id: script.id })
  return refused
}

/** Removes a script. Succeeds even if the account is expired or the script has already been removed. */
export async function removeScript(
  deps: Deps,
  { customer, project, script }: ScriptSubject,
): Promise<{ readonly change_id: string | null }> {
  const details = { script_id: script.id, name: script.name }
  const change = newChange(deps, { customerId: customer.id, project }, { action: 'remove-script', details })
  const isRemoved = await deps.db.transaction(async (tx) => {
    if (!(await lockScript(tx, project.id, script.id))) return false
    const place = await placeOf(tx, change, { seq: undefined, slice: 0, keys: [], now: deps.now() })
    if (place) await trashTree(tx, place, { table: 'scripts', id: script.id })
    await updateAllKicked(tx, { script_id: script.id }, 'script_removed')
    await deleteScript(tx, project.id, script.id)
    await deleteScriptOutcomes(tx, project.id, script.id)
    return true
  })
  await endSessions(deps, { script_id: script.id }, 'script_removed')
  return { change_id: isRemoved ? change.id : null }
}

export function listScripts(
  deps: Deps,
  project: ProjectRow,
  query: PageQuery,
): Promise<Page<ScriptRow> | Refused<'invalid_request'>> {
  return readPage(LISTED, query, (range) => listScriptRows(deps.db.read, project.id, range))
}

export function countScripts(deps: Deps, project: ProjectRow): Promise<number> {
  return countScriptRows(deps.db.read, project.id)
}

export function describeScript(row: ScriptRow) {
  return {
    id: row.id,
    name: row.name,
    free_for_all: row.free_for_all === 1,
    use_heartbeat: row.use_heartbeat === 1,
    kick_outdated: row.kick_outdated === 1,
    enabled: row.enabled === 1,
    total_executions: row.total_executions,
    require_sessions: row.require_sessions === 1,
    silent: row.silent === 1,
    report_errors: row.report_errors === 1,
    staged_releases: row.staged_releases === 1,
    version: row.version,
    disabled_message: row.disabled_message,
    options: parseOptions(row.options),
  }
}

export async function describeWholeScript(deps: Deps, row: ScriptRow) {
  return { ...describeScript(row), ...(await describeTargets(deps, row.id)) }
}

function notesOf({
  notes = '',
  notes_public = false,
}: Pick<ScriptDraft, 'notes' | 'notes_public'>): VersionNotes {
  return { notes: notes.trim() || null, isPublic: notes_public }
}

async function orderOf(
  deps: Deps,
  script: ScriptRow,
  { script: source, options, test_script: test, ...members }: ScriptUpdate,
): Promise<BuildOrder> {
  const { read } = deps.db
  // The live version may be older than the previous one.
  const stored =
    test === undefined
      ? await findTestScript(read, script.id, await findNewestVersion(read, script.id))
      : undefined
  return {
    scriptId: script.id,
    source,
    files: filesOf(members),
    options: nextOptions(options, parseOptions(script.options)),
    test: (test ?? openTest(deps, script.id, stored?.test_script ?? null)) || null,
    notes: notesOf(members),
  }
}

function parseOptions(json: string): OptionValues {
  return JSON.parse(json) as OptionValues
}

function hasAllScripts(db: Queries, { customer, tier }: Account): Promise<boolean> {
  return isReached(tier.max_scripts, () => countCustomerScripts(db, customer.id))
}

function newScriptRow(id: string, project: ProjectRow, draft: ScriptDraft, now: number): NewScript {
  const { name, free_for_all = false, use_heartbeat = true, kick_outdated = false } = draft
  const { report_errors = true, options = {} } = draft
  return {
    id,
    project_id: project.id,
    name: name.trim(),
    free_for_all: free_for_all ? 1 : 0,
    use_heartbeat: use_heartbeat ? 1 : 0,
    kick_outdated: kick_outdated ? 1 : 0,
    require_sessions: 0,
    silent: 0,
    report_errors: report_errors ? 1 : 0,
    version: 1,
    options: JSON.stringify(options),
    created_at: now,
  }
}

/** Returns the given fields as columns. */
function changesOf({ name, disabled_message: message, places, games, ...flags }: ScriptEdit): ScriptChanges {
  const changes: ScriptChanges = {
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(message === undefined ? {} : { disabled_message: message.trim() || null }),
  }
  for (const [member, value] of Object.entries(flags)) changes[member as keyof typeof flags] = value ? 1 : 0
  return changes
}
