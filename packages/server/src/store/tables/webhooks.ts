/**
 * Rows of `webhooks` and every statement on that table: one for each address that a project has. A process that delivers
 * claims the row until a time, so that two never deliver to one address at once. What is due is known by the events in
 * `outbox` alone: an event committed while its address is being released is found by the next look.
 */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Queries } from '../engine/db.ts'
import { dialectOf } from '../engine/dialect.ts'
import { prepared } from '../engine/prepared.ts'
import type { WebhooksTable } from '../schema/tables.ts'

export type WebhookRow = Selectable<WebhooksTable>
export type NewWebhook = Insertable<WebhooksTable>
export type WebhookChanges = Updateable<WebhooksTable>
export type WebhookKind = WebhookRow['kind']

/** A webhook with the address that its project has now, and the project's name. */
export type WebhookTarget = WebhookRow & { readonly name: string; readonly address: string | null }

const listed = (seqs: readonly number[]): string => JSON.stringify(seqs.map((seq) => [seq]))
const among = (db: Queries, seqs: string) =>
  sql<number>`(select seq from ${dialectOf(db).rowsFrom(seqs, [['seq', 'bigint']])} as given)`

/** A saved address starts healthy, whatever was known of the one before it. */
export const insertWebhook = async (tx: Queries, projectId: string, kind: WebhookKind): Promise<void> => {
  const fresh = { held_until: 0, failures: 0, failing_since: null } as const
  const unpaused = { paused_at: null, pause_reason: null } as const
  await tx
    .insertInto('webhooks')
    .values({ project_id: projectId, kind, ...fresh, ...unpaused })
    .onConflict((conflict) => conflict.columns(['project_id', 'kind']).doUpdateSet({ ...fresh, ...unpaused }))
    .execute()
}

export const deleteWebhook = async (tx: Queries, projectId: string, kind: WebhookKind): Promise<void> => {
  await tx.deleteFrom('webhooks').where('project_id', '=', projectId).where('kind', '=', kind).execute()
}

export const listWebhooks = (db: Queries, projectId: string): Promise<WebhookRow[]> =>
  db.selectFrom('webhooks').selectAll().where('project_id', '=', projectId).orderBy('seq').execute()

/** Lets a paused address be tried at once; the pause ends when the attempt succeeds. False without an address. */
export const updateWebhookTried = async (
  tx: Queries,
  projectId: string,
  kind: WebhookKind,
): Promise<boolean> => {
  const done = await tx
    .updateTable('webhooks')
    .set({ held_until: sql<number>`case when paused_at is null then held_until else 0 end` })
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

const due = prepared<{ now: number; limit: number }, { seq: number }>(
  (_, p) => sql`with recursive pending as (
    select min(project_id) as project_id from outbox where due_at is not null
    union all
    select (select min(outbox.project_id) from outbox
      where due_at is not null and outbox.project_id > pending.project_id)
    from pending where project_id is not null)
  select seq from (
    select webhooks.seq, (select min(outbox.due_at) from outbox where due_at is not null
      and outbox.project_id = webhooks.project_id and outbox.kind = webhooks.kind) as due_at
    from pending join webhooks on webhooks.project_id = pending.project_id
    where held_until <= ${p.now}) as free
  where due_at <= ${p.now} order by due_at, seq limit ${p.limit}`,
)
/**
 * Addresses with a due event that are neither claimed nor backing off, the longest waiting first. It skips through the
 * index from one project with pending events to the next, so a long backlog of a failing one costs no more than one event.
 */
export const listDueWebhooks = async (db: Queries, now: number, limit: number): Promise<number[]> =>
  (await due.all(db, { now, limit })).map(({ seq }) => seq)

const claimed = prepared((db, p: { seqs: string; now: number; until: number }) => {
  const free = db
    .selectFrom('webhooks')
    .select('seq')
    .where('seq', 'in', among(db, p.seqs))
    .where('held_until', '<=', p.now)
  return db
    .updateTable('webhooks')
    .set({ held_until: p.until })
    .where('seq', 'in', dialectOf(db).rowLocks ? free.modifyEnd(sql`for update skip locked`) : free)
    .returning('seq')
})
/** Claims those of these addresses that are still free. Two processes never get the same one. */
export const claimWebhooks = async (
  tx: Queries,
  seqs: readonly number[],
  { now, until }: { now: number; until: number },
): Promise<WebhookTarget[]> => {
  const rows = await claimed.all(tx, { seqs: listed(seqs), now, until })
  return listTargets(
    tx,
    rows.map(({ seq }) => seq),
  )
}

type Released = Pick<WebhookRow, 'failures' | 'failing_since' | 'paused_at' | 'pause_reason' | 'held_until'>
type Given = Omit<Released, 'paused_at' | 'pause_reason'> & {
  readonly seq: number
  readonly until: number
  readonly paused_at: number | null
  readonly pause_reason: string | null
}
const released = prepared((db, p: Given) =>
  db
    .updateTable('webhooks')
    .set({
      failures: p.failures,
      failing_since: p.failing_since,
      paused_at: p.paused_at,
      pause_reason: p.pause_reason as Released['pause_reason'],
      held_until: p.held_until,
    })
    .where('seq', '=', p.seq)
    .where('held_until', '=', p.until),
)
/** Ends a claim. False, and nothing changes, when it had run out and another process has the address. */
export const updateReleasedWebhook = async (
  tx: Queries,
  { seq, until }: { seq: number; until: number },
  { failures, failing_since, paused_at, pause_reason, held_until }: Released,
): Promise<boolean> => {
  const health = { failures, failing_since, paused_at, pause_reason }
  return (await released.count(tx, { seq, until, held_until, ...health })) > 0
}

const targets = prepared((db, p: { seqs: string }) =>
  db
    .selectFrom('webhooks')
    .innerJoin('projects', 'projects.id', 'webhooks.project_id')
    .selectAll('webhooks')
    .select(['projects.name', 'execution_webhook', 'information_webhook', 'blacklist_webhook'])
    .where('webhooks.seq', 'in', among(db, p.seqs))
    .orderBy('webhooks.seq'),
)
const listTargets = async (tx: Queries, seqs: readonly number[]): Promise<WebhookTarget[]> => {
  if (seqs.length === 0) return []
  const rows = await targets.all(tx, { seqs: listed(seqs) })
  return rows.map(({ execution_webhook, information_webhook, blacklist_webhook, ...row }) => {
    const addresses = {
      execution: execution_webhook,
      information: information_webhook,
      blacklist: blacklist_webhook,
    }
    return { ...row, address: addresses[row.kind] }
  })
}
