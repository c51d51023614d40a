/** Code shared by all changes to a script's releases: the lock, the served version, and the events. */
import type { Queries } from '../../database/engine/db.ts'
import type { ReleaseState, RolledBackBy } from '../../database/schema/release-tables.ts'
import type { Deps } from '../../deps.ts'
import { listErrorGroups } from '../errors/store/error-groups.ts'
import { insertActivation } from '../scripts/store/script-activations.ts'
import { type ScriptRow, updateScript } from '../scripts/store/scripts.ts'
import { addEvent } from '../webhooks/events/events.ts'
import type { ReleaseEvent } from '../webhooks/events/release-events.ts'
import { STABLE, writeStaging } from './customer-version.ts'
import { type ChannelRow, listChannels, updateChannelVersion } from './store/channels.ts'
import { countReleaseCustomers, type SideCount } from './store/release-customers.ts'
import { listOpenReleases, type ReleaseRow, updateRelease } from './store/releases.ts'

/** A locked script with its channels and open releases. */
export type OpenScript = {
  readonly script: ScriptRow
  readonly channels: readonly ChannelRow[]
  readonly releases: readonly ReleaseRow[]
  /**
   * Returns a channel's version for customers outside a release, or undefined if there is no such channel.
   */
  versionOf(channel: string): number | undefined
}

/** Maximum number of error groups included in an event of a release. */
const MAX_ERRORS = 3

/** Locks the script first, so that changes to its releases happen one at a time. */
export async function openScript(
  tx: Queries,
  { id, project_id }: Pick<ScriptRow, 'id' | 'project_id'>,
): Promise<OpenScript | undefined> {
  const script = await updateScript(tx, project_id, id, { id })
  if (!script) return undefined
  const channels = await listChannels(tx, id)
  const versionOf = (name: string) =>
    name === STABLE ? script.version : channels.find((one) => one.name === name)?.version
  return { script, channels, releases: await listOpenReleases(tx, id), versionOf }
}

/** Makes this version the channel's version. */
export async function serveVersion(
  tx: Queries,
  deps: Pick<Deps, 'now'>,
  { id, project_id }: ScriptRow,
  { channel, version }: Pick<ReleaseRow, 'channel' | 'version'>,
): Promise<void> {
  if (channel !== STABLE) return updateChannelVersion(tx, { script_id: id, name: channel }, version)
  await updateScript(tx, project_id, id, { version })
  await insertActivation(tx, { script_id: id, activated_at: deps.now(), version })
}

/**
 * Stores the channels and open releases in the form that executions read. Must be called after each change.
 */
export async function restage(tx: Queries, { id, project_id }: ScriptRow): Promise<void> {
  const channels = (await listChannels(tx, id)).map(({ name, version, tags, plans }) => ({
    ...{ name, version },
    ...{ tags: JSON.parse(tags) as string[], plans: JSON.parse(plans) as string[] },
  }))
  const releases = (await listOpenReleases(tx, id)).map((row) => ({
    ...{ id: row.id, channel: row.channel, version: row.version, before: row.version_before },
    ...{ percent: row.percent, salt: row.salt, since: row.started_at },
  }))
  await updateScript(tx, project_id, id, { staging: writeStaging({ channels, releases }) })
}

/** Ends the releases of a channel whose version is set by other means. Call `restage` afterward. */
export async function replaceReleases(
  tx: Queries,
  deps: Pick<Deps, 'now'>,
  { id }: Pick<ScriptRow, 'id'>,
  channel: string,
): Promise<void> {
  for (const release of await listOpenReleases(tx, id))
    if (release.channel === channel) await closeRelease(tx, deps, release, { state: 'replaced' })
}

/** Ends a release, and keeps its customer counts until a worker deletes them. */
export async function closeRelease(
  tx: Queries,
  deps: Pick<Deps, 'now'>,
  release: ReleaseRow,
  { state, by }: { readonly state: ReleaseState; readonly by?: RolledBackBy },
): Promise<ReleaseRow> {
  const counts = totalsOf(await countReleaseCustomers(tx, release.id))
  const found = release.evidence === null ? {} : (JSON.parse(release.evidence) as object)
  const evidence = JSON.stringify({ ...found, counts, rolledBackBy: by })
  const changes = { state, ended_at: deps.now(), next_at: null, held: 0 as const, evidence }
  await updateRelease(tx, release.id, changes)
  return { ...release, ...changes }
}

/**
 * Omits the counts per executor. Anyone can run a free script under any executor name, so the number of these
 * counts is unbounded.
 */
function totalsOf(counts: readonly SideCount[]): SideCount[] {
  return ([0, 1] as const).map((fresh) => {
    const own = counts.filter((count) => count.fresh === fresh)
    const customers = own.reduce((sum, count) => sum + count.customers, 0)
    return { fresh, executor: '', customers, bad: own.reduce((sum, count) => sum + count.bad, 0) }
  })
}

/** Returns whether all customers have the version and no guard is watching it. */
export function isOver({ percent, guard }: Pick<ReleaseRow, 'percent' | 'guard'>): boolean {
  return percent === 100 && guard === 'off'
}

export async function completeRelease(
  tx: Queries,
  deps: Deps,
  script: ScriptRow,
  release: ReleaseRow,
): Promise<ReleaseRow> {
  const closed = await closeRelease(tx, deps, release, { state: 'completed' })
  await report(tx, deps, script, { type: 'release.completed', release: closed })
  return closed
}

type Reported = {
  readonly type: ReleaseEvent
  readonly release: ReleaseRow
  readonly by?: RolledBackBy
}

export async function report(
  tx: Queries,
  deps: Deps,
  { id, name, project_id }: ScriptRow,
  { type, release, by }: Reported,
): Promise<void> {
  const { channel, version, version_before, percent } = release
  const filter = { version, sort: 'customers', from: 0, limit: MAX_ERRORS } as const
  const errors = type === 'release.started' ? [] : await listErrorGroups(tx, { script_id: id }, filter)
  const data = {
    script: { id, name },
    release: { id: release.id, channel, version, version_before, percent },
    errors: errors.map((group) => ({ id: group.id, message: group.message, customers: group.customers })),
    ...(by && { rolled_back_by: by }),
  }
  await addEvent(tx, deps, { type, project_id, data })
}
