/** All queries on the `bans` and `ban_names` tables. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { forUpdate, skipLocked } from '../../../database/engine/dialect.ts'
import { type KeysetRange, keysetOrder } from '../../../database/keyset-range.ts'
import type { BansTable } from '../../../database/schema/ban-tables.ts'

export type BanRow = Selectable<BansTable>
export type NewBan = Insertable<BansTable>
export type BanChanges = Pick<Updateable<BansTable>, 'reason' | 'expires'>
export type BanKind = BanRow['kind']

/** A project's bans with any of these names, including expired ones. */
export const listBansNamed = async (
  db: Queries,
  projectId: string,
  names: readonly string[],
): Promise<Pick<BanRow, 'reason' | 'expires'>[]> => {
  // PostgreSQL rejects an empty list after `in`.
  if (names.length === 0) return []
  return db
    .selectFrom('ban_names')
    .innerJoin('bans', 'bans.seq', 'ban_names.ban')
    .select(['bans.reason', 'bans.expires'])
    .where('ban_names.project_id', '=', projectId)
    .where('ban_names.name', 'in', names)
    .execute()
}

/** The ID of an unexpired ban in the project that has all of these names. */
export const findBanOfAll = async (
  db: Queries,
  projectId: string,
  names: readonly string[],
  now: number,
): Promise<string | undefined> => {
  const row = await db
    .selectFrom('ban_names')
    .innerJoin('bans', 'bans.seq', 'ban_names.ban')
    .select('bans.id')
    .where('ban_names.project_id', '=', projectId)
    .where('ban_names.name', 'in', names)
    .where((e) => e.or([e('bans.expires', 'is', null), e('bans.expires', '>', now)]))
    .groupBy('bans.id')
    .having((e) => e.fn.countAll<number>(), '>=', names.length)
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

export type BanPage = {
  readonly projectId: string
  readonly kind: BanKind | undefined
  readonly now: number
}

/** Omits expired bans. */
export const listBans = (
  db: Queries,
  { projectId, kind, now }: BanPage,
  { from, limit, ...place }: KeysetRange,
): Promise<BanRow[]> => {
  const { beyond, start, direction } = keysetOrder(place)
  return db
    .selectFrom('bans')
    .selectAll()
    .where('project_id', '=', projectId)
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind as BanKind))
    .where((e) => e.or([e('expires', 'is', null), e('expires', '>', now)]))
    .where('seq', beyond, start)
    .orderBy('seq', direction)
    .limit(limit)
    .offset(from)
    .execute()
}

export const findBan = (db: Queries, projectId: string, id: string): Promise<BanRow | undefined> =>
  db
    .selectFrom('bans')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirst()

export const lockBan = (tx: Queries, projectId: string, id: string): Promise<BanRow | undefined> =>
  forUpdate(
    tx.selectFrom('bans').selectAll().where('id', '=', id).where('project_id', '=', projectId),
    tx,
  ).executeTakeFirst()

export const insertBan = async (tx: Queries, ban: NewBan, names: readonly string[]): Promise<BanRow> => {
  const row = await tx.insertInto('bans').values(ban).returningAll().executeTakeFirstOrThrow()
  const { project_id } = row
  await tx
    .insertInto('ban_names')
    .values(names.map((name) => ({ project_id, name, ban: row.seq })))
    .execute()
  return row
}

export const updateBan = (tx: Queries, seq: number, changes: BanChanges): Promise<BanRow> =>
  tx.updateTable('bans').set(changes).where('seq', '=', seq).returningAll().executeTakeFirstOrThrow()

/** Returns false if the ban was already deleted. */
export const deleteBan = async (tx: Queries, projectId: string, id: string): Promise<boolean> => {
  const done = await tx
    .deleteFrom('bans')
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}

/** Deletes a project's expired bans, and returns their number. */
export const deleteEndedBansOf = async (tx: Queries, projectId: string, now: number): Promise<number> => {
  const done = await tx
    .deleteFrom('bans')
    .where('project_id', '=', projectId)
    .where('expires', '<=', now)
    .executeTakeFirst()
  return Number(done.numDeletedRows)
}

/** Up to `limit` expired bans across all projects. Skips rows that another transaction has locked. */
export const listEndedBans = (
  tx: Queries,
  now: number,
  limit: number,
): Promise<Pick<BanRow, 'seq' | 'project_id'>[]> => {
  const ended = tx
    .selectFrom('bans')
    .select(['seq', 'project_id'])
    .where('expires', '<=', now)
    .orderBy('expires')
    .limit(limit)
  return skipLocked(ended, tx).execute()
}

export const deleteBans = async (tx: Queries, seqs: readonly number[]): Promise<void> => {
  if (seqs.length > 0) await tx.deleteFrom('bans').where('seq', 'in', seqs).execute()
}

/** A ban's target as conditions on the columns of users and instances. A network is a range of digits. */
export type Banned = {
  readonly hashes: readonly string[]
  readonly chatId: string | undefined
  readonly network: { readonly first: string; readonly last: string; readonly whole: string } | undefined
}

/**
 * Number of users in a project that a ban would affect: by device, Discord account, or last execution's
 * network.
 */
export const countBannedUsers = async (
  db: Queries,
  projectId: string,
  { hashes, chatId, network }: Banned,
): Promise<number> => {
  if (hashes.length > 0) {
    const found = db
      .selectFrom('user_fingerprints')
      .select((e) => e.fn.count<number>('user_key').distinct().as('count'))
      .where('project_id', '=', projectId)
      .where('hash', 'in', hashes)
    return Number((await found.executeTakeFirstOrThrow()).count)
  }
  if (chatId !== undefined) {
    const found = db
      .selectFrom('users')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('project_id', '=', projectId)
      .where('chat_id', '=', chatId)
    return Number((await found.executeTakeFirstOrThrow()).count)
  }
  if (network === undefined) return 0
  const found = db
    .selectFrom('user_networks')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    // The stored network, a /24 or /48, may be larger than the banned one.
    .where('network', '>=', network.whole)
    .where('network', '<=', network.last)
  return Number((await found.executeTakeFirstOrThrow()).count)
}

/** A condition that is true if the ban applies to this project's instance `i`. */
export const isBannedInstance = (projectId: string, { hashes, chatId, network }: Banned) => {
  const devices = hashes.map((hash) => sql<boolean>`i.devices like ${`%${hash}%`} or i.device = ${hash}`)
  const user = sql<boolean>`i.user_key in (select users.key from users
    where users.project_id = ${projectId} and users.chat_id = ${chatId})`
  const address = sql<boolean>`i.address >= ${network?.first} and i.address <= ${network?.last}`
  const any = [
    ...devices,
    ...(chatId === undefined ? [] : [user]),
    ...(network === undefined ? [] : [address]),
  ]
  return sql<boolean>`(${sql.join(any, sql` or `)})`
}
