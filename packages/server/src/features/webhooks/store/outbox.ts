/**
 * All queries on the `outbox` table. `features/webhooks/events/events.ts` writes events in the transaction of
 * the change. They are sent later, and kept for a while as a log.
 */
import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { dialectOf } from '../../../database/engine/dialect.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { KeysetRange } from '../../../database/keyset-range.ts'
import type { OutboxTable } from '../../../database/schema/webhook-tables.ts'
import type { WebhookId } from './webhooks.ts'

export type EventRow = Selectable<OutboxTable>
export type EventState = EventRow['state']
export type EventFilter = {
  readonly state?: EventState
  readonly type?: string
  /** The name of one of the three built-in endpoints, or the ID of an additional one. */
  readonly webhook_id?: string
}
/** `id` is the event's ID. The IDs of its deliveries are derived from it. */
export type Written = Pick<
  EventRow,
  'id' | 'project_id' | 'kind' | 'type' | 'data' | 'created_at' | 'script_id'
>

/** Identifies the events of one endpoint. */
type Queue = { readonly project_id: string; readonly kind: WebhookId }

/**
 * A condition that is true if a custom endpoint subscribes to an event. Lists are JSON, so a list contains a
 * value if the quoted value occurs in it.
 */
const subscribesTo = (type: RawBuilder<string>, script: RawBuilder<string | null>) => {
  const contains = (list: string, value: RawBuilder<string | null>) =>
    sql`(${sql.ref(list)} is null or replace(${sql.ref(list)}, '"' || ${value} || '"', '') <> ${sql.ref(list)})`
  return sql`webhooks.address is not null and webhooks.enabled = 1 and ${contains('webhooks.events', type)}
    and (${script} is null or ${contains('webhooks.scripts', script)})`
}

/** The `id`, `event_id`, `project_id` and `kind` columns of an event for the endpoint in `webhooks`. */
const deliveryOf = (event: RawBuilder<string>) =>
  sql`case when webhooks.address is null then ${event} else ${event} || '.' || webhooks.kind end,
    case when webhooks.address is null then null else ${event} end, webhooks.project_id, webhooks.kind`

const written = prepared<Written, never>((_, p) => {
  const text = <T extends string | null>(value: T) => sql<T>`cast(${value} as text)`
  const at = sql`cast(${p.created_at} as bigint)`
  const script = text(p.script_id)
  return sql<never>`insert into outbox
    (id, event_id, project_id, kind, type, data, script_id, state, created_at, queued_at, attempts, due_at)
    select ${deliveryOf(text(p.id))}, ${text(p.type)}, ${text(p.data)}, ${script}, 'pending', ${at}, ${at}, 0, ${at}
    from webhooks where project_id = ${p.project_id}
      and (kind = ${p.kind} or (${subscribesTo(text(p.type), script)}))
      and (paused_at is null or held_until <= ${at})`
})
/**
 * Writes an event for each endpoint that subscribes to it. A paused endpoint gets one only if its next
 * attempt is due.
 */
export const insertEvent = async (tx: Queries, event: Written): Promise<void> => {
  await written.count(tx, event)
}

/** Like `insertEvent`, but writes many events of one type and project in one statement. */
export const insertEvents = async (
  tx: Queries,
  of: Omit<Written, 'id' | 'data'>,
  events: readonly Pick<Written, 'id' | 'data'>[],
): Promise<void> => {
  const given = dialectOf(tx).rowsFrom(JSON.stringify(events.map(({ id, data }) => [id, data])), [
    ['id', 'text'],
    ['data', 'text'],
  ])
  const type = sql<string>`cast(${of.type} as text)`
  const script = sql<string | null>`cast(${of.script_id} as text)`
  const at = sql`cast(${of.created_at} as bigint)`
  await sql`insert into outbox
    (id, event_id, project_id, kind, type, data, script_id, state, created_at, queued_at, attempts, due_at)
    select ${deliveryOf(sql`given.id`)}, ${type}, given.data, ${script}, 'pending', ${at}, ${at}, 0, ${at}
    from ${given} as given cross join webhooks where webhooks.project_id = ${of.project_id}
      and (kind = ${of.kind} or (${subscribesTo(type, script)}))
      and (paused_at is null or held_until <= ${at})
    order by given.position, webhooks.seq`.execute(tx)
}

/** A condition that is true if any endpoint of project `p` receives an event that isn't about a script. */
export const hasSubscriber = ({ type, kind }: Pick<Written, 'type' | 'kind'>): RawBuilder<SqlBool> =>
  sql`exists (select 1 from webhooks where webhooks.project_id = p.id
    and (webhooks.kind = ${kind} or (${subscribesTo(sql`cast(${type} as text)`, sql`cast(null as text)`)})))`

/**
 * Writes an event for one endpoint, even if the endpoint is paused or has not subscribed. Returns the ID of
 * the delivery.
 */
export const insertForcedEvent = async (tx: Queries, event: Written): Promise<string> => {
  const waiting = {
    state: 'pending',
    attempts: 0,
    queued_at: event.created_at,
    due_at: event.created_at,
  } as const
  const { id, kind } = event
  const own = kind.startsWith('whk_') ? { id: `${id}.${kind}`, event_id: id } : {}
  await tx
    .insertInto('outbox')
    .values({ ...event, ...waiting, ...own })
    .execute()
  return own.id ?? id
}

const message = prepared<Written, never>((_, p) => {
  const text = <T extends string | null>(value: T) => sql<T>`cast(${value} as text)`
  const at = sql`cast(${p.created_at} as bigint)`
  return sql<never>`insert into outbox
    (id, event_id, project_id, kind, type, data, script_id, state, created_at, queued_at, attempts, due_at)
    select ${deliveryOf(text(p.id))}, ${text(p.type)}, ${text(p.data)}, ${text(p.script_id)}, 'pending', ${at}, ${at}, 0, ${at}
    from webhooks where project_id = ${p.project_id} and kind = ${p.kind} and address is not null and enabled = 1
      and (paused_at is null or held_until <= ${at})`
})
/**
 * Writes a script's message for its custom endpoint. Returns false if the endpoint was removed, paused or
 * disabled.
 */
export const insertMessageEvent = async (tx: Queries, event: Written): Promise<boolean> =>
  (await message.count(tx, event)) > 0

const dueEvents = prepared((db, p: { project_id: string; kind: string; now: number; limit: number }) =>
  db
    .selectFrom('outbox')
    .selectAll()
    .where('project_id', '=', p.project_id)
    .where('kind', '=', p.kind as WebhookId)
    .where('due_at', '<=', p.now)
    .orderBy('due_at')
    .orderBy('seq')
    .limit(p.limit),
)
export const listDueEvents = (
  db: Queries,
  { project_id, kind }: Queue,
  { now, limit }: { now: number; limit: number },
): Promise<EventRow[]> => dueEvents.all(db, { project_id, kind, now, limit })

const pending = prepared((db, p: { project_id: string; kind: string; most: number }) =>
  db
    .selectFrom(
      db
        .selectFrom('outbox')
        .select('seq')
        .where('project_id', '=', p.project_id)
        .where('kind', '=', p.kind as WebhookId)
        .where('due_at', 'is not', null)
        .limit(p.most)
        .as('waiting'),
    )
    .select((e) => e.fn.countAll<number>().as('count')),
)
/** Counts pending events of an endpoint, up to `most`. */
export const countPendingEvents = async (
  db: Queries,
  { project_id, kind }: Queue,
  most: number,
): Promise<number> => (await pending.first(db, { project_id, kind, most }))?.count ?? 0

const settled = prepared((db, p: { seq: number; state: string; attempts: number; due_at: number | null }) =>
  db
    .updateTable('outbox')
    .set({ state: p.state as EventState, attempts: p.attempts, due_at: p.due_at })
    .where('seq', '=', p.seq)
    .where(sql<boolean>`(due_at is not null or cast(${p.state} as text) = 'delivered')`),
)
/**
 * Stores the outcome of an attempt: the event is finished or due again. An event that was dropped during the
 * attempt stays dropped, unless it was delivered.
 */
export const updateEvent = async (
  tx: Queries,
  event: { seq: number; state: EventState; attempts: number; due_at: number | null },
): Promise<void> => {
  await settled.count(tx, event)
}

/** Finishes all pending events of an endpoint without sending them. */
export const updatePendingEvents = async (
  tx: Queries,
  { project_id, kind }: Queue,
  state: 'failed' | 'dropped',
): Promise<void> => {
  await tx
    .updateTable('outbox')
    .set({ state, due_at: null })
    .where('project_id', '=', project_id)
    .where('kind', '=', kind)
    .where('due_at', 'is not', null)
    .execute()
}

/**
 * Finishes an endpoint's pending events beyond the latest `keep` without sending them. Returns how many of
 * each type were finished.
 */
export const updateOverflowingEvents = async (
  tx: Queries,
  { project_id, kind }: Queue,
  keep: number,
): Promise<Map<string, number>> => {
  const last = await tx
    .selectFrom('outbox')
    .select('seq')
    .where('project_id', '=', project_id)
    .where('kind', '=', kind)
    .where('due_at', 'is not', null)
    .orderBy('seq', 'desc')
    .limit(1)
    .offset(keep)
    .executeTakeFirst()
  const ended = await tx
    .updateTable('outbox')
    .set({ state: 'dropped', due_at: null })
    .where('project_id', '=', project_id)
    .where('kind', '=', kind)
    .where('due_at', 'is not', null)
    .where('seq', '<=', last?.seq ?? 0)
    .returning('type')
    .execute()
  const counts = new Map<string, number>()
  for (const { type } of ended) counts.set(type, (counts.get(type) ?? 0) + 1)
  return counts
}

/** Finishes, without sending them, pending events that were queued before a given time. */
export const updateStaleEvents = async (
  tx: Queries,
  { project_id, kind }: Queue,
  before: number,
): Promise<void> => {
  await tx
    .updateTable('outbox')
    .set({ state: 'dropped', due_at: null })
    .where('project_id', '=', project_id)
    .where('kind', '=', kind)
    .where('due_at', 'is not', null)
    .where('queued_at', '<', before)
    .execute()
}

/** Returns the project's endpoint that an event is for. */
export const findEventKind = async (
  db: Queries,
  projectId: string,
  id: string,
): Promise<WebhookId | undefined> => {
  const row = await db
    .selectFrom('outbox')
    .select('kind')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.kind
}

/** Makes an event pending again, with its full number of attempts. */
export const updateEventRedelivered = async (
  tx: Queries,
  projectId: string,
  id: string,
  now: number,
): Promise<EventRow | undefined> =>
  tx
    .updateTable('outbox')
    .set({ state: 'pending', attempts: 0, queued_at: now, due_at: now })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

/** Lists events newest first. */
export const listEvents = (
  db: Queries,
  projectId: string,
  { after = Number.MAX_SAFE_INTEGER, from, limit, ...filter }: EventFilter & KeysetRange,
): Promise<EventRow[]> =>
  filtered(db, projectId, filter)
    .selectAll()
    .where('seq', '<', after)
    .orderBy('seq', 'desc')
    .limit(limit)
    .offset(from)
    .execute()

export const countEvents = async (db: Queries, projectId: string, filter: EventFilter): Promise<number> => {
  const { count } = await filtered(db, projectId, filter)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Deletes an endpoint's finished events beyond the latest `keep`. */
export const deleteFinishedEvents = async (
  tx: Queries,
  { project_id, kind }: Queue,
  keep: number,
): Promise<void> => {
  const last = await tx
    .selectFrom('outbox')
    .select('seq')
    .where('project_id', '=', project_id)
    .where('kind', '=', kind)
    .orderBy('seq', 'desc')
    .limit(1)
    .offset(keep)
    .executeTakeFirst()
  if (!last) return
  await tx
    .deleteFrom('outbox')
    .where('project_id', '=', project_id)
    .where('kind', '=', kind)
    .where('due_at', 'is', null)
    .where('seq', '<=', last.seq)
    .execute()
}

/**
 * Deletes up to `limit` events created before a given time, oldest first. Returns the number of deleted
 * events.
 */
export const deleteOldEvents = async (tx: Queries, before: number, limit: number): Promise<number> => {
  const oldest = tx
    .selectFrom('outbox')
    .select(['seq', 'created_at'])
    .orderBy('seq')
    .limit(limit)
    .as('oldest')
  const done = await tx
    .deleteFrom('outbox')
    .where('seq', 'in', tx.selectFrom(oldest).select('oldest.seq').where('oldest.created_at', '<', before))
    .executeTakeFirst()
  return Number(done.numDeletedRows)
}

const filtered = (db: Queries, projectId: string, { state, type, webhook_id }: EventFilter) =>
  db
    .selectFrom('outbox')
    .where('project_id', '=', projectId)
    .$if(state !== undefined, (query) => query.where('state', '=', state as EventState))
    .$if(webhook_id !== undefined, (query) => query.where('kind', '=', webhook_id as WebhookId))
    .$if(type !== undefined, (query) => query.where('type', '=', type as string))

/** Counts the pending events of all projects, up to `most`. */
export const countDueEvents = async (db: Queries, most: number): Promise<number> => {
  const due = db.selectFrom('outbox').select('seq').where('due_at', 'is not', null).limit(most)
  const { count } = await db
    .selectFrom(due.as('due'))
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
