/** All queries on the `user_networks` and `user_network_marks` tables. */
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { deleteOldest } from '../../../database/engine/delete-oldest.ts'
import { dialectOf, skipLocked } from '../../../database/engine/dialect.ts'
import type { UserNetworkMarksTable, UserNetworksTable } from '../../../database/schema/ban-tables.ts'
import type { UserRow } from '../../keys/store/users.ts'

type UserNetworkRow = Selectable<UserNetworksTable>
export type UserNetworkMark = Selectable<UserNetworkMarksTable>

export type SeenUser = Pick<UserNetworkRow, 'user_seq' | 'project_id' | 'network' | 'seen_at'>

/**
 * Records where users were seen. A null network keeps the stored one, and deleted users are skipped. Rows are
 * written in the order of the users' sequence numbers, so that two processes can't deadlock.
 */
export const saveSeenUsers = async (tx: Queries, rows: readonly SeenUser[]): Promise<void> => {
  const given = dialectOf(tx).rowsFrom(
    JSON.stringify(rows.map((row) => [row.user_seq, row.project_id, row.network, row.seen_at])),
    [
      ['user_seq', 'bigint'],
      ['project_id', 'text'],
      ['network', 'text'],
      ['seen_at', 'bigint'],
    ],
  )
  // Without this lock, a user who is being deleted would still match, and the foreign key would reject all
  // rows.
  const lock = dialectOf(tx).rowLocks ? sql`for key share` : sql``
  await sql`insert into user_networks (user_seq, project_id, network, seen_at)
    select user_seq, project_id, network, seen_at from ${given} as given
    where exists (select 1 from users where users.seq = given.user_seq ${lock})
    order by user_seq
    on conflict (user_seq) do update set
      network = coalesce(excluded.network, user_networks.network), seen_at = excluded.seen_at`.execute(tx)
}

/** Saves marks for users who have a row. A user with `most` marks of a kind gets no new ones. */
export const saveMarks = async (
  tx: Queries,
  marks: readonly UserNetworkMark[],
  most: number,
): Promise<void> => {
  if (marks.length === 0) return
  const given = dialectOf(tx).rowsFrom(
    JSON.stringify(marks.map((mark) => [mark.user_seq, mark.kind, mark.hash, mark.seen_at])),
    [
      ['user_seq', 'bigint'],
      ['kind', 'text'],
      ['hash', 'text'],
      ['seen_at', 'bigint'],
    ],
  )
  await sql`insert into user_network_marks (user_seq, kind, hash, seen_at)
    select user_seq, kind, hash, seen_at from ${given} as given
    where exists (select 1 from user_networks as n where n.user_seq = given.user_seq)
    and (select count(*) from user_network_marks as m
      where m.user_seq = given.user_seq and m.kind = given.kind and m.hash <> given.hash) < ${most}
    order by user_seq, kind, hash
    on conflict (user_seq, kind, hash) do update set seen_at = excluded.seen_at`.execute(tx)
}

/** Updates the mark counts of these users. */
export const updateNetworkCounts = async (tx: Queries, seqs: readonly number[]): Promise<void> => {
  if (seqs.length === 0) return
  const count = (kind: UserNetworkMark['kind']) =>
    sql<number>`(select count(*) from user_network_marks as m
      where m.user_seq = user_networks.user_seq and m.kind = ${kind})`
  await tx
    .updateTable('user_networks')
    .set({ networks: count('network'), refused_devices: count('device') })
    .where('user_seq', 'in', seqs)
    .execute()
}

/** A user whose key appears to be shared, with the evidence. */
export type SharedUser = Pick<UserRow, 'key' | 'chat_id' | 'note' | 'executions' | 'key_expires'> &
  Pick<UserNetworkRow, 'user_seq' | 'project_id' | 'networks' | 'refused_devices'> & {
    readonly share_threshold: number
  }

/**
 * Lists those of the given users who have too many networks and haven't been reported since `since`, in
 * projects that detect shared keys. With `isCertain`, the number of networks is ignored.
 */
export const listUnreported = async (
  tx: Queries,
  seqs: readonly number[],
  { since, isCertain }: { readonly since: number; readonly isCertain: boolean },
): Promise<SharedUser[]> => {
  // PostgreSQL rejects an empty list after `in`.
  if (seqs.length === 0) return []
  return tx
    .selectFrom('user_networks as n')
    .innerJoin('projects as p', 'p.id', 'n.project_id')
    .innerJoin('users as u', 'u.seq', 'n.user_seq')
    .select(['n.user_seq', 'n.project_id', 'n.networks', 'n.refused_devices', 'p.share_threshold'])
    .select(['u.key', 'u.chat_id', 'u.note', 'u.executions', 'u.key_expires'])
    .where('n.user_seq', 'in', seqs)
    .where('p.share_threshold', '>', 0)
    .$if(!isCertain, (query) => query.whereRef('n.networks', '>', 'p.share_threshold'))
    .where((e) => e.or([e('n.reported_at', 'is', null), e('n.reported_at', '<=', since)]))
    .orderBy('n.user_seq')
    .execute()
}

export const updateReported = async (tx: Queries, seqs: readonly number[], now: number): Promise<void> => {
  if (seqs.length === 0) return
  await tx.updateTable('user_networks').set({ reported_at: now }).where('user_seq', 'in', seqs).execute()
}

/** Returns the network of the user's last execution as hex digits, or undefined if unknown. */
export const findUserNetwork = async (db: Queries, userSeq: number): Promise<string | undefined> => {
  const row = await db
    .selectFrom('user_networks')
    .select('network')
    .where('user_seq', '=', userSeq)
    .executeTakeFirst()
  return row?.network ?? undefined
}

/**
 * Deletes up to `limit` marks seen before `before`, updates the counts, and returns the number of deleted
 * marks.
 */
export const deleteOldMarks = async (tx: Queries, before: number, limit: number): Promise<number> => {
  const oldest = tx
    .selectFrom('user_network_marks')
    .select(['user_seq', 'kind', 'hash'])
    .where('seen_at', '<', before)
    .orderBy('seen_at')
    .limit(limit)
  const rows = await skipLocked(oldest, tx).execute()
  if (rows.length === 0) return 0
  const given = dialectOf(tx).rowsFrom(
    JSON.stringify(rows.map((row) => [row.user_seq, row.kind, row.hash])),
    [
      ['user_seq', 'bigint'],
      ['kind', 'text'],
      ['hash', 'text'],
    ],
  )
  await sql`delete from user_network_marks where (user_seq, kind, hash) in
    (select user_seq, kind, hash from ${given} as given)`.execute(tx)
  await updateNetworkCounts(tx, [...new Set(rows.map((row) => row.user_seq))])
  return rows.length
}

/** Deletes up to `limit` networks of users last seen before `before`, and returns their number. */
export const deleteOldUserNetworks = (tx: Queries, before: number, limit: number): Promise<number> =>
  deleteOldest(tx, { table: 'user_networks', key: ['user_seq'], column: 'seen_at', before, limit })
