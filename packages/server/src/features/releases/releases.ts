/**
 * Releases. A version goes to a percentage of a channel's customers, which grows until all customers have the
 * version or the guard rolls the release back. `review-releases.ts` advances releases.
 */
import { setImmediate } from 'node:timers/promises'
import { newId } from '../../api/ids.ts'
import { type ListSpec, type PageQuery, readPage } from '../../api/pagination.ts'
import { type Reason, Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { ReleaseGuard } from '../../database/schema/release-tables.ts'
import type { Deps } from '../../deps.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import { countFormerCustomers } from '../health/release-counts.ts'
import type { ProjectSubject, ScriptSubject } from '../projects/store/subjects.ts'
import { listScriptNames, type ScriptRow } from '../scripts/store/scripts.ts'
import { reviewSessions } from '../sessions/reconcile.ts'
import { STABLE } from './customer-version.ts'
import { type Described, describeRelease } from './describe-release.ts'
import {
  closeRelease,
  completeRelease,
  isOver,
  type OpenScript,
  openScript,
  replaceReleases,
  report,
  restage,
  serveVersion,
} from './open-releases.ts'
import { listChannels } from './store/channels.ts'
import {
  countReleases,
  findRelease,
  insertRelease,
  listReleases as listReleaseRows,
  lockRelease,
  type ReleaseChanges,
  type ReleaseFilter,
  type ReleaseRow,
  updateRelease,
} from './store/releases.ts'
import { checkUsable } from './usable-versions.ts'

/** Options in the request. `over` is in milliseconds. */
export type ReleaseOrder = {
  readonly channel?: string
  readonly percent?: number
  readonly over?: number
  readonly guard?: ReleaseGuard
}
export type ReleaseQuery = PageQuery & { readonly state?: 'open' | 'ended' }
export type ReleaseEdit = Omit<ReleaseOrder, 'channel'>

/** The default percentages of a release. */
const RAMP = [5, 25, 100]
const DEFAULT_OVER_MS = 6 * 3_600_000
/** How long the guard watches a release after all customers have the version. */
const WATCHED_MS = 24 * 3_600_000
const SALT_BYTES = 8

const LISTED: ListSpec<ReleaseRow> = { name: 'release', numberOf: ({ seq }) => seq }

type NotReleased = Refused<'account_expired' | 'not_found' | 'invalid_request'>

export async function startRelease(
  deps: Deps,
  { customer, project, script }: ScriptSubject,
  version: number,
  order: ReleaseOrder,
): Promise<Described | NotReleased | Refused<'version_yanked'>> {
  if (isAccountExpired(customer, deps.now())) return refuse('account_expired')
  const release = await deps.db.transaction(async (tx) => {
    const open = await openScript(tx, { id: script.id, project_id: project.id })
    if (!open) return refuse('not_found')
    const unusable = await checkUsable(tx, open.script, version)
    return unusable ?? beginRelease(tx, deps, open, { version, ...order })
  })
  if (release instanceof Refused) return release
  await reviewSessions(deps, { script_id: script.id })
  return describeRelease(deps.db.read, release)
}

/**
 * Starts a release in the transaction of another change, such as an upload. Replaces the channel's open
 * release.
 */
async function beginRelease(
  tx: Queries,
  deps: Deps,
  open: OpenScript,
  order: ReleaseOrder & { readonly version: number },
): Promise<ReleaseRow | Refused<'not_found' | 'invalid_request'>> {
  const { channel = STABLE, version, guard = 'roll_back' } = order
  const before = open.versionOf(channel)
  if (before === undefined) return refuseMember('channel', noChannel(channel))
  if (before === version) return refuseMember('version', `is already the version of the ${channel} channel`)
  const replaced = open.releases.find((one) => one.channel === channel)
  if (replaced) await closeRelease(tx, deps, replaced, { state: 'replaced' })
  const now = deps.now()
  const { percent, ...ramp } = rampOf(order, now)
  const release = await insertRelease(tx, {
    id: newId('rel', now, deps.random),
    script_id: open.script.id,
    ...{ channel, version, version_before: before, percent, guard, started_at: now },
    ...ramp,
    salt: deps.random(SALT_BYTES).toString('base64url'),
  })
  if (percent === 100) await serveVersion(tx, deps, open.script, { channel, version })
  await report(tx, deps, open.script, { type: 'release.started', release })
  const started = isOver(release) ? await completeRelease(tx, deps, open.script, release) : release
  await restage(tx, open.script)
  if (percent === 100 && started.ended_at === null) await countFormerCustomers(tx, release)
  return started
}

/** Gives all customers a newly uploaded version immediately, or starts a release. */
export async function releaseVersion(
  tx: Queries,
  deps: Deps,
  script: ScriptRow,
  { version, release }: { readonly version: number; readonly release: ReleaseOrder | 'all' },
): Promise<ReleaseRow | null | Refused<'not_found' | 'invalid_request'>> {
  const open = await openScript(tx, script)
  if (!open) return refuse('not_found')
  if (release !== 'all') return beginRelease(tx, deps, open, { version, ...release })
  await replaceReleases(tx, deps, script, STABLE)
  await serveVersion(tx, deps, script, { channel: STABLE, version })
  await restage(tx, script)
  return null
}

/** Rejects a nonexistent channel before the build begins. */
export async function checkChannel(
  db: Queries,
  { id }: ScriptRow,
  release: ReleaseOrder | 'all',
): Promise<undefined | Refused<'invalid_request'>> {
  const channel = release === 'all' ? STABLE : (release.channel ?? STABLE)
  if (channel === STABLE || (await listChannels(db, id)).some(({ name }) => name === channel))
    return undefined
  return refuseMember('release.channel', noChannel(channel))
}

function noChannel(name: string): string {
  return `must be ${STABLE} or an existing channel. Create the ${name} channel first`
}

type Ramp = Pick<ReleaseRow, 'percent' | 'steps' | 'step_ms' | 'next_at'>

/**
 * A percentage alone stays in effect until it is changed. With `over`, the release passes through the default
 * percentages above the given one within that time. Without either option, it passes through all of them
 * within six hours.
 */
function rampOf({ percent: given, over }: ReleaseOrder, now: number): Ramp {
  const percent = given ?? (RAMP[0] as number)
  const isRamp = given === undefined || over !== undefined
  const steps = isRamp ? RAMP.filter((step) => step > percent) : []
  const step_ms = steps.length === 0 ? 0 : Math.ceil((over ?? DEFAULT_OVER_MS) / steps.length)
  return { percent, steps: JSON.stringify(steps), step_ms, next_at: nextAt(percent, { steps, step_ms }, now) }
}

export function nextAt(
  percent: number,
  { steps, step_ms }: { readonly steps: readonly number[]; readonly step_ms: number },
  now: number,
): number | null {
  if (percent === 100) return now + WATCHED_MS
  return steps.length === 0 ? null : now + step_ms
}

/** Changes the percentage, the ramp or the guard of a running or paused release. */
export async function editRelease(
  deps: Deps,
  subject: ScriptSubject,
  id: string,
  edit: ReleaseEdit,
): Promise<Described | NotReleased | Refused<'version_yanked'>> {
  return change(deps, subject, id, async (tx, { script }, release) => {
    const { guard = release.guard } = edit
    const isRamped = edit.percent !== undefined || edit.over !== undefined
    const ramp = isRamped ? rampOf({ percent: release.percent, ...edit }, deps.now()) : {}
    const { percent, version_before } = { ...release, ...ramp }
    if (release.percent === 100 && percent < 100) {
      const unusable = await checkUsable(tx, script, version_before)
      if (unusable) return unusable
      await serveVersion(tx, deps, script, { channel: release.channel, version: version_before })
    }
    if (release.percent < 100 && percent === 100) await serveVersion(tx, deps, script, release)
    // Turning the guard off also ends its hold, because nothing else would.
    return { guard, ...(guard === 'off' && { held: 0 }), ...ramp }
  })
}

/** Pauses the release at its current percentage. The guard stays on. */
export function pauseRelease(deps: Deps, subject: ScriptSubject, id: string) {
  return change(deps, subject, id, async () => ({ state: 'paused' }))
}

/** Turns off the guard if it has put the release on hold. Otherwise, it would do so again. */
export function continueRelease(deps: Deps, subject: ScriptSubject, id: string) {
  return change(deps, subject, id, async (_tx, _open, { percent, step_ms, held, ...release }) => {
    const steps = JSON.parse(release.steps) as readonly number[]
    const next_at = nextAt(percent, { steps, step_ms }, deps.now())
    return { state: 'running', held: 0, next_at, ...(held === 1 && { guard: 'off' }) }
  })
}

export async function rollBackRelease(
  deps: Deps,
  { project, script }: ScriptSubject,
  id: string,
): Promise<Described | Refused<'not_found' | 'invalid_request' | 'version_yanked'>> {
  const release = await deps.db.transaction(async (tx) => {
    const open = await openScript(tx, { id: script.id, project_id: project.id })
    const found = open && (await lockOpenRelease(tx, script.id, id))
    if (!open || !found) return refuse('not_found')
    if (found instanceof Refused) return found
    return rollBack(tx, deps, open, found)
  })
  if (release instanceof Refused) return release
  await reviewSessions(deps, { script_id: script.id })
  return describeRelease(deps.db.read, release)
}

/** @param finding the guard's finding, as JSON, if the guard rolls the release back */
export async function rollBack(
  tx: Queries,
  deps: Deps,
  { script }: OpenScript,
  release: ReleaseRow,
  finding?: ReleaseRow['evidence'],
): Promise<ReleaseRow | Refused<'not_found' | 'version_yanked'>> {
  const { channel, version_before: version } = release
  const unusable = await checkUsable(tx, script, version)
  if (unusable) return unusable
  if (release.percent === 100) await serveVersion(tx, deps, script, { channel, version })
  const evidence = finding ?? release.evidence
  const by = finding === undefined ? 'team' : 'guard'
  const closed = await closeRelease(tx, deps, { ...release, evidence }, { state: 'rolled_back', by })
  await restage(tx, script)
  await report(tx, deps, script, { type: 'release.rolled_back', release: closed, by })
  return closed
}

export async function listReleases(deps: Deps, { id }: { readonly id: string }, query: ReleaseQuery) {
  const found = await readReleases(deps, { scriptId: id }, query)
  if (found instanceof Refused) return found
  const releases: Described[] = []
  for (const row of found.rows) releases.push(await describeBesideOthers(deps, row))
  return { releases, total: found.total, next: found.next }
}

/** Lists the releases of all scripts of a project, each with its script. */
export async function listProjectReleases(
  deps: Deps,
  { customer, project }: ProjectSubject,
  query: ReleaseQuery,
) {
  const { read } = deps.db
  const found = await readReleases(deps, { projectId: project.id }, query)
  if (found instanceof Refused) return found
  const scripts = await listScriptNames(read, customer.id, project.id)
  const names = new Map(scripts.map(({ id, name }) => [id, name]))
  const releases: (Described & { script_id: string; script_name: string })[] = []
  for (const row of found.rows)
    releases.push({
      ...(await describeBesideOthers(deps, row)),
      script_id: row.script_id,
      script_name: names.get(row.script_id) ?? '',
    })
  return { releases, total: found.total, next: found.next }
}

/** Lets other requests run first, because counting an open release's customers may take a while. */
async function describeBesideOthers({ db }: Deps, row: ReleaseRow): Promise<Described> {
  await setImmediate()
  return describeRelease(db.read, row)
}

async function readReleases({ db }: Deps, of: ReleaseFilter['of'], { state, ...query }: ReleaseQuery) {
  const filter = { of, isOpen: state && state === 'open' }
  const found = await readPage(LISTED, { order: 'newest', ...query }, (range) =>
    listReleaseRows(db.read, filter, range),
  )
  if (found instanceof Refused) return found
  return { ...found, total: await countReleases(db.read, filter) }
}

export async function getRelease(deps: Deps, script: { readonly id: string }, id: string) {
  const row = await findRelease(deps.db.read, script.id, id)
  return row ? describeRelease(deps.db.read, row) : refuse('not_found')
}

type Change<R extends Reason> = (
  tx: Queries,
  open: OpenScript,
  release: ReleaseRow,
) => Promise<ReleaseChanges | Refused<R>>

async function change<R extends Reason = never>(
  deps: Deps,
  { customer, project, script }: ScriptSubject,
  id: string,
  decide: Change<R>,
): Promise<Described | NotReleased | Refused<R>> {
  if (isAccountExpired(customer, deps.now())) return refuse('account_expired')
  const release = await deps.db.transaction(async (tx) => {
    const open = await openScript(tx, { id: script.id, project_id: project.id })
    const found = open && (await lockOpenRelease(tx, script.id, id))
    if (!open || !found) return refuse('not_found')
    if (found instanceof Refused) return found
    const changes = await decide(tx, open, found)
    if (changes instanceof Refused) return changes
    await updateRelease(tx, id, changes)
    const changed = { ...found, ...changes } as ReleaseRow
    const kept = isOver(changed) ? await completeRelease(tx, deps, open.script, changed) : changed
    await restage(tx, open.script)
    return kept
  })
  if (release instanceof Refused) return release
  await reviewSessions(deps, { script_id: script.id })
  return describeRelease(deps.db.read, release)
}

async function lockOpenRelease(
  tx: Queries,
  scriptId: string,
  id: string,
): Promise<ReleaseRow | Refused<'not_found' | 'invalid_request'>> {
  const release = await lockRelease(tx, scriptId, id)
  if (!release) return refuse('not_found')
  if (release.ended_at === null) return release
  return refuseMember(
    'release_id',
    `is the ID of a release that has ended (${release.state}). Start a new one`,
  )
}
