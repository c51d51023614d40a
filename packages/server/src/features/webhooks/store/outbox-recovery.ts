/** Queries on the `outbox` table that replay events since a point in time to an endpoint. */
import { sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import type { EventState } from './outbox.ts'
import type { WebhookId } from './webhooks.ts'

export type Recovery = {
  readonly project_id: string
  readonly kind: WebhookId
  /** Events created at or after this time. */
  readonly since: number
  /** The event types that the endpoint gets. Never empty. */
  readonly types: readonly string[]
  /** Excludes events about other scripts. Null means no filter. */
  readonly scripts: readonly string[] | null
  readonly undeliveredOnly: boolean
  /** Maximum number of events, newest first. */
  readonly most: number
}

const DELIVERED: EventState = 'delivered'
const COPIED = ['id', 'event_id', 'project_id', 'kind', 'type', 'data', 'script_id'] as const
const WAITING = ['state', 'created_at', 'queued_at', 'attempts', 'due_at'] as const
const EVENT = sql<string>`coalesce(event_id, id)`

/**
 * Copies events that the project's other endpoints received but this one didn't, because it was paused or
 * didn't exist yet.
 */
export const insertMissedEvents = async (tx: Queries, recovery: Recovery, now: number): Promise<void> => {
  const { project_id, kind } = recovery
  const isOwn = kind.startsWith('whk_')
  const missed = tx
    .selectFrom('outbox')
    .select((e) => e.fn.min('seq').as('seq'))
    .where('kind', '<>', kind)
    .where(wanted(recovery))
    .where(
      EVENT,
      'not in',
      tx
        .selectFrom('outbox as mine')
        .select(sql<string>`coalesce(mine.event_id, mine.id)`.as('event'))
        .where('mine.project_id', '=', project_id)
        .where('mine.kind', '=', kind),
    )
    .groupBy(EVENT)
    .orderBy((e) => e.fn.max('created_at'), 'desc')
    .limit(recovery.most)
  const number = (value: number) => sql<number>`cast(${value} as bigint)`
  const text = (value: string) => sql<string>`cast(${value} as text)`
  await tx
    .insertInto('outbox')
    .columns([...COPIED, ...WAITING])
    .expression(
      tx
        .selectFrom('outbox')
        .select(isOwn ? sql<string>`${EVENT} || '.' || ${text(kind)}`.as('id') : EVENT.as('id'))
        .select(isOwn ? EVENT.as('event_id') : sql<null>`cast(null as text)`.as('event_id'))
        .select(['project_id', text(kind).as('kind'), 'type', 'data', 'script_id'])
        .select([text('dropped').as('state'), 'created_at', number(now).as('queued_at')])
        .select([sql<number>`0`.as('attempts'), sql<null>`cast(null as bigint)`.as('due_at')])
        .where('seq', 'in', missed)
        .orderBy('created_at')
        .orderBy('seq'),
    )
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/**
 * Makes an endpoint's latest events pending again, with their full number of attempts. Returns the number of
 * changed events.
 */
export const updateRecoveredEvents = async (
  tx: Queries,
  recovery: Recovery,
  now: number,
): Promise<number> => {
  const done = await tx
    .updateTable('outbox')
    .set({ state: 'pending', attempts: 0, queued_at: now, due_at: now })
    .where(
      'seq',
      'in',
      ofAddress(tx, recovery)
        .select('seq')
        .orderBy('created_at', 'desc')
        .orderBy('seq', 'desc')
        .limit(recovery.most),
    )
    .executeTakeFirst()
  return Number(done.numUpdatedRows)
}

export const countRecoverableEvents = async (tx: Queries, recovery: Recovery): Promise<number> => {
  const { count } = await ofAddress(tx, recovery)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

const ofAddress = (tx: Queries, recovery: Recovery) =>
  tx
    .selectFrom('outbox')
    .where('kind', '=', recovery.kind)
    .where(wanted(recovery))
    .$if(recovery.undeliveredOnly, (query) => query.where('state', '<>', DELIVERED))

const wanted = ({ project_id, since, types, scripts }: Recovery) => {
  const about =
    scripts === null
      ? sql<boolean>`true`
      : sql<boolean>`(script_id is null or script_id in (${sql.join(scripts)}))`
  return sql<boolean>`project_id = ${project_id} and created_at >= ${since} and type in (${sql.join(types)}) and ${about}`
}
