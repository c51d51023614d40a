/** Channels of a script: which version each channel has, and which keys get it. */
import { type Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import { findPlan } from '../plans/store.ts'
import type { ScriptSubject } from '../projects/store/subjects.ts'
import { reviewSessions } from '../sessions/reconcile.ts'
import { STABLE } from './customer-version.ts'
import { openScript, replaceReleases, restage } from './open-releases.ts'
import {
  type ChannelRow,
  deleteChannel,
  listChannels as listChannelRows,
  upsertChannel,
} from './store/channels.ts'
import { checkUsable } from './usable-versions.ts'

export type ChannelDraft = {
  readonly version?: number
  readonly tags?: readonly string[]
  readonly plans?: readonly string[]
}

/** Maximum number of channels per script. Every execution reads all of them when it starts. */
const MAX_CHANNELS = 10

type NotSet = Refused<'account_expired' | 'not_found' | 'invalid_request' | 'version_yanked'>

export async function listChannels({ db }: Deps, { script }: ScriptSubject) {
  const rows = await listChannelRows(db.read, script.id)
  const stable = { name: STABLE, version: script.version, tags: [], plans: [] }
  return { channels: [stable, ...rows.map(describeChannel)] }
}

function describeChannel({ name, version, tags, plans }: ChannelRow) {
  return {
    ...{ name, version },
    ...{ tags: JSON.parse(tags) as string[], plans: JSON.parse(plans) as string[] },
  }
}

/**
 * Creates a channel, which gets the live version by default, or changes the given fields of an existing one.
 */
export async function setChannel(
  deps: Deps,
  { customer, project, script }: ScriptSubject,
  name: string,
  draft: ChannelDraft,
): Promise<undefined | NotSet> {
  if (isAccountExpired(customer, deps.now())) return refuse('account_expired')
  if (name === STABLE) return refuseMember('channel', IS_STABLE)
  const unknown = await findUnknownPlan(deps, { project, script }, name, draft)
  if (unknown !== undefined)
    return refuseMember('plans', `must be IDs of plans in this project. ${unknown} is not one`)
  const refused = await deps.db.transaction(async (tx) => {
    const open = await openScript(tx, { id: script.id, project_id: project.id })
    if (!open) return refuse('not_found')
    const known = open.channels.find((one) => one.name === name)
    if (!known && open.channels.length >= MAX_CHANNELS) return refuseMember('channel', TOO_MANY)
    const version = draft.version ?? known?.version ?? open.script.version
    const unusable = await checkUsable(tx, open.script, version)
    if (unusable) return unusable
    if (draft.version !== undefined) await replaceReleases(tx, deps, script, name)
    deps.annotateAudit({ before: known ? describeChannel(known) : {} })
    const { tags = parse(known?.tags), plans = parse(known?.plans) } = draft
    const lists = { tags: JSON.stringify(tags), plans: JSON.stringify(plans) }
    await upsertChannel(tx, { script_id: script.id, name, version, ...lists, created_at: deps.now() })
    return restage(tx, open.script)
  })
  if (!refused) await reviewSessions(deps, { script_id: script.id })
  return refused ?? undefined
}

/**
 * A channel may keep referring to a removed plan, so that a client can send back all of the channel's fields
 * unchanged.
 */
async function findUnknownPlan(
  { db }: Deps,
  { project, script }: Pick<ScriptSubject, 'project' | 'script'>,
  name: string,
  { plans = [] }: ChannelDraft,
): Promise<string | undefined> {
  if (plans.length === 0) return undefined
  const known = (await listChannelRows(db.read, script.id)).find((one) => one.name === name)
  const added = new Set(plans).difference(new Set(parse(known?.plans)))
  for (const plan of added) if ((await findPlan(db.read, plan))?.project_id !== project.id) return plan
  return undefined
}

/** From their next start, the channel's keys get the stable channel's version. */
export async function removeChannel(
  deps: Deps,
  { project, script }: ScriptSubject,
  name: string,
): Promise<undefined | NotSet> {
  if (name === STABLE) return refuseMember('channel', IS_STABLE)
  const refused = await deps.db.transaction(async (tx) => {
    const open = await openScript(tx, { id: script.id, project_id: project.id })
    if (!open || !(await deleteChannel(tx, script.id, name))) return refuse('not_found')
    await replaceReleases(tx, deps, script, name)
    return restage(tx, open.script)
  })
  if (!refused) await reviewSessions(deps, { script_id: script.id })
  return refused ?? undefined
}

const IS_STABLE = `must not be ${STABLE}, which every script has. Activate or release a version instead`
const TOO_MANY = `must be an existing channel, because the script already has ${MAX_CHANNELS}. Remove one first`

function parse(json = '[]'): readonly string[] {
  return JSON.parse(json) as readonly string[]
}
