/**
 * Queries that start, count and end rows of the `instances` table. `live-instances.ts` contains the queries
 * for heartbeats and sessions.
 */
import type { KickReason } from '@scriptward/client/live-messages'
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { dialectOf, skipLocked } from '../../../database/engine/dialect.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { InstancesTable } from '../../../database/schema/tables.ts'
import { type Banned, isBannedInstance } from '../../bans/store/bans.ts'

export type InstanceRow = Selectable<InstancesTable>
/** Keys are unique only within an account. */
type UserName = { readonly project_id: string; readonly key: string }

/**
 * Maximum number of instances per statement. Both databases limit the number of parameters in a statement.
 * SQLite's limit is 32,766.
 */
const NAMED_AT_ONCE = 5000

/** Retention of ended instances. They are kept because a suspended client may come back. */
export const ENDED_RETENTION_MS = 600_000

const live = prepared((db, p: { project_id: string; user_key: string; now: number }) =>
  db
    .selectFrom('instances')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('project_id', '=', p.project_id)
    .where('user_key', '=', p.user_key)
    .where('expires_at', '>', p.now)
    .where('kick', 'is', null),
)
export const countLiveInstances = async (
  db: Queries,
  { project_id, key }: UserName,
  now: number,
): Promise<number> => (await live.first(db, { project_id, user_key: key, now }))?.count ?? 0

/** Number of a key's latest runs that are compared with each other. */
const MAX_COMPARED_RUNS = 20

/**
 * For each of these users, lists the latest live runs that have a device and were active after their grant.
 */
export const listBeatingRuns = async (db: Queries, userSeqs: readonly number[], now: number) => {
  // PostgreSQL does not accept an empty list in an `in` condition.
  if (userSeqs.length === 0) return []
  const ranked = db
    .selectFrom('instances as i')
    .innerJoin('users as u', (join) =>
      join.onRef('u.project_id', '=', 'i.project_id').onRef('u.key', '=', 'i.user_key'),
    )
    .select(['u.seq as user_seq', 'i.granted_at', 'i.last_seen'])
    .select((e) => [e.ref('i.address').$notNull().as('address'), e.ref('i.devices').$notNull().as('devices')])
    .select(sql<number>`row_number() over (partition by u.seq order by i.seq desc)`.as('place'))
    .where('u.seq', 'in', userSeqs)
    .where('i.expires_at', '>', now)
    .where('i.kick', 'is', null)
    .where('i.address', 'is not', null)
    .where('i.devices', 'is not', null)
    .whereRef('i.last_seen', '>', 'i.granted_at')
  return db.selectFrom(ranked.as('r')).selectAll().where('r.place', '<=', MAX_COMPARED_RUNS).execute()
}
export type BeatingRun = Awaited<ReturnType<typeof listBeatingRuns>>[number]

export type StartedInstance = Omit<
  InstanceRow,
  'seq' | 'beat_n' | 'beat_body' | 'beat_reply' | 'ws_epoch' | 'ws_seen' | 'leased' | 'error_reports' | 'kick'
>

const inserted = prepared((db, p: StartedInstance) =>
  db.insertInto('instances').values({
    exec: p.exec,
    project_id: p.project_id,
    script_id: p.script_id,
    user_key: p.user_key,
    device: p.device,
    script_version: p.script_version,
    executor: p.executor,
    runtime: p.runtime,
    language: p.language,
    game_user_id: p.game_user_id,
    place_id: p.place_id,
    job_id: p.job_id,
    granted_at: p.granted_at,
    last_seen: p.last_seen,
    expires_at: p.expires_at,
    secrets: p.secrets,
    beat_keys: p.beat_keys,
    variables_digest: p.variables_digest,
    ws_required: p.ws_required,
    address: p.address,
    devices: p.devices,
    probe: p.probe,
  }),
)
export const insertInstance = async (tx: Queries, row: StartedInstance): Promise<void> => {
  await inserted.count(tx, row)
}

/** Lists runs that ended before `before`, earliest first. Skips rows that another process has locked. */
export const listEndedInstances = (tx: Queries, before: number, limit: number) => {
  const ended = tx
    .selectFrom('instances')
    .select(['seq', 'exec', 'project_id', 'granted_at', 'last_seen', 'expires_at', 'kick'])
    .where('expires_at', '<=', before)
    .orderBy('expires_at')
    .limit(limit)
  return skipLocked(ended, tx).execute()
}

export const deleteInstances = async (tx: Queries, seqs: readonly number[]): Promise<void> => {
  // PostgreSQL does not accept an empty list in an `in` condition.
  if (seqs.length > 0) await tx.deleteFrom('instances').where('seq', 'in', seqs).execute()
}

const ended = prepared((db, p: { exec: string; now: number }) =>
  db
    .updateTable('instances')
    .set({
      kick: 'disconnected',
      expires_at: p.now,
      ...{ secrets: null, beat_keys: null, beat_body: null, beat_reply: null },
      ...{ variables_digest: null, leased: null, address: null, devices: null },
    })
    .where('exec', '=', p.exec),
)
/**
 * Ends an instance whose client announced the end of the run. The row is kept for as long as other ended
 * instances' rows, so that it still appears in lists of runs. Its keys are cleared, so that the client can't
 * continue the run.
 */
export const updateEnded = async (tx: Queries, exec: string, now: number): Promise<void> => {
  await ended.count(tx, { exec, now })
}

/**
 * Ends instances that have not ended yet, and returns their number. The rows are kept, so that clients get
 * the reason.
 */
export const updateKicked = async (
  tx: Queries,
  execs: readonly string[],
  reason: KickReason,
): Promise<number> => {
  let count = 0
  for (let i = 0; i < execs.length; i += NAMED_AT_ONCE) {
    const some = execs.slice(i, i + NAMED_AT_ONCE)
    const done = await kicking(tx, reason).where('exec', 'in', some).executeTakeFirst()
    count += Number(done.numUpdatedRows)
  }
  return count
}

/** Ends all instances of a user. */
export const updateUserKicked = async (
  tx: Queries,
  { project_id, key }: UserName,
  reason: KickReason,
): Promise<void> => {
  await kicking(tx, reason).where('project_id', '=', project_id).where('user_key', '=', key).execute()
}

/** Ends all instances of these users in a project. */
export const updateKickedUsers = async (
  tx: Queries,
  projectId: string,
  keys: readonly string[],
  reason: KickReason,
): Promise<void> => {
  const given = dialectOf(tx).rowsFrom(JSON.stringify(keys.map((key) => [key])), [['key', 'text']])
  await kicking(tx, reason)
    .where('project_id', '=', projectId)
    .where('user_key', 'in', sql<string>`(select given.key from ${given} as given)`)
    .execute()
}

/** Ends the instances of a project's users. Instances without a key continue. */
export const updateProjectKicked = async (
  tx: Queries,
  projectId: string,
  reason: KickReason,
): Promise<void> => {
  await kicking(tx, reason).where('project_id', '=', projectId).where('user_key', 'is not', null).execute()
}

/** Ends all instances of a project or of a script, including those without a key. */
export const updateAllKicked = async (
  tx: Queries,
  of: { readonly project_id: string } | { readonly script_id: string },
  reason: KickReason,
): Promise<void> => {
  const [[column, id]] = Object.entries(of) as [['project_id' | 'script_id', string]]
  await kicking(tx, reason).where(column, '=', id).execute()
}

/** Counts the instances in a project that a ban would end now. */
export const countBannedInstances = async (
  db: Queries,
  projectId: string,
  banned: Banned,
  now: number,
): Promise<number> => {
  const { count } = await db
    .selectFrom('instances as i')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('i.project_id', '=', projectId)
    .where('i.expires_at', '>', now)
    .where('i.kick', 'is', null)
    .where(isBannedInstance(projectId, banned))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * Ends the instances in a project that match a ban, including those of guests. Returns the number of ended
 * instances.
 */
export const updateBannedKicked = async (
  tx: Queries,
  projectId: string,
  banned: Banned,
  now: number,
): Promise<number> => {
  const done = await tx
    .updateTable('instances as i')
    .set({ kick: 'blacklisted' })
    .where('i.kick', 'is', null)
    .where('i.project_id', '=', projectId)
    // Instances that expired earlier are about to be deleted.
    .where('i.expires_at', '>', now - ENDED_RETENTION_MS)
    .where(isBannedInstance(projectId, banned))
    .executeTakeFirst()
  return Number(done.numUpdatedRows)
}

function kicking(tx: Queries, reason: KickReason) {
  return tx.updateTable('instances').set({ kick: reason }).where('kick', 'is', null)
}
