/**
 * Queries on `expiry_watches`, and on the keys that expire next. An expiry is due when it is closer than the
 * event's lead time: 0 for `user.expired`, and the project's `expiring_lead` for `user.expiring`.
 */
import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { dialectOf } from '../../../database/engine/dialect.ts'
import type { ExpiryWatchesTable } from '../../../database/schema/end-tables.ts'
import { isVisible } from '../../changes/store/visible-users.ts'
import type { UserRow } from '../../keys/store/users.ts'
import type { ProjectRow } from '../../projects/store/projects.ts'
import { hasSubscriber } from '../../webhooks/store/outbox.ts'

type ExpiryCursor = Selectable<ExpiryWatchesTable>
export type EndEvent = ExpiryCursor['type']
/** A position among the keys sorted by expiry date, then by `seq`. */
export type EndPlace = Pick<ExpiryCursor, 'done_to' | 'done_seq'>

/**
 * A number greater than the `seq` of every user. A position with this number comes after all users with the
 * same expiry date.
 */
export const LAST_SEQ = Number.MAX_SAFE_INTEGER

const leadOf = (type: EndEvent): RawBuilder<number> =>
  type === 'user.expired' ? sql`0` : sql`p.expiring_lead`

/** A condition that is true if project `p` subscribes to this event. */
const isWatched = (type: EndEvent): RawBuilder<SqlBool> => {
  const heard = hasSubscriber({ type, kind: 'information' })
  return type === 'user.expired' ? heard : sql`p.expiring_lead > 0 and ${heard}`
}

/** Lists projects that have started or stopped subscribing. */
export const listChangedWatches = async (
  db: Queries,
  type: EndEvent,
  limit: number,
): Promise<{ readonly added: string[]; readonly ended: string[] }> => {
  const added = await sql<Pick<ProjectRow, 'id'>>`select p.id from projects as p
    where not exists (select 1 from expiry_watches as w where w.project_id = p.id and w.type = ${type})
    and ${isWatched(type)} limit ${limit}`.execute(db)
  const ended = await sql<Pick<ProjectRow, 'id'>>`select p.id from expiry_watches as w
    join projects as p on p.id = w.project_id
    where w.type = ${type} and not (${isWatched(type)}) limit ${limit}`.execute(db)
  return { added: added.rows.map(({ id }) => id), ended: ended.rows.map(({ id }) => id) }
}

/** Starts each watch after the expiries that are already due, so that they are not announced. */
export const insertWatches = async (
  tx: Queries,
  type: EndEvent,
  { ids, now }: { readonly ids: readonly string[]; readonly now: number },
): Promise<void> => {
  if (ids.length === 0) return
  await sql`insert into expiry_watches (project_id, type, done_to, done_seq)
    select p.id, cast(${type} as text), ${leadOf(type)} + cast(${now} as bigint), cast(${LAST_SEQ} as bigint)
    from projects as p where p.id in (${sql.join(ids)})
    on conflict (project_id, type) do nothing`.execute(tx)
}

export const deleteWatches = async (tx: Queries, type: EndEvent, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  await tx.deleteFrom('expiry_watches').where('type', '=', type).where('project_id', 'in', ids).execute()
}

/**
 * Lists the IDs of projects with due expiries. A key that expired during downtime is not announced as
 * expiring.
 */
export const listDueWatches = async (
  db: Queries,
  type: EndEvent,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<string[]> => {
  const from =
    type === 'user.expired' ? sql`w.done_to` : sql`${greatest(db)}(w.done_to, cast(${now} as bigint))`
  const { rows } = await sql<Pick<ProjectRow, 'id'>>`select p.id from expiry_watches as w
    join projects as p on p.id = w.project_id
    where w.type = ${type} and exists (select 1 from users as u
      where u.project_id = p.id and u.key_expires >= ${from}
      and (u.key_expires, u.seq) > (${from}, w.done_seq)
      and u.key_expires <= ${leadOf(type)} + cast(${now} as bigint))
    order by p.id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

const greatest = (db: Queries) => sql.raw(dialectOf(db).greatest)

/**
 * Locks a watch and returns it with the event's lead time, or undefined if the watch was deleted or another
 * process has locked it.
 */
export const lockWatch = async (
  tx: Queries,
  type: EndEvent,
  projectId: string,
): Promise<(EndPlace & { readonly lead: number }) | undefined> => {
  const lock = dialectOf(tx).rowLocks ? sql`for update of w skip locked` : sql``
  const { rows } = await sql<
    EndPlace & { lead: number }
  >`select w.done_to, w.done_seq, ${leadOf(type)} as lead
    from expiry_watches as w join projects as p on p.id = w.project_id
    where w.project_id = ${projectId} and w.type = ${type} ${lock}`.execute(tx)
  return rows[0]
}

export const updateWatch = async (
  tx: Queries,
  type: EndEvent,
  projectId: string,
  place: EndPlace,
): Promise<void> => {
  await tx
    .updateTable('expiry_watches')
    .set(place)
    .where('project_id', '=', projectId)
    .where('type', '=', type)
    .execute()
}

/** A user whose expiry is due, with the plan's grace period and whether to announce the expiry. */
export type EndingUser = Pick<UserRow, 'seq' | 'key' | 'chat_id' | 'note' | 'executions'> & {
  readonly key_expires: number
  readonly grace: number | null
  readonly told: 0 | 1
}

/** Starting after a position, lists users whose keys expire at or before `until`, earliest first. */
export const listEndingUsers = async (
  tx: Queries,
  projectId: string,
  { after, until, now, limit }: { after: EndPlace; until: number; now: number; limit: number },
): Promise<EndingUser[]> => {
  const told = sql`u.paused_at is null and u.clock_waits = 0 and ${isVisible('u')}
    and (u.blacklisted = 0 or u.blacklist_expires <= ${now})`
  const { rows } = await sql<EndingUser>`select u.seq, u.key, u.chat_id, u.note, u.executions, u.key_expires,
    (select plans.grace from plans where plans.id = u.plan_id) as grace,
    case when ${told} then 1 else 0 end as told
    from users as u where u.project_id = ${projectId} and u.key_expires >= ${after.done_to}
    and (u.key_expires, u.seq) > (${after.done_to}, ${after.done_seq}) and u.key_expires <= ${until}
    order by u.key_expires, u.seq limit ${limit}`.execute(tx)
  return rows
}
