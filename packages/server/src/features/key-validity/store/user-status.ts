/**
 * The status of a user. Filters, counts and lists all use these definitions. The first status that matches
 * applies, so the counts add up.
 */
import { USER_STATUSES, type UserStatus } from '@scriptward/client/user-statuses'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { dialectOf } from '../../../database/engine/dialect.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import { USAGE_STATE } from '../../../database/engine/usage-state.ts'
import { isVisible } from '../../changes/store/visible-users.ts'
import type { PlanRow } from '../../plans/store.ts'
import type { QuotaEnds, StatusTimes } from '../quota-periods.ts'

/** The flag is a literal so that both query planners can use the partial index. */
export const isBlacklistedNow = (now: number): RawBuilder<SqlBool> =>
  sql`(u.blacklisted = 1 and (u.blacklist_expires is null or u.blacklist_expires > ${now}))`

/**
 * The plan columns that a status depends on. They are inlined in the statement, because projects have few
 * plans.
 */
export type PlanTerms = Pick<PlanRow, 'id' | 'grace' | 'quota_count' | 'quota_period'>
/**
 * `plans` are the project's plans, or `joined` if the statement joins each user's plan as `n`. `isHit` is
 * true for banned users.
 */
export type StatusTerms = StatusTimes & {
  readonly plans: readonly PlanTerms[] | 'joined'
  readonly isHit?: RawBuilder<SqlBool> | undefined
}

const isBlocked = ({ now, isHit }: StatusTerms): RawBuilder<SqlBool> =>
  isHit ? sql`(${isBlacklistedNow(now)} or ${isHit})` : isBlacklistedNow(now)

/** Returns undefined for an empty list, so that most projects use the same statement. */
export const isAmong = (db: Queries, seqs: readonly number[]): RawBuilder<SqlBool> | undefined =>
  seqs.length === 0 ? undefined : sql`u.seq in (select given.seq from ${numbersOf(db, seqs)} as given)`

const numbersOf = (db: Queries, seqs: readonly number[]): RawBuilder<unknown> =>
  dialectOf(db).rowsFrom(JSON.stringify(seqs.map((seq) => [seq])), [['seq', 'bigint']])

/**
 * Uses only columns in the `users_status` index, and avoids `case`, which takes three times as long on
 * SQLite. The `unused` and `issued` statuses together make up the unused keys in `purge` and in the account
 * totals.
 */
export const hasStatus = (status: UserStatus, terms: StatusTerms): RawBuilder<SqlBool> => {
  const { now } = terms
  const banned = isBlocked(terms)
  if (status === 'blacklisted') return banned
  if (status === 'paused') return sql`(u.paused_at is not null and not ${banned})`
  const running = sql`u.paused_at is null and not ${banned}`
  if (status === 'expired') return sql`(u.key_expires <= ${now} and not ${isInGrace(terms)} and ${running})`
  if (status === 'grace') return sql`(u.key_expires <= ${now} and ${isInGrace(terms)} and ${running})`
  return sql`(${hasUsageState(status, terms)} and (u.key_expires is null or u.key_expires > ${now}) and ${running})`
}

type UsageState = Exclude<UserStatus, 'blacklisted' | 'paused' | 'expired' | 'grace'>

const hasUsageState = (status: UsageState, terms: StatusTerms): RawBuilder<SqlBool> => {
  if (status === 'locked') return sql`u.standing = ${sql.lit(USAGE_STATE.locked)}`
  const waits = sql`(u.clock_waits = 1 or u.starts_at > ${terms.now})`
  if (status === 'not_started') return sql`(u.standing <> ${sql.lit(USAGE_STATE.locked)} and ${waits})`
  const started = sql`(u.clock_waits = 0 and (u.starts_at is null or u.starts_at <= ${terms.now}))`
  const unused = sql`(u.standing = ${sql.lit(USAGE_STATE.unused)} and ${started})`
  if (status === 'issued') return sql`(${unused} and u.issued_at is not null)`
  if (status === 'unused') return sql`(${unused} and u.issued_at is null)`
  const used = sql`(u.standing = ${sql.lit(USAGE_STATE.used)} and ${started})`
  const spent = isSpent(terms)
  return status === 'quota_spent' ? sql`(${used} and ${spent})` : sql`(${used} and not ${spent})`
}

const isInGrace = ({ now, plans }: StatusTerms): RawBuilder<SqlBool> => {
  if (plans === 'joined') return anyOf([sql`u.key_expires + n.grace > ${now}`])
  return anyOf(
    plans.flatMap(({ id, grace }) =>
      grace === 0 ? [] : [sql<SqlBool>`(u.plan_id = ${id} and u.key_expires > ${now - grace})`],
    ),
  )
}

/** As in `usesInPeriod`, only uses that were counted for the plan's current period count. */
const isSpent = ({ plans, quotaEnds }: StatusTerms): RawBuilder<SqlBool> => {
  if (plans === 'joined') {
    const { day, week, month } = quotaEnds
    return anyOf([
      sql`u.quota_until = cast(case n.quota_period when 'day' then ${day} when 'week' then ${week}
        else ${month} end as bigint) and u.quota_used >= n.quota_count`,
    ])
  }
  return anyOf(
    plans.flatMap(({ id, quota_count, quota_period }) =>
      quota_count === null || quota_period === null
        ? []
        : [
            sql<SqlBool>`(u.plan_id = ${id} and u.quota_until = ${quotaEnds[quota_period]}
              and u.quota_used >= ${quota_count})`,
          ],
    ),
  )
}

/** `coalesce` turns null into false. Otherwise, `not` of the result would also be null. */
const anyOf = (conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> =>
  conditions.length === 0
    ? sql`(1 = 0)`
    : sql`coalesce(${sql.join([...conditions], sql` or `)}, ${sql.lit(false)})`

type StatusParams = { readonly now: number } & QuotaEnds

const statusOf = ({ now, day, week, month }: StatusParams): RawBuilder<UserStatus> => {
  const terms: StatusTerms = { now, plans: 'joined', quotaEnds: { day, week, month } }
  const cases = USER_STATUSES.map(
    (status) => sql`when ${hasStatus(status, terms)} then ${sql.lit<string>(status)}`,
  )
  return sql`case ${sql.join(cases, sql` `)} end`
}

/**
 * A user's status, ignoring bans, and signs of key sharing in the last seven days: networks and denied
 * devices.
 */
export type UserState = {
  readonly seq: number
  readonly status: UserStatus
  readonly shared: number
  readonly networks: number
  readonly refused_devices: number
}

const statuses = prepared((db, p: { seqs: string } & StatusParams) => ({
  compile: () =>
    sql<UserState>`select u.seq, ${statusOf(p)} as status,
      case when p.share_threshold > 0 and w.networks > p.share_threshold then 1 else 0 end as shared,
      coalesce(w.networks, 0) as networks, coalesce(w.refused_devices, 0) as refused_devices
      from ${dialectOf(db).rowsFrom(p.seqs, [['seq', 'bigint']])} as given
      join users as u on u.seq = given.seq join projects as p on p.id = u.project_id
      left join plans as n on n.id = u.plan_id
      left join user_networks as w on w.user_seq = u.seq`.compile(db),
}))

/** Reads the current state of these users. Deleted users are omitted. */
export const listUserStates = (
  db: Queries,
  seqs: readonly number[],
  { now, quotaEnds }: StatusTimes,
): Promise<UserState[]> =>
  statuses.all(db, { seqs: JSON.stringify(seqs.map((seq) => [seq])), now, ...quotaEnds })

/** The users after `after`, up to and including `end`, or up to the last user if `end` is undefined. */
export type SeqRange = { readonly after: number; readonly end: number | undefined }
type Whose = { readonly projectId: string } & StatusTerms
export type StatusCounts = Record<UserStatus, number>

/** Returns the last of `size` users after `after`, or undefined if there are fewer. */
export const findRangeEnd = async (
  db: Queries,
  { projectId }: Pick<Whose, 'projectId'>,
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

/** Counts a range of users by status. `hit` contains the users in the range that a ban affects. */
export const countStatuses = async (
  db: Queries,
  { projectId, ...terms }: Whose,
  { after, end }: SeqRange,
  hit: readonly number[] = [],
): Promise<StatusCounts> => {
  const counts = sql.join(
    USER_STATUSES.map(
      (status) => sql`count(*) filter (where ${hasStatus(status, terms)}) as ${sql.id(status)}`,
    ),
  )
  const from = sql`from users as u where u.project_id = ${projectId} and ${isVisible('u')}`
  // Uses one statement, so that the two counts cover the same users. With a join, SQLite would compare each
  // user with each number.
  const isHit = isAmong(db, hit)
  const hits = isHit ? sql`union all select 1 as part, ${counts} ${from} and ${isHit}` : sql``
  const { rows } = await sql<StatusCounts & { part: number }>`select 0 as part, ${counts} ${from}
    and u.seq > ${after} and u.seq <= ${end ?? Number.MAX_SAFE_INTEGER} ${hits}`.execute(db)
  const [all, blocked] = [0, 1].map((part) => rows.find((row) => row.part === part))
  return blocked ? withBlocked(all as StatusCounts, blocked) : (all as StatusCounts)
}

/** `blocked` counts banned users by the status that they would have without the ban. */
function withBlocked(all: StatusCounts, blocked: StatusCounts): StatusCounts {
  const total = USER_STATUSES.reduce((sum, status) => sum + Number(blocked[status]), 0)
  const others = USER_STATUSES.map((status) => [status, Number(all[status]) - Number(blocked[status])])
  const counts = Object.fromEntries(others) as StatusCounts
  return { ...counts, blacklisted: counts.blacklisted + total }
}

/**
 * Users created between two times (both exclusive), or at one time but after a given user. The second form
 * splits users with the same creation time. Comparing both columns in one condition would cause a full scan
 * on SQLite.
 */
export type CreatedRange = { readonly projectId: string } & (
  | { readonly after: number; readonly before: number }
  | { readonly at: number; readonly afterSeq: number; readonly endSeq?: number }
)
type CreatedPlace = { readonly at: number; readonly seq: number }

/** Returns the last of `size` users in a range, or undefined if there are fewer. */
export const findCreatedEnd = async (
  db: Queries,
  range: CreatedRange,
  size: number,
): Promise<CreatedPlace | undefined> => {
  const { rows } = await sql<CreatedPlace>`select u.created_at as at, u.seq from users as u
    where ${isIn(range)} order by u.created_at, u.seq limit 1 offset ${size - 1}`.execute(db)
  return rows[0]
}

/** Counts only visible users. */
export const countCreated = async (db: Queries, range: CreatedRange): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from users as u
    where ${isIn(range)} and ${isVisible('u')}`.execute(db)
  return Number(rows[0]?.count ?? 0)
}

function isIn(range: CreatedRange): RawBuilder<SqlBool> {
  const ofProject = sql<SqlBool>`u.project_id = ${range.projectId}`
  if ('before' in range)
    return sql`${ofProject} and u.created_at > ${range.after} and u.created_at < ${range.before}`
  const { at, afterSeq, endSeq = Number.MAX_SAFE_INTEGER } = range
  return sql`${ofProject} and u.created_at = ${at} and u.seq > ${afterSeq} and u.seq <= ${endSeq}`
}
