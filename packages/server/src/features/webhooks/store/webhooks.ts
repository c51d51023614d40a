/**
 * All queries on the `webhooks` table. Each row is an endpoint of a project. A process claims the row for a
 * limited time before it delivers, so that two processes never deliver to one endpoint at the same time. Only
 * the events in `outbox` determine what is due, so the next poll finds an event that was committed while a
 * claim was being released.
 */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { dialectOf, forUpdate } from '../../../database/engine/dialect.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { WebhooksTable } from '../../../database/schema/webhook-tables.ts'

export type WebhookRow = Selectable<WebhooksTable>
export type NewWebhook = Insertable<WebhooksTable>
export type WebhookChanges = Updateable<WebhooksTable>
/** An endpoint of a project: the name of a built-in endpoint, or the ID of an additional one. */
export type WebhookId = WebhookRow['kind']
export type WebhookKind = Exclude<WebhookId, `whk_${string}`>

/** A webhook with its current URL, its project's name and its account. */
export type WebhookTarget = WebhookRow & { readonly project_name: string; readonly customer_id: string }

const FRESH = {
  held_until: 0,
  failures: 0,
  failing_since: null,
  paused_at: null,
  pause_reason: null,
  delivered_at: null,
} as const

const listed = (seqs: readonly number[]): string => JSON.stringify(seqs.map((seq) => [seq]))
const among = (db: Queries, seqs: string) =>
  sql<number>`(select seq from ${dialectOf(db).rowsFrom(seqs, [['seq', 'bigint']])} as given)`

/** A saved endpoint starts out healthy, whatever its previous state was, and keeps its secret. */
export const insertWebhook = async (
  tx: Queries,
  row: { readonly project_id: string; readonly kind: WebhookKind; readonly secret: string },
): Promise<void> => {
  await tx
    .insertInto('webhooks')
    .values({ ...row, ...FRESH })
    .onConflict((conflict) => conflict.columns(['project_id', 'kind']).doUpdateSet(FRESH))
    .execute()
}

export const insertAddress = (tx: Queries, row: NewWebhook): Promise<WebhookRow> =>
  tx.insertInto('webhooks').values(row).returningAll().executeTakeFirstOrThrow()

/**
 * Updates a custom endpoint. `isSavedAgain` resets its health. Returns undefined if the endpoint was removed.
 */
export const updateAddress = (
  tx: Queries,
  { projectId, id, isSavedAgain }: { projectId: string; id: WebhookId; isSavedAgain: boolean },
  changes: WebhookChanges,
): Promise<WebhookRow | undefined> =>
  tx
    .updateTable('webhooks')
    .set({ ...(isSavedAgain ? FRESH : {}), ...changes })
    .where('project_id', '=', projectId)
    .where('kind', '=', id)
    .where('address', 'is not', null)
    .returningAll()
    .executeTakeFirst()

/** Replaces the secret. The previous secret, or `derived` if the row has none, also signs until `until`. */
export const updateAddressSecret = (
  tx: Queries,
  seq: number,
  { secret, derived, until }: { secret: string; derived: string; until: number | null },
): Promise<WebhookRow | undefined> =>
  tx
    .updateTable('webhooks')
    .set((e) => ({
      secret,
      old_secret: until === null ? null : e.fn.coalesce('webhooks.secret', e.val(derived)),
      old_secret_until: until,
    }))
    .where('seq', '=', seq)
    .returningAll()
    .executeTakeFirst()

export const countAddresses = async (tx: Queries, projectId: string): Promise<number> => {
  const { count } = await tx
    .selectFrom('webhooks')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .where('address', 'is not', null)
    .executeTakeFirstOrThrow()
  return count
}

export const deleteWebhook = async (tx: Queries, projectId: string, id: WebhookId): Promise<boolean> => {
  const done = await tx
    .deleteFrom('webhooks')
    .where('project_id', '=', projectId)
    .where('kind', '=', id)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}

export const findWebhook = (db: Queries, projectId: string, id: WebhookId): Promise<WebhookRow | undefined> =>
  db
    .selectFrom('webhooks')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('kind', '=', id)
    .executeTakeFirst()

export const listWebhooks = (db: Queries, projectId: string): Promise<WebhookRow[]> =>
  db.selectFrom('webhooks').selectAll().where('project_id', '=', projectId).orderBy('seq').execute()

/**
 * Makes a paused endpoint due immediately. The pause ends if the attempt succeeds. Returns false if there is
 * no endpoint.
 */
export const updateWebhookTried = async (
  tx: Queries,
  projectId: string,
  kind: WebhookId,
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
 * Lists endpoints that have a due event and are neither claimed nor backing off, longest waiting first. The
 * query skips through the index from one project with pending events to the next, so a long backlog of a
 * failing endpoint costs no more than one event.
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
/** Claims those of the given endpoints that are still free. No two processes can claim the same endpoint. */
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

const held = prepared((db, p: { seq: number; until: number }) =>
  forUpdate(
    db.selectFrom('webhooks').select('seq').where('seq', '=', p.seq).where('held_until', '=', p.until),
    db,
  ),
)
/**
 * Locks a claimed endpoint. Returns false if it was edited, removed or claimed by another process in the
 * meantime.
 */
export const lockClaimedWebhook = async (
  tx: Queries,
  claim: { readonly seq: number; readonly until: number },
): Promise<boolean> => (await held.first(tx, claim)) !== null

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
/**
 * Ends a claim. If the claim has expired and another process has claimed the endpoint, changes nothing and
 * returns false.
 */
export const updateReleasedWebhook = async (
  tx: Queries,
  { seq, until }: { seq: number; until: number },
  { failures, failing_since, paused_at, pause_reason, held_until }: Released,
): Promise<boolean> => {
  const health = { failures, failing_since, paused_at, pause_reason }
  return (await released.count(tx, { seq, until, held_until, ...health })) > 0
}

const delivered = prepared((db, p: { seq: number; until: number; now: number }) =>
  db
    .updateTable('webhooks')
    .set({ delivered_at: p.now, failures: 0, failing_since: null, paused_at: null, pause_reason: null })
    .where('seq', '=', p.seq)
    .where('held_until', '=', p.until),
)
/**
 * Marks a claimed endpoint as healthy after it accepted a message. Does nothing if the endpoint has been
 * saved since it was claimed.
 */
export const updateDeliveredWebhook = async (
  tx: Queries,
  claim: { readonly seq: number; readonly until: number },
  now: number,
): Promise<void> => {
  await delivered.count(tx, { ...claim, now })
}

const targets = prepared((db, p: { seqs: string }) =>
  db
    .selectFrom('webhooks')
    .innerJoin('projects', 'projects.id', 'webhooks.project_id')
    .selectAll('webhooks')
    .select([
      'projects.name as project_name',
      'projects.customer_id',
      'execution_webhook',
      'information_webhook',
      'blacklist_webhook',
    ])
    .where('webhooks.seq', 'in', among(db, p.seqs))
    .orderBy('webhooks.seq'),
)
const listTargets = async (tx: Queries, seqs: readonly number[]): Promise<WebhookTarget[]> => {
  if (seqs.length === 0) return []
  const rows = await targets.all(tx, { seqs: listed(seqs) })
  return rows.map(({ execution_webhook, information_webhook, blacklist_webhook, ...row }) => {
    const addresses: Readonly<Record<string, string | null>> = {
      execution: execution_webhook,
      information: information_webhook,
      blacklist: blacklist_webhook,
    }
    return { ...row, address: addresses[row.kind] ?? row.address }
  })
}
