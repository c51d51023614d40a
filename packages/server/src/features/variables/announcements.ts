/** A project's announcements. Until they expire, customers see them when they run the project's scripts. */
import type { Announcement } from '@scriptward/client/messages'
import { newId } from '../../api/ids.ts'
import { Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import { listErrorKeys } from '../errors/store/error-details.ts'
import { isErrorOfProject } from '../errors/store/error-groups.ts'
import { lockProject, type ProjectRow } from '../projects/store/projects.ts'
import type { ProjectSubject } from '../projects/store/subjects.ts'
import { listScriptNames } from '../scripts/store/scripts.ts'
import { readScriptIds } from '../sessions/contents.ts'
import { reviewSessions } from '../sessions/reconcile.ts'
import {
  deleteAnnouncement,
  deleteEndedAnnouncements,
  insertAnnouncement,
  type ListedAnnouncement,
  listAnnouncements as listRows,
  raiseContentRevision,
} from './store.ts'

/** Maximum number of announcements per project. */
export const MAX_ANNOUNCEMENTS = 50
/** Maximum number of announcements that are limited to keys, because processes keep these keys in memory. */
export const MAX_TARGETED = 10
/** Maximum number of keys that an announcement can be limited to. */
export const MAX_ANNOUNCED_KEYS = 5000
/** Maximum total length of these keys in characters. Only unusually long keys reach this limit. */
const MAX_KEY_CHARACTERS = 400_000
/** Maximum length in characters. */
export const MAX_ANNOUNCEMENT_LENGTH = 500

export type NewAnnouncement = Omit<Announcement, 'id'> & {
  readonly scripts?: readonly string[] | undefined
  /** Limits the announcement to the keys that reported this error. */
  readonly error_id?: string | undefined
}
type Unfit = Refused<'account_expired' | 'not_found' | 'invalid_request' | 'max_announcements_reached'>

/** Lists announcements newest first, and omits expired ones. */
export async function listAnnouncements({ db, now }: Deps, { id }: ProjectRow) {
  const at = now()
  return (await listRows(db.read, id)).filter(({ until }) => until > at).map(describe)
}

/**
 * Running scripts receive the announcement immediately over their live session, or otherwise with their next
 * heartbeat.
 */
export async function createAnnouncement(
  deps: Deps,
  { customer, project }: ProjectSubject,
  { text, level, until, scripts, error_id }: NewAnnouncement,
): Promise<ReturnType<typeof describe> | Unfit> {
  const now = deps.now()
  if (isAccountExpired(customer, now)) return refuse('account_expired')
  if (text.trim() === '') return refuseMember('text', 'must not be empty')
  if (until <= now) return refuseMember('until', 'must be in the future')
  if (error_id !== undefined && scripts) return refuseMember('scripts', 'cannot be combined with error_id')
  const keys = error_id === undefined ? null : await affectedKeys(deps, project, error_id)
  if (keys instanceof Refused) return keys
  const id = newId('ann', now, deps.random)
  const made = await deps.db.transaction(async (tx) => {
    if (!(await lockProject(tx, customer.id, project.id))) return refuse('not_found')
    const known = new Set((await listScriptNames(tx, customer.id, project.id)).map((script) => script.id))
    const unknown = scripts?.findIndex((one) => !known.has(one)) ?? -1
    if (unknown >= 0) return refuseMember(`scripts.${unknown}`, 'must be the ID of a script in this project')
    await deleteEndedAnnouncements(tx, project.id, now)
    const rows = await listRows(tx, project.id)
    if (rows.length >= MAX_ANNOUNCEMENTS)
      return refuse('max_announcements_reached', { limit: MAX_ANNOUNCEMENTS })
    if (keys && rows.filter(({ users }) => users !== null).length >= MAX_TARGETED)
      return refuse('max_announcements_reached', { limit: MAX_TARGETED })
    const row = {
      id,
      project_id: project.id,
      text: text.trim(),
      level,
      until,
      scripts: scripts ? JSON.stringify([...new Set(scripts)]) : null,
      users: keys === null ? null : keys.length,
      created_at: now,
    }
    await insertAnnouncement(tx, { ...row, keys: keys && JSON.stringify(keys) })
    await raiseContentRevision(tx, project.id)
    deps.annotateAudit({ nouns: { announcement_id: id } })
    return describe(row)
  })
  if (!(made instanceof Refused)) await reviewSessions(deps, { project_id: project.id })
  return made
}

/**
 * Lists the existing keys that reported an error, newest first. The caller needs no permission to read users,
 * because the response contains only the number of keys, which is already shown as `customers` of the error.
 */
async function affectedKeys(
  { db }: Deps,
  { id }: ProjectRow,
  errorId: string,
): Promise<string[] | Refused<'invalid_request'>> {
  if (!(await isErrorOfProject(db.read, id, errorId)))
    return refuseMember('error_id', "must be the ID of an error in one of this project's scripts")
  const keys = await listErrorKeys(db.read, { id: errorId, project_id: id }, MAX_ANNOUNCED_KEYS)
  if (keys.length === 0)
    return refuseMember('error_id', 'must be an error that at least one key has reported')
  let characters = 0
  const end = keys.findIndex(({ length }) => {
    characters += length
    return characters > MAX_KEY_CHARACTERS
  })
  return end < 0 ? keys : keys.slice(0, end)
}

/** Even expired accounts may remove announcements. */
export async function removeAnnouncement(
  deps: Deps,
  { customer, project }: ProjectSubject,
  id: string,
): Promise<undefined | Refused<'not_found'>> {
  const refused = await deps.db.transaction(async (tx) => {
    if (!(await lockProject(tx, customer.id, project.id))) return refuse('not_found')
    if (!(await deleteAnnouncement(tx, project.id, id))) return refuse('not_found')
    await raiseContentRevision(tx, project.id)
    return undefined
  })
  if (!refused) await reviewSessions(deps, { project_id: project.id })
  return refused
}

function describe({ id, text, level, until, scripts, users, created_at }: Omit<ListedAnnouncement, 'seq'>) {
  return { id, text, level, until, scripts: readScriptIds(scripts), users, created_at }
}
