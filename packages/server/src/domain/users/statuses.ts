/** The status of users who were read before, in the words of `store/tables/user-status.ts`, which counts and filters by it. */
import type { Deps } from '../../deps.ts'
import { listLockedKeys } from '../../store/tables/ad-keys.ts'
import type { UserStatus } from '../../store/tables/user-status.ts'
import type { UserRow } from '../../store/tables/users.ts'
import { isBlacklisted } from '../blacklist.ts'

export type UserOfStatus = UserRow & { readonly status: UserStatus }

/** A page of users of one project after another, with the status of each. */
export async function* withStatuses(
  deps: Deps,
  pages: AsyncIterable<readonly UserRow[]>,
): AsyncGenerator<readonly UserOfStatus[]> {
  for await (const page of pages) yield await addStatuses(deps, page)
}

export async function addStatus(deps: Deps, row: UserRow): Promise<UserOfStatus> {
  const locked = await findLocked(deps, [row])
  return { ...row, status: statusOf(row, deps.now(), locked.has(row.key)) }
}

async function addStatuses(deps: Deps, rows: readonly UserRow[]): Promise<UserOfStatus[]> {
  const locked = await findLocked(deps, rows)
  const now = deps.now()
  return rows.map((row) => ({ ...row, status: statusOf(row, now, locked.has(row.key)) }))
}

/** Only who may wait for their first use is looked for among the earned keys. */
async function findLocked({ db }: Deps, rows: readonly UserRow[]): Promise<ReadonlySet<string>> {
  const waiting = rows.filter(mayBeLocked)
  const keys = waiting.map(({ key }) => key)
  return new Set(await listLockedKeys(db.read, waiting[0]?.project_id ?? '', keys))
}

function statusOf(row: UserRow, now: number, isLocked: boolean): UserStatus {
  if (isBlacklisted(row, now)) return 'blacklisted'
  if (row.key_expires !== null && row.key_expires <= now) return 'expired'
  if (isLocked) return 'locked'
  return row.executions === 0 && row.fingerprint_assigned === 0 && row.chat_id === null ? 'unused' : 'active'
}

function mayBeLocked({ ad_system_id, executions }: UserRow): boolean {
  return ad_system_id !== null && executions === 0
}
