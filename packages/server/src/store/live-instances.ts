/**
 * Statements of `instances` that keep one alive: how its rights stand, the step of a beat, the claim of a connection,
 * and the many that were seen. They are the hottest of the service beside the point reads.
 */
import { sql } from 'kysely'
import type { Queries } from './db.ts'
import { dialectOf } from './dialect.ts'
import { prepared } from './prepared.ts'

const standing = (db: Queries) =>
  db
    .selectFrom('instances as i')
    .leftJoin('scripts as s', 's.id', 'i.script_id')
    .leftJoin('projects as p', 'p.id', 's.project_id')
    .leftJoin('customers as c', 'c.id', 'p.customer_id')
    .leftJoin('users as u', 'u.key', 'i.user_key')
    .select(['i.exec', 'i.project_id', 'i.script_id', 'i.user_key', 'i.script_version', 'i.executor'])
    .select(['i.runtime', 'i.device', 'i.game_user_id', 'i.place_id', 'i.job_id'])
    .select(['i.granted_at', 'i.last_seen', 'i.expires_at', 'i.secrets', 'i.beat_n', 'i.beat_keys'])
    .select(['i.beat_body', 'i.beat_reply', 'i.told', 'i.ws_required', 'i.ws_epoch', 'i.ws_seen', 'i.kick'])
    .select(['s.name as script_name', 's.version', 's.enabled', 's.kick_outdated'])
    .select(['c.id as customer_id', 'c.plan_expires'])
    .select(['c.blacklisted as owner_blacklisted', 'c.blacklist_expires as owner_blacklist_expires'])
    .select(['u.key', 'u.key_expires', 'u.blacklisted', 'u.blacklist_expires'])
    .select(['u.note', 'u.chat_id', 'u.executions', 'u.max_instances'])

const one = prepared((db, p: { exec: string }) => standing(db).where('i.exec', '=', p.exec))
/**
 * An instance with what its script, owner and user say about it now. Members of those that are gone are null, and `key`
 * is so for a guest too. Whoever asks proves by the instance's keys that it is his, so there is no owner to ask for.
 */
export const findStanding = (db: Queries, exec: string) => one.first(db, { exec })
export type Standing = NonNullable<Awaited<ReturnType<typeof findStanding>>>

/** The same of many, in no order; those that are gone are left out. */
export const listStandings = async (db: Queries, execs: readonly string[]): Promise<Standing[]> => {
  // PostgreSQL has no empty list for `in`.
  if (execs.length === 0) return []
  return standing(db).where('i.exec', 'in', execs).execute()
}

export type Step = {
  readonly exec: string
  /** The number that is answered; the last one was one lower. */
  readonly n: number
  readonly beat_keys: Uint8Array
  readonly beat_body: string
  readonly beat_reply: string
  readonly told: string | null
  readonly last_seen: number
  readonly expires_at: number
}

const stepped = prepared((db, p: Step & { former: number }) =>
  db
    .updateTable('instances')
    .set({
      beat_n: p.n,
      beat_keys: p.beat_keys,
      beat_body: p.beat_body,
      beat_reply: p.beat_reply,
      told: p.told,
      last_seen: p.last_seen,
      expires_at: p.expires_at,
    })
    .where('exec', '=', p.exec)
    .where('beat_n', '=', p.former),
)
/** False when another beat with this number was answered in between, or the instance is gone. */
export const updateBeat = async (tx: Queries, step: Step): Promise<boolean> =>
  (await stepped.count(tx, { ...step, former: step.n - 1 })) > 0

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
/** Lets one connection in and none with the same or a lower number after it; false when it is such a one. */
export const updateEpoch = async (tx: Queries, connecting: Connecting, lifeMs: number): Promise<boolean> =>
  (await connected.count(tx, { ...connecting, expires_at: connecting.now + lifeMs })) > 0

export type Seen = { readonly exec: string; readonly at: number }

/** Keeps instances alive whose sessions were heard of, each for `lifeMs` from then. */
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
