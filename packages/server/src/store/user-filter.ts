/**
 * Users of a project that match a filter, a bounded piece at a time: a statement on SQLite holds up every other
 * request, so none of these looks at more rows than it is told to. How the pieces follow each other is in the domain.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Queries } from './db.ts'
import { dialectOf } from './dialect.ts'
import { SHORTEST_TERM, toSearchTerm } from './trigrams.ts'
import type { UserRow } from './users.ts'

/** All that is given must hold. A blacklist whose time has come counts as none. */
export type UserFilter = {
  readonly key?: string
  readonly chat_id?: string
  readonly note?: string
  readonly executor?: string
  readonly fingerprint_assigned?: boolean
  /** Whether the key can expire. */
  readonly key_expires?: boolean
  readonly blacklisted?: boolean
  /** Whether there is one, or which one. */
  readonly blacklist_reason?: boolean | string
  readonly blacklist_expires?: boolean
  /** Part of the key, chat id, note, executor or blacklist reason, in either case. */
  readonly search?: string
}

/** Whose users, and as of when. */
export type Matching = { readonly projectId: string; readonly filter: UserFilter; readonly now: number }
type Condition = RawBuilder<SqlBool>

/** The users after one of whom the filter's most selective member holds; `size` is how many of them are looked at. */
export type Stretch = { readonly after: number; readonly size: number }

/** The `seq` of the last user of a stretch; undefined when there are not so many. */
export const findStretchEnd = async (
  db: Queries,
  matching: Matching,
  { after, size }: Stretch,
): Promise<number | undefined> => {
  const { rows } = await sql<{
    seq: number
  }>`${candidates(matching, after)} limit 1 offset ${size - 1}`.execute(db)
  return rows[0]?.seq
}

/** The first `limit` matches of a stretch, in order of creation. */
export const listMatchingUsers = async (
  db: Queries,
  matching: Matching,
  { after, size, limit }: Stretch & { limit: number },
): Promise<UserRow[]> => {
  const { filter, now } = matching
  // The limit inside keeps SQLite from choosing another index, by which it would look at everybody.
  const { rows } = await sql<UserRow>`select u.* from (${candidates(matching, after)} limit ${size}) as near
    cross join users as u where u.seq = near.seq and ${all(conditions(db, filter, now))}
    order by near.seq limit ${limit}`.execute(db)
  return rows
}

/** Whether at most `most` users of all projects may contain the term, so that looking at each of them is cheap. */
export const isRareTerm = async (db: Queries, term: string, most: number): Promise<boolean> => {
  if ([...term].length < SHORTEST_TERM) return false
  const { trigrams } = dialectOf(db)
  const { rows } = await sql<{ count: number }>`select count(*) as count from (
    select 1 from users_search as s where ${trigrams.matches(toSearchTerm(term))} limit ${most + 1}) as found`.execute(
    db,
  )
  return (rows[0]?.count ?? 0) <= most
}

/** The first `limit` matches after a user, looked for among those who may contain the filter's `search`. */
export const listFoundUsers = async (
  db: Queries,
  { projectId, filter, now }: Matching,
  { after, limit }: { after: number; limit: number },
): Promise<UserRow[]> => {
  const { trigrams } = dialectOf(db)
  // SQLite takes the tables of a cross join in the order in which they stand here.
  const { rows } = await sql<UserRow>`select u.* from users_search as s cross join users as u
    where ${trigrams.matches(toSearchTerm(filter.search ?? ''))} and ${trigrams.seq} > ${after}
    and u.seq = ${trigrams.seq} and u.project_id = ${projectId} and ${all(conditions(db, filter, now))}
    order by ${trigrams.seq} limit ${limit}`.execute(db)
  return rows
}

function candidates({ projectId, filter }: Matching, after: number): RawBuilder<{ seq: number }> {
  return sql`select u.seq from users as u
    where u.project_id = ${projectId} and ${narrowest(filter)} and u.seq > ${after} order by u.seq`
}

/** The member with an index that most likely singles out the fewest; the others are looked at row by row. */
function narrowest(filter: UserFilter): Condition {
  if (filter.key !== undefined) return sql`u.key = ${filter.key}`
  if (filter.chat_id !== undefined) return sql`u.chat_id = ${filter.chat_id}`
  if (typeof filter.blacklist_reason === 'string') return sql`u.blacklist_reason = ${filter.blacklist_reason}`
  if (filter.note !== undefined) return sql`u.note = ${filter.note}`
  if (filter.blacklisted || filter.blacklist_reason || filter.blacklist_expires) return sql`u.blacklisted = 1`
  if (filter.executor !== undefined) return sql`u.executor = ${filter.executor}`
  if (filter.fingerprint_assigned !== undefined) return fingerprint(filter.fingerprint_assigned)
  return filter.key_expires === undefined ? EVERYBODY : expiry(filter.key_expires)
}

function conditions(db: Queries, filter: UserFilter, now: number): Condition[] {
  const { key, chat_id, note, executor, fingerprint_assigned, key_expires, search } = filter
  return [
    ...(['key', 'chat_id', 'note', 'executor'] as const).map((name) =>
      equals(name, { key, chat_id, note, executor }[name]),
    ),
    fingerprint_assigned === undefined ? EVERYBODY : fingerprint(fingerprint_assigned),
    key_expires === undefined ? EVERYBODY : expiry(key_expires),
    ...blacklistConditions(filter, now),
    search === undefined ? EVERYBODY : holds(db, search, now),
  ].filter((condition) => condition !== EVERYBODY)
}

function blacklistConditions(filter: UserFilter, now: number): Condition[] {
  const { blacklisted, blacklist_reason: reason, blacklist_expires } = filter
  const banned = isBanned(now)
  return [
    blacklisted === undefined ? EVERYBODY : when(blacklisted, banned),
    typeof reason === 'boolean'
      ? when(reason, sql`(${banned} and u.blacklist_reason is not null)`)
      : EVERYBODY,
    typeof reason === 'string' ? sql`(${banned} and u.blacklist_reason = ${reason})` : EVERYBODY,
    blacklist_expires === undefined
      ? EVERYBODY
      : when(blacklist_expires, sql`(${banned} and u.blacklist_expires is not null)`),
  ]
}

/** A reason that is not shown any more is not found any more. */
function holds(db: Queries, term: string, now: number): Condition {
  const reason = sql<string>`case when ${isBanned(now)} then u.blacklist_reason end`
  const columns = ['key', 'chat_id', 'note', 'executor'].map((name) => sql<string>`${sql.ref(`u.${name}`)}`)
  const texts = [...columns, reason].map((text) => sql`coalesce(${text}, '')`)
  return dialectOf(db).trigrams.holds(sql`${sql.join(texts, sql` || '\n' || `)}`, toSearchTerm(term))
}

const EVERYBODY: Condition = sql`1 = 1`
/** The flag stands in the statement itself, so that both engines see that the index of flagged rows will do. */
export const isBanned = (now: number): Condition =>
  sql`(u.blacklisted = 1 and (u.blacklist_expires is null or u.blacklist_expires > ${now}))`
const fingerprint = (assigned: boolean): Condition =>
  assigned ? sql`u.fingerprint_assigned = 1` : sql`u.fingerprint_assigned = 0`
const expiry = (can: boolean): Condition =>
  can ? sql`u.key_expires is not null` : sql`u.key_expires is null`

function equals(column: string, value: string | undefined): Condition {
  return value === undefined ? EVERYBODY : sql`${sql.ref(`u.${column}`)} = ${value}`
}

function when(expected: boolean, condition: Condition): Condition {
  return expected ? condition : sql`not ${condition}`
}

function all(conditions: readonly Condition[]): Condition {
  return conditions.length === 0 ? EVERYBODY : (sql.join([...conditions], sql` and `) as Condition)
}
