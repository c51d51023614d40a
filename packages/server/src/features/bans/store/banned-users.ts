/**
 * Finds the users affected by a project's bans through their stored data: devices, Discord account, and last
 * run's network. The result is not stored, so it can't become stale.
 */
import { sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { dialectOf } from '../../../database/engine/dialect.ts'
import type { UserRow } from '../../keys/store/users.ts'
import type { BanRow } from './bans.ts'

/** Maximum number of bans per query. Each ban has several names. */
const BANS_AT_ONCE = 500

/**
 * Names of unexpired bans, for one batch of bans after the given one. `last` is undefined for the final
 * batch.
 */
export const listBanNames = async (
  db: Queries,
  projectId: string,
  { after, now }: { readonly after: number; readonly now: number },
): Promise<{ readonly names: string[]; readonly last: number | undefined }> => {
  const some = db
    .selectFrom('bans')
    .select(['seq', 'expires'])
    .where('project_id', '=', projectId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(BANS_AT_ONCE)
  const rows = await db
    .selectFrom(some.as('b'))
    .innerJoin('ban_names as n', 'n.ban', 'b.seq')
    .select(['b.seq', 'b.expires', 'n.name'])
    .execute()
  const seqs = new Set(rows.map(({ seq }) => seq))
  const lasting = rows.filter(({ expires }) => expires === null || expires > now)
  return {
    names: lasting.map(({ name }) => name),
    last: seqs.size < BANS_AT_ONCE ? undefined : Math.max(...seqs),
  }
}

/** Ban names as conditions on the columns of users. */
export type Hitting = {
  readonly hashes: readonly string[]
  readonly chatIds: readonly string[]
  /** The first and last stored network of each range. */
  readonly ranges: readonly { readonly first: string; readonly last: string }[]
}

/** Sequence numbers of the project's users that match any condition. A number may appear twice. */
export const listHitUsers = async (
  db: Queries,
  projectId: string,
  { hashes, chatIds, ranges }: Hitting,
): Promise<number[]> => {
  const found: { seq: number }[] = []
  const { rowsFrom } = dialectOf(db)
  if (hashes.length > 0) {
    const given = rowsFrom(JSON.stringify(hashes.map((hash) => [hash])), [['hash', 'text']])
    // `cross join` makes SQLite join the tables in the order of the statement.
    const { rows } = await sql<{ seq: number }>`select u.seq from ${given} as given
      cross join user_fingerprints as f cross join users as u
      where f.project_id = ${projectId} and f.hash = given.hash
      and u.project_id = f.project_id and u.key = f.user_key`.execute(db)
    found.push(...rows)
  }
  if (chatIds.length > 0) {
    const given = rowsFrom(JSON.stringify(chatIds.map((id) => [id])), [['chat_id', 'text']])
    const { rows } = await sql<{ seq: number }>`select u.seq from ${given} as given cross join users as u
      where u.project_id = ${projectId} and u.chat_id = given.chat_id`.execute(db)
    found.push(...rows)
  }
  if (ranges.length > 0) {
    const given = rowsFrom(JSON.stringify(ranges.map(({ first, last }) => [first, last])), [
      ['first', 'text'],
      ['last', 'text'],
    ])
    const { rows } = await sql<{ seq: number }>`select n.user_seq as seq from ${given} as given
      cross join user_networks as n
      where n.project_id = ${projectId} and n.network >= given.first and n.network <= given.last`.execute(db)
    found.push(...rows)
  }
  return found.map(({ seq }) => seq)
}

/** Device bans that affect these users of a project, including expired ones. */
export const listDeviceBans = async (
  db: Queries,
  projectId: string,
  keys: readonly string[],
): Promise<{ user_key: string; ban: number }[]> => {
  const { rowsFrom } = dialectOf(db)
  const given = rowsFrom(JSON.stringify(keys.map((key) => [key])), [['key', 'text']])
  const { rows } = await sql<{
    user_key: string
    ban: number
  }>`select f.user_key, n.ban from ${given} as given
    cross join user_fingerprints as f cross join ban_names as n
    where f.project_id = ${projectId} and f.user_key = given.key
    and n.project_id = f.project_id and n.name = 'd:' || f.hash`.execute(db)
  return rows
}

/** Bans with these names, including expired ones. */
export const listBansByName = async (
  db: Queries,
  projectId: string,
  names: readonly string[],
): Promise<{ name: string; ban: number }[]> => {
  const { rowsFrom } = dialectOf(db)
  const given = rowsFrom(JSON.stringify(names.map((name) => [name])), [['name', 'text']])
  const { rows } = await sql<{ name: string; ban: number }>`select n.name, n.ban from ${given} as given
    cross join ban_names as n where n.project_id = ${projectId} and n.name = given.name`.execute(db)
  return rows
}

export const listBansBySeq = async (db: Queries, seqs: readonly number[]): Promise<BanRow[]> => {
  // PostgreSQL rejects an empty list after `in`.
  if (seqs.length === 0) return []
  return db.selectFrom('bans').selectAll().where('seq', 'in', seqs).execute()
}

export type LastNetwork = { readonly user_seq: number; readonly network: string }

/** Networks of these users' last runs, if known. */
export const listLastNetworks = async (
  db: Queries,
  rows: readonly Pick<UserRow, 'seq'>[],
): Promise<LastNetwork[]> => {
  const seqs = rows.map(({ seq }) => seq)
  if (seqs.length === 0) return []
  return db
    .selectFrom('user_networks')
    .select(['user_seq', 'network'])
    .where('user_seq', 'in', seqs)
    .where('network', 'is not', null)
    .$narrowType<{ network: string }>()
    .execute()
}

/** Number of bans in a project, including expired bans. */
export const countBans = async (db: Queries, projectId: string): Promise<number> => {
  const row = await db.selectFrom('projects').select('bans').where('id', '=', projectId).executeTakeFirst()
  return row?.bans ?? 0
}
