/**
 * Rows of `outbox` and every statement on that table: events of `domain/webhooks/events.ts`, written in the transaction
 * of the change, sent afterwards, and retained for a while as the log of what was sent.
 */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Queries } from '../engine/db.ts'
import { prepared } from '../engine/prepared.ts'
import type { OutboxTable } from '../schema/tables.ts'
import type { KeysetRange } from './keyset-range.ts'
import type { WebhookKind } from './webhooks.ts'

export type EventRow = Selectable<OutboxTable>
export type NewEvent = Insertable<OutboxTable>
export type EventState = EventRow['state']
export type EventFilter = { readonly state?: EventState; readonly type?: string }
export type Written = Pick<EventRow, 'id' | 'project_id' | 'kind' | 'type' | 'data' | 'created_at'>

/** The events of one address. */
type Queue = { readonly project_id: string; readonly kind: WebhookKind }

const written = prepared<Written, never>((_, p) => {
  const text = (value: string) => sql`cast(${value} as text)`
  const at = sql`cast(${p.created_at} as bigint)`
  return sql<never>`insert into outbox
    (id, project_id, kind, type, data, state, created_at, queued_at, attempts, due_at)
    select ${text(p.id)}, project_id, kind, ${text(p.type)}, ${text(p.data)}, 'pending', ${at}, ${at}, 0, ${at}
    from webhooks where project_id = ${p.project_id} and kind = ${p.kind}
      and (paused_at is null or held_until <= ${at})`
})
/** Writes an event when its project has an address for it. A paused one gets an event only when it is to be tried again. */
export const insertEvent = async (tx: Queries, event: Written): Promise<void> => {
  await written.count(tx, event)
}

/** The same for any address, whether or not it is paused. */
export const insertForcedEvent = async (tx: Queries, event: Written): Promise<void> => {
  const waiting = {
    state: 'pending',
    attempts: 0,
    queued_at: event.created_at,
    due_at: event.created_at,
  } as const
  await tx
    .insertInto('outbox')
    .values({ ...event, ...waiting })
    .execute()
}

const dueEvents = prepared((db, p: { project_id: string; kind: string; now: number; limit: number }) =>
  db
    .selectFrom('outbox')
    .selectAll()
    .where('project_id', '=', p.project_id)
    .where('kind', '=', p.kind as WebhookKind)
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
        .where('kind', '=', p.kind as WebhookKind)
        .where('due_at', 'is not', null)
        .limit(p.most)
        .as('waiting'),
    )
    .select((e) => e.fn.countAll<number>().as('count')),
)
/** Pending events of an address, counted up to `most` only. */
export const countPendingEvents = async (
  db: Queries,
  { project_id, kind }: Queue,
  most: number,
): Promise<number> => (await pending.first(db, { project_id, kind, most }))?.count ?? 0

const settled = prepared((db, p: { seq: number; state: string; attempts: number; due_at: number | null }) =>
  db
    .updateTable('outbox')
    .set({ state: p.state as EventState, attempts: p.attempts, due_at: p.due_at })
    .where('seq', '=', p.seq),
)
/** The outcome of an attempt: finished, or due again. */
export const updateEvent = async (
  tx: Queries,
  event: { seq: number; state: EventState; attempts: number; due_at: number | null },
): Promise<void> => {
  await settled.count(tx, event)
}

/** Ends all pending events of an address unsent. */
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

/** Ends pending events beyond the newest `keep` unsent, and returns how many of each type. */
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

/** Ends pending events that were queued before a time unsent. */
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

/** Makes an event pending again, with all its attempts. */
/** Which address of a project an event is for. */
export const findEventKind = async (
  db: Queries,
  projectId: string,
  id: string,
): Promise<WebhookKind | undefined> => {
  const row = await db
    .selectFrom('outbox')
    .select('kind')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.kind
}

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

/** Newest first. */
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

/** Deletes finished events beyond the newest `keep` of a project. */
export const deleteFinishedEvents = async (tx: Queries, projectId: string, keep: number): Promise<void> => {
  const last = await tx
    .selectFrom('outbox')
    .select('seq')
    .where('project_id', '=', projectId)
    .orderBy('seq', 'desc')
    .limit(1)
    .offset(keep)
    .executeTakeFirst()
  if (!last) return
  await tx
    .deleteFrom('outbox')
    .where('project_id', '=', projectId)
    .where('due_at', 'is', null)
    .where('seq', '<=', last.seq)
    .execute()
}

/** Deletes events created before a time, at most `limit` of the oldest; returns how many. */
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

const filtered = (db: Queries, projectId: string, { state, type }: EventFilter) =>
  db
    .selectFrom('outbox')
    .where('project_id', '=', projectId)
    .$if(state !== undefined, (query) => query.where('state', '=', state as EventState))
    .$if(type !== undefined, (query) => query.where('type', '=', type as string))

/** Pending events of all projects, counted up to `most`. */
export const countDueEvents = async (db: Queries, most: number): Promise<number> => {
  const due = db.selectFrom('outbox').select('seq').where('due_at', 'is not', null).limit(most)
  const { count } = await db
    .selectFrom(due.as('due'))
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
