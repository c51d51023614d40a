/**
 * Finds users that match a filter. A statement on SQLite blocks all other requests, so each statement scans a
 * limited number of rows, and `lists.ts` iterates over the ranges.
 */

import type { UserStatus } from '@scriptward/client/user-statuses'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { dialectOf } from '../../../database/engine/dialect.ts'
import { metadataLabel, tagLabel } from '../../../database/engine/labels.ts'
import { SHORTEST_TERM, toSearchTerm } from '../../../database/engine/trigrams.ts'
import { isVisible } from '../../changes/store/visible-users.ts'
import type { StatusTimes } from '../../key-validity/quota-periods.ts'
import {
  hasStatus,
  isAmong,
  isBlacklistedNow,
  type PlanTerms,
  type SeqRange,
} from '../../key-validity/store/user-status.ts'
import type { UserRow } from './users.ts'

/** All conditions must match. An expired blacklist entry is treated as missing. */
export type UserFilter = {
  readonly key?: string
  readonly chat_id?: string
  readonly note?: string
  readonly executor?: string
  readonly fingerprint_assigned?: boolean
  /** Whether the key can expire. */
  readonly key_expires?: boolean
  readonly blacklisted?: boolean
  /** Whether there is a reason, or the exact reason to match. */
  readonly blacklist_reason?: boolean | string
  readonly blacklist_expires?: boolean
  /** Part of the key, chat ID, note, executor or blacklist reason. Case-insensitive. */
  readonly search?: string
  readonly status?: UserStatus
  readonly plan_id?: string
  readonly tag?: string
  readonly issued_by?: string
  /** A metadata field and its value, as `name=value`. */
  readonly metadata?: string
  /** Whether the key is used from more networks than the project's threshold. */
  readonly shared?: boolean
}

/**
 * The users to match, and the time at which to match them. If an issuer is set, only that issuer's users
 * match.
 */
export type Matching = StatusTimes & {
  readonly projectId: string
  readonly issuer: string | undefined
  readonly filter: UserFilter
  /** The project's plans. */
  readonly plans: readonly PlanTerms[]
  /** The `seq` of users affected by the project's bans, ascending. Set only when filtering by status. */
  readonly hit?: readonly number[]
  /** Sorts newest first, so that "after" means older. */
  readonly isNewestFirst?: boolean
  /** An additional condition on `users as u`. */
  readonly also?: Condition
}
type Condition = RawBuilder<SqlBool>

/** Up to `size` users after `after` that match the filter's most selective field. */
export type ScanRange = { readonly after: number; readonly size: number }

/** Returns the `seq` of the last user in a range, or undefined if fewer users are left. */
export const findScanEnd = async (
  db: Queries,
  matching: Matching,
  { after, size }: ScanRange,
): Promise<number | undefined> => {
  const { rows } = await sql<{
    seq: number
  }>`${candidates(matching, after)} limit 1 offset ${size - 1}`.execute(db)
  return rows[0]?.seq
}

/**
 * Returns whether the status is the only condition that narrows the search. The range then covers all users,
 * and scanning it reads only an index.
 */
export const isByStatus = ({ filter, issuer }: Matching): boolean =>
  filter.status !== undefined && mostSelective(filter, issuer) === ALL_USERS

/**
 * Returns whether the status is the only condition. If so, rows are read only for the users in the result.
 */
export const isByStatusAlone = (matching: Matching): boolean =>
  isByStatus(matching) && Object.keys(matching.filter).length === 1 && matching.also === undefined

/** Lists the first `limit` matches in a range, for filters where `isByStatus` is true. */
export const listUsersByStatus = async (
  db: Queries,
  matching: Matching,
  { after, end, limit }: SeqRange & { readonly limit: number },
): Promise<UserRow[]> => {
  const { projectId, filter } = matching
  const seq = sql<number>`u.seq`
  const found = sql`select u.seq from users as u where u.project_id = ${projectId}
    and ${isBeyond(matching, seq, after)} and ${end === undefined ? ALL_USERS : isWithin(matching, end)}
    and ${filter.status ? hasStatus(filter.status, termsOf(db, matching, { after, end })) : ALL_USERS} and ${isVisible('u')}`
  const first = sql`${found} order by ${inOrder(matching, seq)} limit ${limit}`
  const { rows } = await sql<UserRow>`select u.* from (${isByStatusAlone(matching) ? first : found}) as found
    cross join users as u where u.seq = found.seq and ${all(conditions(db, matching, { after, end }))}
    order by ${inOrder(matching, sql`found.seq`)} limit ${limit}`.execute(db)
  return rows
}

/** Limits `hit` to the users in the range, to keep the statement short. */
function termsOf(
  db: Queries,
  { now, quotaEnds, plans, hit = [], isNewestFirst }: Matching,
  stretch?: SeqRange,
) {
  if (stretch === undefined) return { now, quotaEnds, plans, isHit: isAmong(db, hit) }
  const { after, end } = stretch
  const [low, high] = isNewestFirst ? [end ?? 0, after - 1] : [after + 1, end ?? Number.MAX_SAFE_INTEGER]
  return {
    now,
    quotaEnds,
    plans,
    isHit: isAmong(
      db,
      hit.filter((seq) => seq >= low && seq <= high),
    ),
  }
}

/** Lists the first `limit` matches in a range, in order of creation. */
export const listMatchingUsers = async (
  db: Queries,
  matching: Matching,
  { after, size, limit }: ScanRange & { limit: number },
): Promise<UserRow[]> => {
  // The inner limit prevents SQLite from choosing another index and scanning all users.
  const { rows } = await sql<UserRow>`select u.* from (${candidates(matching, after)} limit ${size}) as near
    cross join users as u where u.seq = near.seq and ${all(conditions(db, matching))}
    order by ${inOrder(matching, sql`near.seq`)} limit ${limit}`.execute(db)
  return rows
}

/**
 * Returns whether at most `most` users across all projects may contain the term, so that checking each of
 * them is cheap.
 */
export const isRareTerm = async (db: Queries, term: string, most: number): Promise<boolean> => {
  if ([...term].length < SHORTEST_TERM) return false
  const { trigrams } = dialectOf(db)
  const { rows } = await sql<{ count: number }>`select count(*) as count from (
    select 1 from users_search as s where ${trigrams.matches(toSearchTerm(term))} limit ${most + 1}) as found`.execute(
    db,
  )
  return (rows[0]?.count ?? 0) <= most
}

/** Lists the first `limit` matches after a user, among the users that may contain the filter's `search`. */
export const listFoundUsers = async (
  db: Queries,
  matching: Matching,
  { after, limit }: { after: number; limit: number },
): Promise<UserRow[]> => {
  const { projectId, filter } = matching
  const { trigrams } = dialectOf(db)
  // In a cross join, SQLite joins the tables in the order of the statement.
  const { rows } = await sql<UserRow>`select u.* from users_search as s cross join users as u
    where ${trigrams.matches(toSearchTerm(filter.search ?? ''))} and ${isBeyond(matching, trigrams.seq, after)}
    and u.seq = ${trigrams.seq} and u.project_id = ${projectId} and ${all(conditions(db, matching))}
    order by ${inOrder(matching, trigrams.seq)} limit ${limit}`.execute(db)
  return rows
}

/** Selects the `seq` of the users that match the filter's most selective field or a rare search term. */
export function narrowed(db: Queries, matching: Matching, isByTerm: boolean): RawBuilder<{ seq: number }> {
  if (!isByTerm) return candidates(matching, matching.isNewestFirst ? Number.MAX_SAFE_INTEGER : 0)
  const { trigrams } = dialectOf(db)
  return sql`select ${trigrams.seq} as seq from users_search as s
    where ${trigrams.matches(toSearchTerm(matching.filter.search ?? ''))}`
}

/** A condition that selects the matches, for statements that read `users as u`. */
export const isMatch = (db: Queries, matching: Matching): Condition => all(conditions(db, matching))

function candidates(matching: Matching, after: number): RawBuilder<{ seq: number }> {
  const { projectId, issuer, filter } = matching
  const by = mostSelective(filter, issuer)
  if (by === SHARED) return candidatesInNetworks(matching, after)
  if (by === LABELED) return candidatesWithLabel(matching, after)
  return sql`select u.seq from users as u
    where u.project_id = ${projectId} and ${by} and ${isBeyond(matching, sql`u.seq`, after)}
    order by ${inOrder(matching, sql`u.seq`)}`
}

/** Selects users seen on several networks, from an index that contains only such users. */
function candidatesInNetworks(matching: Matching, after: number): RawBuilder<{ seq: number }> {
  const seq = sql`n.user_seq`
  return sql`select n.user_seq as seq from user_networks as n
    where n.project_id = ${matching.projectId} and n.networks > 1 and ${isBeyond(matching, seq, after)}
    order by ${inOrder(matching, seq)}`
}

/** Selects users from an index sorted by label and user. */
function candidatesWithLabel(matching: Matching, after: number): RawBuilder<{ seq: number }> {
  const [label] = labelsOf(matching.filter)
  const seq = sql`l.user_seq`
  return sql`select l.user_seq as seq from user_labels as l
    where l.project_id = ${matching.projectId} and l.label = ${label} and ${isBeyond(matching, seq, after)}
    order by ${inOrder(matching, seq)}`
}

/** Puts metadata first, because its values are rarer than tags. */
function labelsOf({ tag, metadata }: UserFilter): string[] {
  return [
    ...(metadata === undefined ? [] : [metadataLabel(metadata)]),
    ...(tag === undefined ? [] : [tagLabel(tag)]),
  ]
}

function isBeyond({ isNewestFirst }: Matching, seq: RawBuilder<unknown>, after: number): Condition {
  return isNewestFirst ? sql`${seq} < ${after}` : sql`${seq} > ${after}`
}

function isWithin({ isNewestFirst }: Matching, end: number): Condition {
  return isNewestFirst ? sql`u.seq >= ${end}` : sql`u.seq <= ${end}`
}

function inOrder({ isNewestFirst }: Matching, seq: RawBuilder<unknown>): RawBuilder<unknown> {
  return isNewestFirst ? sql`${seq} desc` : seq
}

/**
 * Returns the condition on the indexed field that is likely to be the most selective. The other fields are
 * checked row by row.
 */
function mostSelective(filter: UserFilter, issuer: string | undefined): Condition {
  if (filter.key !== undefined) return sql`u.key = ${filter.key}`
  if (filter.chat_id !== undefined) return sql`u.chat_id = ${filter.chat_id}`
  if (issuer !== undefined) return sql`u.issuer = ${issuer}`
  if (typeof filter.blacklist_reason === 'string') return sql`u.blacklist_reason = ${filter.blacklist_reason}`
  if (filter.note !== undefined) return sql`u.note = ${filter.note}`
  if (labelsOf(filter).length > 0) return LABELED
  if (filter.blacklisted || filter.blacklist_reason || filter.blacklist_expires) return sql`u.blacklisted = 1`
  if (filter.plan_id !== undefined) return sql`u.plan_id = ${filter.plan_id}`
  if (filter.issued_by !== undefined) return sql`u.issued_by = ${filter.issued_by}`
  if (filter.shared) return SHARED
  if (filter.status !== undefined) return ALL_USERS
  if (filter.executor !== undefined) return sql`u.executor = ${filter.executor}`
  if (filter.fingerprint_assigned !== undefined) return fingerprint(filter.fingerprint_assigned)
  if (filter.key_expires !== undefined) return expiry(filter.key_expires)
  return ALL_USERS
}

function conditions(db: Queries, matching: Matching, stretch?: SeqRange): Condition[] {
  const { issuer, filter, now } = matching
  const { key, chat_id, note, executor, fingerprint_assigned, key_expires, search } = filter
  return [
    isVisible('u'),
    equals('issuer', issuer),
    equals('plan_id', filter.plan_id),
    equals('issued_by', filter.issued_by),
    ...labelsOf(filter).map(
      (label) => sql<SqlBool>`exists (select 1 from user_labels as l
        where l.project_id = u.project_id and l.label = ${label} and l.user_seq = u.seq)`,
    ),
    ...(['key', 'chat_id', 'note', 'executor'] as const).map((name) =>
      equals(name, { key, chat_id, note, executor }[name]),
    ),
    fingerprint_assigned === undefined ? ALL_USERS : fingerprint(fingerprint_assigned),
    key_expires === undefined ? ALL_USERS : expiry(key_expires),
    ...blacklistConditions(filter, now),
    search === undefined ? ALL_USERS : holds(db, search, now),
    filter.status === undefined ? ALL_USERS : hasStatus(filter.status, termsOf(db, matching, stretch)),
    filter.shared === undefined ? ALL_USERS : when(filter.shared, SHARED),
    matching.also ?? ALL_USERS,
  ].filter((condition) => condition !== ALL_USERS)
}

function blacklistConditions(filter: UserFilter, now: number): Condition[] {
  const { blacklisted, blacklist_reason: reason, blacklist_expires } = filter
  const banned = isBlacklistedNow(now)
  return [
    blacklisted === undefined ? ALL_USERS : when(blacklisted, banned),
    typeof reason === 'boolean'
      ? when(reason, sql`(${banned} and u.blacklist_reason is not null)`)
      : ALL_USERS,
    typeof reason === 'string' ? sql`(${banned} and u.blacklist_reason = ${reason})` : ALL_USERS,
    blacklist_expires === undefined
      ? ALL_USERS
      : when(blacklist_expires, sql`(${banned} and u.blacklist_expires is not null)`),
  ]
}

/** Excludes the reason of an expired blacklist entry, because it is not shown either. */
function holds(db: Queries, term: string, now: number): Condition {
  const reason = sql<string>`case when ${isBlacklistedNow(now)} then u.blacklist_reason end`
  const columns = ['key', 'chat_id', 'note', 'executor'].map((name) => sql<string>`${sql.ref(`u.${name}`)}`)
  const texts = [...columns, reason].map((text) => sql`coalesce(${text}, '')`)
  return dialectOf(db).trigrams.holds(sql`${sql.join(texts, sql` || '\n' || `)}`, toSearchTerm(term))
}

const ALL_USERS: Condition = sql`1 = 1`
/** Marks a filter by label. The actual condition is in `conditions`. */
const LABELED: Condition = sql`2 = 2`
const SHARED: Condition = sql`exists (select 1 from user_networks as n join projects as p on p.id = n.project_id
  where n.user_seq = u.seq and p.share_threshold > 0 and n.networks > p.share_threshold)`
const fingerprint = (assigned: boolean): Condition =>
  assigned ? sql`u.fingerprint_assigned = 1` : sql`u.fingerprint_assigned = 0`
const expiry = (can: boolean): Condition =>
  can ? sql`u.key_expires is not null` : sql`u.key_expires is null`

function equals(column: string, value: string | undefined): Condition {
  return value === undefined ? ALL_USERS : sql`${sql.ref(`u.${column}`)} = ${value}`
}

function when(expected: boolean, condition: Condition): Condition {
  return expected ? condition : sql`not ${condition}`
}

function all(conditions: readonly Condition[]): Condition {
  return conditions.length === 0 ? ALL_USERS : (sql.join([...conditions], sql` and `) as Condition)
}
