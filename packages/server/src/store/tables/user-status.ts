/** In which state a user is: the one place that says what the words mean. The first that fits counts, so they add up. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Queries } from '../engine/db.ts'
import { STANDING } from '../engine/standing.ts'
import { isVisible } from './user-batches.ts'

export const USER_STATUSES = ['active', 'unused', 'expired', 'blacklisted', 'locked'] as const
export type UserStatus = (typeof USER_STATUSES)[number]

/** The flag is a literal, so that both planners can use the partial index. */
export const isBanned = (now: number): RawBuilder<SqlBool> =>
  sql`(u.blacklisted = 1 and (u.blacklist_expires is null or u.blacklist_expires > ${now}))`

/**
 * Only what the index `users_standing` holds, and no `case`: on SQLite that takes three times as long. Unused is as `purge` and
 * the totals of an account understand it.
 */
export const hasStatus = (status: UserStatus, now: number): RawBuilder<SqlBool> => {
  const banned = isBanned(now)
  if (status === 'blacklisted') return banned
  if (status === 'expired') return sql`(u.key_expires <= ${now} and not ${banned})`
  const standing = sql.lit(status === 'active' ? STANDING.used : STANDING[status])
  return sql`(u.standing = ${standing} and (u.key_expires is null or u.key_expires > ${now}) and not ${banned})`
}

/** As `isVisible`; where most users are of no batch, PostgreSQL takes half the time. */
export const isShown: RawBuilder<SqlBool> = sql`(u.batch is null or ${isVisible('u')})`

/** From after one user up to another, who is included; to the last without them. */
export type Stretch = { readonly after: number; readonly end: number | undefined }
type Whose = { readonly projectId: string; readonly now: number }

/** The last of `size` users after one; undefined when there are fewer. */
export const findStretchEnd = async (
  db: Queries,
  { projectId }: Whose,
  {
    after,
    size,
    isNewestFirst,
  }: { readonly after: number; readonly size: number; readonly isNewestFirst?: boolean },
): Promise<number | undefined> => {
  const row = await db
    .selectFrom('users')
    .select('seq')
    .where('project_id', '=', projectId)
    .where('seq', isNewestFirst ? '<' : '>', after)
    .orderBy('seq', isNewestFirst ? 'desc' : 'asc')
    .limit(1)
    .offset(size - 1)
    .executeTakeFirst()
  return row?.seq
}

/** The users of a stretch by status. */
export const countStatuses = async (
  db: Queries,
  { projectId, now }: Whose,
  { after, end }: Stretch,
): Promise<Record<UserStatus, number>> => {
  const counts = USER_STATUSES.map(
    (status) => sql`count(*) filter (where ${hasStatus(status, now)}) as ${sql.id(status)}`,
  )
  const { rows } = await sql<Record<UserStatus, number>>`select ${sql.join(counts)} from users as u
    where u.project_id = ${projectId} and u.seq > ${after} and u.seq <= ${end ?? Number.MAX_SAFE_INTEGER}
    and ${isShown}`.execute(db)
  return rows[0] as Record<UserStatus, number>
}

/**
 * Users of a project who were created between two times, without either; or at one time, from after a user on, so that
 * many who were created together are counted in parts too. One comparison of both columns would be a scan on SQLite.
 */
export type CreatedRange = { readonly projectId: string } & (
  | { readonly after: number; readonly before: number }
  | { readonly at: number; readonly afterSeq: number; readonly endSeq?: number }
)
type CreatedPlace = { readonly at: number; readonly seq: number }

/** The last of `size` users of a range; undefined when there are fewer. */
export const findCreatedEnd = async (
  db: Queries,
  range: CreatedRange,
  size: number,
): Promise<CreatedPlace | undefined> => {
  const { rows } = await sql<CreatedPlace>`select u.created_at as at, u.seq from users as u
    where ${isIn(range)} order by u.created_at, u.seq limit 1 offset ${size - 1}`.execute(db)
  return rows[0]
}

/** Only those who are shown. */
export const countCreated = async (db: Queries, range: CreatedRange): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from users as u
    where ${isIn(range)} and ${isShown}`.execute(db)
  return Number(rows[0]?.count ?? 0)
}

function isIn(range: CreatedRange): RawBuilder<SqlBool> {
  const ofProject = sql<SqlBool>`u.project_id = ${range.projectId}`
  if ('before' in range)
    return sql`${ofProject} and u.created_at > ${range.after} and u.created_at < ${range.before}`
  const { at, afterSeq, endSeq = Number.MAX_SAFE_INTEGER } = range
  return sql`${ofProject} and u.created_at = ${at} and u.seq > ${afterSeq} and u.seq <= ${endSeq}`
}
