/** In which state a user is: the one place that says what the words mean. The first that fits counts, so they add up. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Queries } from '../engine/db.ts'
import { isVisible } from './user-batches.ts'

export const USER_STATUSES = ['active', 'unused', 'expired', 'blacklisted', 'locked'] as const
export type UserStatus = (typeof USER_STATUSES)[number]

/** The flag is a literal, so that both planners can use the partial index. */
export const isBanned = (now: number): RawBuilder<SqlBool> =>
  sql`(u.blacklisted = 1 and (u.blacklist_expires is null or u.blacklist_expires > ${now}))`

/** Earned by ads, and waits for its first use in the network where it was earned. */
const isLocked = sql<SqlBool>`(u.ad_system_id is not null and u.executions = 0 and exists (
  select 1 from ad_keys as k
  where k.project_id = u.project_id and k.user_key = u.key and k.locked_network is not null))`

/** As `purge` and the totals of an account understand it. */
const isUnused = sql<SqlBool>`(u.executions = 0 and u.fingerprint_assigned = 0 and u.chat_id is null)`

const statusAt = (now: number): RawBuilder<UserStatus> => sql`case
  when ${isBanned(now)} then 'blacklisted' when u.key_expires <= ${now} then 'expired'
  when ${isLocked} then 'locked' when ${isUnused} then 'unused' else 'active' end`

export const hasStatus = (status: UserStatus, now: number): RawBuilder<SqlBool> =>
  sql`${statusAt(now)} = ${status}`

/** What every user with a status has, and an index finds; the status itself is checked row by row. */
export const NARROWED: Readonly<Partial<Record<UserStatus, RawBuilder<SqlBool>>>> = {
  blacklisted: sql`u.blacklisted = 1`,
  expired: sql`u.key_expires is not null`,
  // The first execution names an executor.
  locked: sql`u.ad_system_id is not null and u.executor is null`,
  unused: sql`u.fingerprint_assigned = 0`,
}

/** Whether at most `most` keys of a project have expired. */
export const hasFewExpired = async (
  db: Queries,
  { projectId, now }: { readonly projectId: string; readonly now: number },
  most: number,
): Promise<boolean> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from (select 1 from users
    where project_id = ${projectId} and key_expires <= ${now} limit ${most + 1}) as found`.execute(db)
  return (rows[0]?.count ?? 0) <= most
}

export type StatusCount = { readonly status: UserStatus; readonly count: number }
type CountedPart = StatusCount & { readonly last: number; readonly isHidden: 0 | 1 }

/** The users of a stretch of `size` by status, and the last of them; undefined when there are no further ones. */
export const countStatuses = async (
  db: Queries,
  { projectId, now }: { readonly projectId: string; readonly now: number },
  { after, size }: { readonly after: number; readonly size: number },
): Promise<{ readonly counts: StatusCount[]; readonly end: number | undefined }> => {
  const { rows } = await sql<CountedPart>`select status, "isHidden", count(*) as count, max(seq) as last
    from (select u.seq, ${statusAt(now)} as status, case when ${isVisible('u')} then 0 else 1 end as "isHidden"
      from users as u where u.project_id = ${projectId} and u.seq > ${after} order by u.seq limit ${size}) as near
    group by status, "isHidden"`.execute(db)
  const looked = rows.reduce((sum, { count }) => sum + count, 0)
  const end = looked < size ? undefined : Math.max(...rows.map(({ last }) => last))
  return { counts: rows.filter(({ isHidden }) => isHidden === 0), end }
}
