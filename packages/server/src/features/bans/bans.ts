/**
 * Bans prevent devices, networks and Discord accounts from running a project's scripts, whatever key they
 * use. Creating a ban ends the sessions that it affects. `find-ban.ts` checks executions.
 */

import { newId } from '../../api/ids.ts'
import { type ListSpec, type PageQuery, readPage } from '../../api/pagination.ts'
import { Refused, refuse, refuseMember, refuseMissing, shownId } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import { importDevice, maskHash } from '../devices/device-data.ts'
import { findUserNetwork } from '../devices/store/user-networks.ts'
import type { UserRow } from '../keys/store/users.ts'
import { changeBanCount } from '../projects/store/projects.ts'
import { findKeySubject, type ProjectSubject } from '../projects/store/subjects.ts'
import { reviewSessions } from '../sessions/reconcile.ts'
import { countBannedInstances, updateBannedKicked } from '../sessions/store/instances.ts'
import {
  type BannedNetwork,
  chatName,
  deviceName,
  formatNetwork,
  hashesOf,
  networkName,
  rangeOf,
  readBannedNetwork,
  readStoredNetwork,
} from './ban-names.ts'
import { listDeviceHashes } from './find-ban.ts'
import {
  type BanKind,
  type Banned,
  type BanRow,
  countBannedUsers,
  deleteBan,
  deleteBans,
  deleteEndedBansOf,
  findBan,
  findBanOfAll,
  insertBan,
  listBans as listBanRows,
  listEndedBans,
  lockBan,
  updateBan,
} from './store/bans.ts'

/** The target of a ban: an attribute of a user, or a given value. */
export type BanTarget = { readonly kind: BanKind; readonly user_key?: string; readonly value?: string }
/** An empty reason means no reason. The ban is permanent if `expires` is missing or 0. */
export type BanTerms = { readonly reason?: string; readonly expires?: number }
export type BanQuery = PageQuery & { readonly kind?: BanKind }
export type BanResource = ReturnType<typeof describe>

type Made = { readonly row: BanRow; readonly ended: number }
type CreateRefused = TargetRefused | Refused<'account_expired' | 'already_banned' | 'too_many_bans'>
type Named = Banned & { readonly names: readonly string[]; readonly value: string }
type TargetRefused = Refused<
  'invalid_request' | 'not_found' | 'no_device_known' | 'no_network_known' | 'no_chat_known'
>

/** Maximum number of bans per project. Each device ban has several names. */
export const MAX_BANS = 10_000
const LISTED: ListSpec<BanRow> = { name: 'ban', numberOf: ({ seq }) => seq }
const DEFAULT_PAGE = 100
const MAX_CHAT_ID = 100

export async function createBan(
  deps: Deps,
  { customer, project }: ProjectSubject,
  { reason, expires, ...target }: BanTarget & BanTerms,
): Promise<BanResource | CreateRefused> {
  const now = deps.now()
  if (isAccountExpired(customer, now)) return refuse('account_expired')
  const refused = refusePast(expires, now)
  if (refused) return refused
  const id = newId('ban', now, deps.random)
  const made = await deps.db.transaction(async (tx): Promise<Made | CreateRefused> => {
    const named = await nameTarget(deps, tx, project.id, target)
    if (named instanceof Refused) return named
    const { names, value } = named
    deps.annotateAudit({ nouns: { ban_id: id, banned: value } })
    const room = await makeRoom(tx, project.id, names, now)
    if (room instanceof Refused) return room
    const user_key = target.user_key ?? null
    const terms = storable({ reason, expires })
    const row = await insertBan(
      tx,
      { id, project_id: project.id, kind: target.kind, value, user_key, ...terms, created_at: now },
      names,
    )
    // Running executions detect that the number of bans has changed, and check again.
    return { row, ended: await updateBannedKicked(tx, project.id, named, now) }
  })
  if (made instanceof Refused) return made
  if (made.ended > 0) await reviewSessions(deps, { project_id: project.id })
  return describe(made.row)
}

/** Returns the users and sessions that a ban would affect now, and the ID of an existing ban. */
export async function previewBan(
  { db, now, secrets }: Deps,
  { project }: ProjectSubject,
  target: BanTarget,
): Promise<
  | {
      readonly value: string
      readonly users: number
      readonly running: number
      readonly ban_id: string | null
    }
  | TargetRefused
> {
  const named = await nameTarget({ secrets }, db.read, project.id, target)
  if (named instanceof Refused) return named
  const at = now()
  return {
    value: named.value,
    users: await countBannedUsers(db.read, project.id, named),
    running: await countBannedInstances(db.read, project.id, named, at),
    ban_id: (await findBanOfAll(db.read, project.id, named.names, at)) ?? null,
  }
}

/** Omits expired bans, even before a job deletes them. */
export async function listBans(
  { db, now }: Deps,
  { project }: ProjectSubject,
  { kind, ...query }: BanQuery,
): Promise<{ bans: BanResource[]; next: string | null } | Refused<'invalid_request'>> {
  const asked = { limit: DEFAULT_PAGE, order: 'newest', ...query } as const
  const page = { projectId: project.id, kind, now: now() }
  const found = await readPage(LISTED, asked, (range) => listBanRows(db.read, page, range))
  return found instanceof Refused ? found : { bans: found.rows.map(describe), next: found.next }
}

export async function getBan(
  { db, now }: Deps,
  { project }: ProjectSubject,
  id: string,
): Promise<BanResource | Refused<'not_found'>> {
  const row = await findBan(db.readPoint, project.id, id)
  return row && !hasEnded(row, now()) ? describe(row) : refuse('not_found')
}

export async function editBan(
  deps: Deps,
  { customer, project }: ProjectSubject,
  { id, ...terms }: BanTerms & { readonly id: string },
): Promise<
  BanResource | Refused<'account_expired' | 'cannot_edit_nothing' | 'invalid_request' | 'not_found'>
> {
  const now = deps.now()
  if (isAccountExpired(customer, now)) return refuse('account_expired')
  const refused = refusePast(terms.expires, now)
  if (refused) return refused
  if (Object.keys(terms).length === 0) return refuse('cannot_edit_nothing')
  return deps.db.transaction(async (tx) => {
    const row = await lockBan(tx, project.id, id)
    if (!row || hasEnded(row, now)) return refuse('not_found')
    deps.annotateAudit({ before: { reason: row.reason, expires: row.expires }, nouns: { banned: row.value } })
    const { reason, expires } = storable(terms)
    const changes = {
      ...(terms.reason === undefined ? {} : { reason }),
      ...(terms.expires === undefined ? {} : { expires }),
    }
    return describe(await updateBan(tx, row.seq, changes))
  })
}

/** Works even if the account is expired. */
export async function removeBan(
  deps: Deps,
  { project }: ProjectSubject,
  id: string,
): Promise<undefined | Refused<'not_found'>> {
  return deps.db.transaction(async (tx) => {
    // Locks the project first, as the creation of a ban does, so that the two can't deadlock.
    await changeBanCount(tx, project.id, -1)
    const row = await findBan(tx, project.id, id)
    if (row) deps.annotateAudit({ nouns: { banned: row.value } })
    return (await deleteBan(tx, project.id, id)) ? undefined : refuse('not_found')
  })
}

/** Deletes up to `limit` expired bans across all projects. Returns the number per project. */
export async function dropEndedBans(tx: Queries, now: number, limit: number): Promise<Map<string, number>> {
  const rows = await listEndedBans(tx, now, limit)
  const byProject = Map.groupBy(rows, ({ project_id }) => project_id)
  const counts = new Map([...byProject].map(([id, { length }]) => [id, length] as const))
  await deleteBans(
    tx,
    rows.map(({ seq }) => seq),
  )
  for (const [id, count] of counts) await changeBanCount(tx, id, -count)
  return counts
}

function describe({ id, kind, value, user_key, reason, expires, created_at }: BanRow) {
  return { id, kind, value, user_key, reason, expires, created_at }
}

/**
 * Locks the project's row, which executions update last, and deletes expired bans. Rejects duplicates, and
 * bans beyond the limit.
 */
async function makeRoom(
  tx: Queries,
  projectId: string,
  names: readonly string[],
  now: number,
): Promise<undefined | Refused<'not_found' | 'already_banned' | 'too_many_bans'>> {
  const count = await changeBanCount(tx, projectId, 1)
  if (count === undefined) return refuse('not_found')
  const ended = await deleteEndedBansOf(tx, projectId, now)
  if (ended > 0) await changeBanCount(tx, projectId, -ended)
  const ban_id = await findBanOfAll(tx, projectId, names, now)
  if (ban_id !== undefined) return refuse('already_banned', { ban_id })
  return count - ended > MAX_BANS ? refuse('too_many_bans', { limit: MAX_BANS }) : undefined
}

async function nameTarget(
  deps: Pick<Deps, 'secrets'>,
  db: Queries,
  projectId: string,
  { kind, user_key, value }: BanTarget,
): Promise<Named | TargetRefused> {
  if ((user_key === undefined) === (value === undefined))
    return refuseMember('value', 'or user_key is required, but not both')
  if (value !== undefined) return nameValue(deps, projectId, kind, value)
  const subject = await findKeySubject(db, projectId, user_key ?? '')
  return subject === undefined
    ? refuseMissing(`User ${shownId(user_key)} does not exist in this project`)
    : nameOfUser(db, kind, subject.user)
}

function nameValue(
  { secrets }: Pick<Deps, 'secrets'>,
  projectId: string,
  kind: BanKind,
  value: string,
): Named | Refused<'invalid_request'> {
  const text = value.trim()
  if (text === '') return refuseMember('value', 'must not be empty')
  if (kind === 'chat')
    return text.length > MAX_CHAT_ID
      ? refuseMember('value', `must be a chat account ID of at most ${MAX_CHAT_ID} characters`)
      : nameChat(text)
  if (kind === 'device')
    return nameDevices(hashesOf(importDevice(secrets.fingerprintPepper, projectId, text)))
  const network = readBannedNetwork(text)
  return typeof network === 'string' ? refuseMember('value', network) : nameNetwork(network)
}

async function nameOfUser(db: Queries, kind: BanKind, user: UserRow): Promise<Named | TargetRefused> {
  if (kind === 'chat') return user.chat_id === null ? refuse('no_chat_known') : nameChat(user.chat_id)
  if (kind === 'device') {
    const hashes = await listDeviceHashes(db, user)
    return hashes.length === 0 ? refuse('no_device_known') : nameDevices(hashes)
  }
  const digits = await findUserNetwork(db, user.seq)
  return digits === undefined ? refuse('no_network_known') : nameNetwork(readStoredNetwork(digits))
}

function nameChat(id: string): Named {
  return { hashes: [], chatId: id, network: undefined, names: [chatName(id)], value: id }
}

function nameDevices(hashes: readonly string[]): Named {
  const [first = ''] = hashes
  return {
    hashes,
    chatId: undefined,
    network: undefined,
    names: hashes.map(deviceName),
    value: maskHash(first),
  }
}

function nameNetwork(network: BannedNetwork): Named {
  const names = [networkName(network)]
  return { hashes: [], chatId: undefined, network: rangeOf(network), names, value: formatNetwork(network) }
}

function refusePast(expires: number | undefined, now: number): Refused<'invalid_request'> | undefined {
  return expires && expires <= now
    ? refuseMember('expires', 'must be in the future, or 0 for no expiry')
    : undefined
}

function storable({ reason, expires }: { reason?: string | undefined; expires?: number | undefined }) {
  return { reason: reason?.trim() || null, expires: expires || null }
}

function hasEnded({ expires }: BanRow, now: number): boolean {
  return expires !== null && expires <= now
}
