/**
 * Queries on the `instances` table that keep an instance alive: reading its state, advancing a heartbeat,
 * claiming a connection, and marking many as seen. Together with the single-row reads, they are the server's
 * most frequent queries.
 */
import { sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { dialectOf } from '../../../database/engine/dialect.ts'
import { prepared } from '../../../database/engine/prepared.ts'

const joined = (db: Queries) =>
  db
    .selectFrom('instances as i')
    .leftJoin('scripts as s', 's.id', 'i.script_id')
    .leftJoin('projects as p', 'p.id', 's.project_id')
    .leftJoin('customers as c', 'c.id', 'p.customer_id')
    .leftJoin('users as u', (join) =>
      join.onRef('u.key', '=', 'i.user_key').onRef('u.project_id', '=', 'i.project_id'),
    )
    .leftJoin('plans as pl', 'pl.id', 'u.plan_id')

/**
 * Columns that determine whether an instance may continue, and the user's columns that its script receives.
 */
const JUDGED = [
  ...(['i.exec', 'i.project_id', 'i.user_key', 'i.script_version', 'i.device', 'i.granted_at'] as const),
  ...([
    'i.last_seen',
    'i.expires_at',
    'i.beat_n',
    'i.variables_digest',
    'i.ws_required',
    'i.ws_seen',
    'i.kick',
  ] as const),
  ...(['s.name as script_name', 's.version', 's.enabled', 's.kick_outdated', 'c.plan_expires'] as const),
  ...(['c.blacklisted as owner_blacklisted', 'c.blacklist_expires as owner_blacklist_expires'] as const),
  ...(['u.key', 'u.key_expires', 'u.blacklisted', 'u.blacklist_expires', 'u.note', 'u.chat_id'] as const),
  ...(['u.paused_at', 'u.features', 'pl.name as plan_name', 'pl.features as plan_features'] as const),
  ...(['pl.id as plan_id', 'p.content_revision'] as const),
  ...(['pl.grace', 'pl.scripts as plan_scripts', 'i.script_id'] as const),
  ...(['pl.after_expiry', 'u.tags'] as const),
  // Metadata can be up to 8 KiB, but scripts receive only this field.
  sql<string | null>`case when u.metadata like '%"public"%' then u.metadata end`.as('metadata'),
  sql<number | null>`coalesce(u.max_instances, pl.max_instances)`.as('max_instances'),
  // Needed only to detect outdated runs.
  sql<string | null>`case when s.kick_outdated = 1 then s.staging end`.as('staging'),
  // The version that the key keeps running after it expires.
  sql<number | null>`case when pl.after_expiry = 'keep_version' then (
    select a.version from script_activations as a where a.script_id = i.script_id and a.activated_at <= u.key_expires
    order by a.activated_at desc limit 1) end`.as('kept_version'),
] as const

const instanceState = (db: Queries) =>
  joined(db)
    .leftJoin('tiers as t', 't.id', 'c.tier')
    .select(JUDGED)
    .select('t.max_calls')
    .select(['i.executor', 'i.runtime', 'i.game_user_id', 'i.place_id', 'i.job_id', 'i.address'])
    .select([
      'i.language',
      'i.secrets',
      'i.beat_keys',
      'i.beat_body',
      'i.beat_reply',
      'i.ws_epoch',
      'i.leased',
    ])
    .select(['c.id as customer_id', 'u.executions', 's.report_errors', 'i.error_reports', 'i.probe'])

const one = prepared((db, p: { exec: string }) => instanceState(db).where('i.exec', '=', p.exec))
/**
 * Finds an instance with the current state of its script, owner and user. Columns of deleted rows are null,
 * and `key` is null for a guest. There is no owner condition, because the caller proves ownership with the
 * instance's keys.
 */
export const findInstanceState = (db: Queries, exec: string) => one.first(db, { exec })
export type InstanceState = NonNullable<Awaited<ReturnType<typeof findInstanceState>>>

/** Like `findInstanceState`, for many instances in no particular order. Missing instances are omitted. */
export const listInstanceStates = async (db: Queries, execs: readonly string[]): Promise<InstanceState[]> => {
  // PostgreSQL does not accept an empty list in an `in` condition.
  if (execs.length === 0) return []
  return instanceState(db).where('i.exec', 'in', execs).execute()
}

const judged = prepared((db, p: { execs: string }) =>
  joined(db)
    .select(JUDGED)
    .where('i.exec', 'in', (e) =>
      e
        .selectFrom(
          dialectOf(db)
            .rowsFrom(p.execs, [['exec', 'text']])
            .as('wanted'),
        )
        .select(sql<string>`wanted.exec`.as('exec')),
    ),
)
/** Like `listInstanceStates`, but reads only the columns that heartbeats need. */
export const listHeartbeatRows = (db: Queries, execs: readonly string[]) =>
  judged.all(db, { execs: JSON.stringify(execs.map((exec) => [exec])) })
export type HeartbeatRow = Awaited<ReturnType<typeof listHeartbeatRows>>[number]

export type Step = {
  readonly exec: string
  /** The number of the heartbeat, which is one higher than the previous heartbeat's. */
  readonly n: number
  /** Null keeps the stored keys. */
  readonly beat_keys: Uint8Array | null
  readonly beat_body: string
  readonly beat_reply: string
  readonly variables_digest: string | null
  readonly last_seen: number
  readonly expires_at: number
}

const leased = prepared((db, p: { exec: string; leased: string }) =>
  db.updateTable('instances').set({ leased: p.leased }).where('exec', '=', p.exec),
)
/**
 * Records which keys an instance received. Must be called in the transaction of the heartbeat that delivers
 * them.
 */
export const updateLeased = async (tx: Queries, exec: string, text: string): Promise<void> => {
  await leased.count(tx, { exec, leased: text })
}

const reported = prepared((db, p: { exec: string; before: number; after: number }) =>
  db
    .updateTable('instances')
    .set({ error_reports: p.after })
    .where('exec', '=', p.exec)
    .where('error_reports', '=', p.before),
)
export type Reporting = { readonly exec: string; readonly before: number; readonly count: number }
/**
 * Counts an instance's error reports. Returns false if its count is no longer `before` or the instance was
 * deleted.
 */
export const addReports = async (tx: Queries, { exec, before, count }: Reporting): Promise<boolean> =>
  (await reported.count(tx, { exec, before, after: before + count })) > 0

const probed = prepared((db, p: { exec: string }) =>
  db.updateTable('instances').set({ probe: null }).where('exec', '=', p.exec).where('probe', 'is not', null),
)
/**
 * Records an instance's only answer about its host. Returns false if the instance has already answered, or if
 * it was deleted.
 */
export const updateProbed = async (tx: Queries, exec: string): Promise<boolean> =>
  (await probed.count(tx, { exec })) > 0

type Following = Step & { readonly former: number }
const following = (step: Step): Following => ({ ...step, former: step.n - 1 })

const stepping = (db: Queries, p: Following) =>
  db
    .updateTable('instances')
    .set((e) => ({
      beat_n: p.n,
      beat_keys: e.fn.coalesce(e.val(p.beat_keys), 'beat_keys'),
      beat_body: p.beat_body,
      beat_reply: p.beat_reply,
      variables_digest: p.variables_digest,
      last_seen: p.last_seen,
      expires_at: p.expires_at,
    }))
    .where('exec', '=', p.exec)
    .where('beat_n', '=', p.former)

const stepped = prepared(stepping)
/**
 * Returns false if a concurrent heartbeat with this number was answered first, or if the instance was
 * deleted.
 */
export const updateBeat = async (tx: Queries, step: Step): Promise<boolean> =>
  (await stepped.count(tx, following(step))) > 0

const steppedInTurn = prepared((db, p: Following) => stepping(db, p).where('kick', 'is', null))
const steppedTogether = prepared((db, p: { steps: string }) => {
  const steps = dialectOf(db).rowsFrom(p.steps, [
    ['exec', 'text'],
    ['n', 'integer'],
    ['keys', 'bytes'],
    ['body', 'text'],
    ['reply', 'text'],
    ['variables_digest', 'text'],
    ['last_seen', 'bigint'],
    ['expires_at', 'bigint'],
  ])
  return sql<{
    exec: string
  }>`update instances set beat_n = step.n, beat_keys = coalesce(step.keys, beat_keys), beat_body = step.body,
    beat_reply = step.reply, variables_digest = step.variables_digest, last_seen = step.last_seen, expires_at = step.expires_at
    from ${steps} as step where instances.exec = step.exec and instances.beat_n = step.n - 1
    and instances.kick is null returning instances.exec as exec`
})
/**
 * Advances different instances by one heartbeat, and returns those that were advanced. Skips instances that
 * have ended, or whose number was used by a concurrent heartbeat.
 */
export const updateBeats = async (tx: Queries, steps: readonly Step[]): Promise<Set<string>> => {
  const touched = await steppedInTurn.countEach(tx, steps.map(following))
  if (touched) return new Set(steps.filter((_, i) => touched[i] === 1).map(({ exec }) => exec))
  const rows = steps.map((step) => [
    ...[
      step.exec,
      step.n,
      step.beat_keys && Buffer.from(step.beat_keys).toString('hex'),
      step.beat_body,
      step.beat_reply,
    ],
    ...[step.variables_digest, step.last_seen, step.expires_at],
  ])
  const done = await steppedTogether.all(tx, { steps: JSON.stringify(rows) })
  return new Set(done.map(({ exec }) => exec))
}

export type Connecting = { readonly exec: string; readonly epoch: number; readonly now: number }

const connected = prepared((db, p: Connecting & { expires_at: number }) =>
  db
    .updateTable('instances')
    .set((e) => ({
      ws_epoch: p.epoch,
      ws_seen: p.now,
      last_seen: p.now,
      expires_at: e.fn(dialectOf(db).greatest, ['expires_at', e.val(p.expires_at)]),
    }))
    .where('exec', '=', p.exec)
    .where('ws_epoch', '<', p.epoch),
)
/** Accepts one connection per number. Returns false if the number isn't higher than all earlier ones. */
export const updateEpoch = async (tx: Queries, connecting: Connecting, lifeMs: number): Promise<boolean> =>
  (await connected.count(tx, { ...connecting, expires_at: connecting.now + lifeMs })) > 0

export type Seen = { readonly exec: string; readonly at: number }

/** Keeps instances with active sessions alive, each for `lifeMs` after its last activity. */
export const updateSeen = async (tx: Queries, seen: readonly Seen[], lifeMs: number): Promise<void> => {
  if (seen.length === 0) return
  const { rowsFrom, greatest } = dialectOf(tx)
  const rows = rowsFrom(JSON.stringify(seen.map(({ exec, at }) => [exec, at])), [
    ['exec', 'text'],
    ['at', 'bigint'],
  ])
  await sql`update instances set last_seen = seen.at, ws_seen = seen.at,
    expires_at = ${sql.raw(greatest)}(instances.expires_at, seen.at + ${lifeMs})
    from ${rows} as seen where instances.exec = seen.exec`.execute(tx)
}
