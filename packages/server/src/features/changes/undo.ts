/**
 * Undoes a change in slices, one transaction each. Restored rows leave the trash, so repeating the request
 * after a crash restores the rest. Rows that were edited after the change, or whose key or Discord ID another
 * user has taken, are skipped and reported.
 */
import { setImmediate } from 'node:timers/promises'
import { Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { type Account, isExceeded, lockAccount } from '../accounts/quotas.ts'
import {
  changeUserCount,
  countCustomerUsers,
  findOwnProject,
  lockProject,
} from '../projects/store/projects.ts'
import { reviewSessions } from '../sessions/reconcile.ts'
import { addEvent } from '../webhooks/events/events.ts'
import {
  type ChangeAsker,
  describeChange,
  findChange,
  type SkippedRow,
  scopeToUndo,
  undoUntil,
} from './changes.ts'
import { withCustomerLock } from './customer-lock.ts'
import { type Restored, restoreProject, restoreSlice } from './restore.ts'
import {
  type ChangeRow,
  updateClaimedChange,
  updateReleasedChange,
  updateUndoneChange,
  updateUndoProgress,
} from './store/changes.ts'
import { deleteSlice, findFirstSlice, isTree, type Place } from './store/trash.ts'

/** An undo that has made no progress for this long belongs to a crashed process. */
const LEASE_MS = 60_000
const CLAIM_BYTES = 12
/** Maximum number of skipped items that are listed. The others are only counted. */
const MAX_SKIPPED = 1000

type UndoRefused = Refused<
  | ('already_undone' | 'undo_is_over' | 'nothing_to_restore_to' | 'expired_users_are_deleted')
  | ('max_users_reached' | 'max_projects_reached' | 'max_scripts_reached')
  | ('max_systems_reached' | 'max_checkpoints_reached')
  | ('not_found' | 'forbidden' | 'rate_limited' | 'unavailable' | 'unauthorized')
>

export async function undoChange(
  deps: Deps,
  asker: ChangeAsker,
  id: string,
): Promise<ReturnType<typeof describeChange> | UndoRefused> {
  const row = await findChange(deps, asker, id)
  if (row instanceof Refused) return row
  const needs = scopeToUndo(row)
  if (needs !== undefined && !asker.caller.scopes.has(needs)) return refuse('forbidden', { needs })
  const done = await withCustomerLock(deps, asker, () => undoWhole(deps, asker, row))
  if (done instanceof Refused) return done
  await reviewSessions(deps, { project_id: row.project_id })
  const undone = await findChange(deps, asker, id)
  return undone instanceof Refused ? undone : describeChange(deps, undone)
}

async function undoWhole(
  deps: Deps,
  asker: ChangeAsker,
  listed: ChangeRow,
): Promise<undefined | UndoRefused> {
  const row = await findChange(deps, asker, listed.id)
  if (row instanceof Refused) return row
  const refused = await refuseUndo(deps, asker, row)
  if (refused) return refused
  const undoing = { deps, asker, row, claim: deps.random(CLAIM_BYTES).toString('hex') }
  const claimed = await deps.unauditedDb.transaction((tx) =>
    updateClaimedChange(tx, row.seq, {
      claim: undoing.claim,
      now: deps.now(),
      before: deps.now() - LEASE_MS,
    }),
  )
  if (!claimed) return refuse('rate_limited', { retry_after: LEASE_MS / 1000 })
  const stopped = await undoSlices(undoing)
  if (stopped) await deps.unauditedDb.transaction((tx) => updateReleasedChange(tx, row.seq, undoing.claim))
  return stopped
}

async function refuseUndo(
  deps: Deps,
  { customer }: ChangeAsker,
  row: ChangeRow,
): Promise<undefined | UndoRefused> {
  if (row.state === 'undone') return refuse('already_undone', { undone_at: row.undone_at })
  if (undoUntil(deps, row) <= deps.now()) return refuse('undo_is_over', { undo_until: undoUntil(deps, row) })
  const project = await findOwnProject(deps.db.read, customer.id, row.project_id)
  if (project === undefined && row.action !== 'remove-project') return refuse('nothing_to_restore_to')
  const isDeletedAgain = row.action === 'delete-expired' && project?.delete_expired_users === 1
  return isDeletedAgain ? refuse('expired_users_are_deleted') : undefined
}

type Undoing = {
  readonly deps: Deps
  readonly asker: ChangeAsker
  readonly row: ChangeRow
  readonly claim: string
}
type Progress = {
  readonly restored: number
  readonly skipped: number
  readonly entries: readonly SkippedRow[]
}

async function undoSlices(undoing: Undoing): Promise<undefined | UndoRefused> {
  const { deps, row } = undoing
  const entries = JSON.parse(row.skipped_entries) as SkippedRow[]
  let progress: Progress = { restored: row.restored, skipped: row.skipped, entries }
  for (;;) {
    const slice = await findFirstSlice(deps.db.read, row.seq)
    const done: Progress | UndoRefused = await deps.db.bulk((tx) => undoSlice(tx, undoing, slice, progress))
    if (done instanceof Refused) return done
    progress = done
    deps.annotateAudit({ count: progress.restored, nouns: { project_id: row.project_id } })
    if (slice === undefined) return undefined
    await setImmediate()
  }
}

/** Returns undefined if no slice is left. */
async function undoSlice(
  tx: Queries,
  { deps, asker, row, claim }: Undoing,
  slice: number | undefined,
  before: Progress,
): Promise<Progress | UndoRefused> {
  const now = deps.now()
  if (slice === undefined) {
    await updateUndoneChange(tx, row.seq, claim, { undone_at: now, undone_by: asker.caller.actor.name })
    const data = { actor: 'owner', count: before.restored, action: row.action } as const
    await addEvent(tx, deps, { type: 'users.restored', project_id: row.project_id, data })
    return before
  }
  const place = { change: row.seq, slice, projectId: row.project_id }
  const done = await restoreAt(tx, asker, row, { place, now })
  if (done instanceof Refused) return done
  await deleteSlice(tx, place)
  const progress = {
    restored: before.restored + done.restored,
    skipped: before.skipped + done.skipped.length,
    entries: [...before.entries, ...done.skipped].slice(0, MAX_SKIPPED),
  }
  const { entries, ...counts } = progress
  const saved = { ...counts, skipped_entries: JSON.stringify(entries), touched_at: now }
  return (await updateUndoProgress(tx, row.seq, claim, saved)) ? progress : refuse('rate_limited')
}

async function restoreAt(
  tx: Queries,
  { customer }: ChangeAsker,
  row: ChangeRow,
  { place, now }: { readonly place: Place; readonly now: number },
): Promise<Restored | UndoRefused> {
  const account = await lockAccount(tx, customer.id)
  if (account instanceof Refused) return account
  // Locks the project first, so that the project can't be removed and no other transaction can use the free
  // capacity counted here.
  const isThere = (await lockProject(tx, customer.id, place.projectId)) !== null
  if (!isThere && !(isTree(place) && row.action === 'remove-project')) return refuse('nothing_to_restore_to')
  if (isTree(place)) return restoreProject(tx, account, row, place)
  const done = await restoreSlice(tx, row, place, now)
  await changeUserCount(tx, customer.id, place.projectId, done.users)
  return (await refuseUsers(tx, account, done.users)) ?? done
}

/** The service tier has a separate limit for users who earned their key through ads. */
async function refuseUsers(
  tx: Queries,
  { customer, tier }: Account,
  restored: Restored['users'],
): Promise<undefined | Refused<'max_users_reached'>> {
  const { max_users, max_ad_users } = tier
  const { fromAds } = restored
  const count = () => countCustomerUsers(tx, customer.id)
  if (restored.users > fromAds && (await isExceeded(max_users, async () => (await count()).ordinary)))
    return refuse('max_users_reached', { limit: max_users })
  if (fromAds > 0 && (await isExceeded(max_ad_users, async () => (await count()).fromAds)))
    return refuse('max_users_reached', { limit: max_ad_users })
  return undefined
}
