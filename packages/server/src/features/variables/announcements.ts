/** Announcements of a project, shown to every customer who runs its scripts, until they expire. */
import type { Announcement } from '@scriptward/client/messages'
import { newId } from '../../api/ids.ts'
import { Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import { lockProject, type ProjectRow } from '../projects/store/projects.ts'
import type { ProjectSubject } from '../projects/store/subjects.ts'
import { listScriptNames } from '../scripts/store/scripts.ts'
import { readScriptIds } from '../sessions/contents.ts'
import { reviewSessions } from '../sessions/reconcile.ts'
import {
  type AnnouncementRow,
  deleteAnnouncement,
  deleteEndedAnnouncements,
  insertAnnouncement,
  listAnnouncements as listRows,
  raiseContentRevision,
} from './store.ts'

/** Maximum number of announcements per project. */
export const MAX_ANNOUNCEMENTS = 50
/** Maximum length, in characters. */
export const MAX_ANNOUNCEMENT_LENGTH = 500

export type NewAnnouncement = Omit<Announcement, 'id'> & { readonly scripts?: readonly string[] | undefined }
type Unfit = Refused<'account_expired' | 'not_found' | 'invalid_request' | 'max_announcements_reached'>

/** Lists announcements newest first, without expired ones. */
export async function listAnnouncements({ db, now }: Deps, { id }: ProjectRow) {
  const at = now()
  return (await listRows(db.read, id)).filter(({ until }) => until > at).map(describe)
}

/** Running scripts get it immediately over their live session, or otherwise with their next heartbeat. */
export async function createAnnouncement(
  deps: Deps,
  { customer, project }: ProjectSubject,
  { text, level, until, scripts }: NewAnnouncement,
): Promise<ReturnType<typeof describe> | Unfit> {
  const now = deps.now()
  if (isAccountExpired(customer, now)) return refuse('account_expired')
  if (text.trim() === '') return refuseMember('text', 'must not be empty')
  if (until <= now) return refuseMember('until', 'must be in the future')
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
    const limits = scripts ? JSON.stringify([...new Set(scripts)]) : null
    const row = {
      id,
      project_id: project.id,
      text: text.trim(),
      level,
      until,
      scripts: limits,
      created_at: now,
    }
    await insertAnnouncement(tx, row)
    await raiseContentRevision(tx, project.id)
    deps.annotateAudit({ nouns: { announcement_id: id } })
    return describe(row)
  })
  if (!(made instanceof Refused)) await reviewSessions(deps, { project_id: project.id })
  return made
}

/** Expired accounts may do this too. */
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

function describe({ id, text, level, until, scripts, created_at }: Omit<AnnouncementRow, 'seq'>) {
  return { id, text, level, until, scripts: readScriptIds(scripts), created_at }
}
