/**
 * Rows of `webhooks` and every statement on that table: one for each address that a project has, with the time at which
 * something is to be sent to it. Whoever sends holds the row until a time, so that one process at once serves an address.
 */
import { type Insertable, type Selectable, type SqlBool, sql, type Updateable } from 'kysely'
import type { Queries } from './db.ts'
import { dialectOf } from './dialect.ts'
import { prepared } from './prepared.ts'
import type { WebhooksTable } from './tables.ts'

export type WebhookRow = Selectable<WebhooksTable>
export type NewWebhook = Insertable<WebhooksTable>
export type WebhookChanges = Updateable<WebhooksTable>
export type WebhookKind = WebhookRow['kind']

/** A webhook with the address that its project has now, and the project's name. */
export type WebhookTarget = WebhookRow & { readonly name: string; readonly address: string | null }

const listed = (seqs: readonly number[]): string => JSON.stringify(seqs.map((seq) => [seq]))
const among = (db: Queries, seqs: string) =>
  sql<number>`(select seq from ${dialectOf(db).rowsFrom(seqs, [['seq', 'bigint']])} as given)`

/** When the next event of an address is due; null when nothing waits. */
const firstDue = sql<number>`(select min(outbox.due_at) from outbox where outbox.project_id = webhooks.project_id
  and outbox.kind = webhooks.kind and outbox.due_at is not null)`

/** An address that was saved: it begins anew, whatever was known of the one before it. */
export const insertWebhook = async (
  tx: Queries,
  projectId: string,
  kind: WebhookKind,
  now: number,
): Promise<void> => {
  const fresh = { due_at: now, held_until: 0, failures: 0, failing_since: null } as const
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

/** Lets a paused address be tried at once; its pause ends when the attempt succeeds. */
export const updateWebhookTried = async (
  tx: Queries,
  projectId: string,
  kind: WebhookKind,
  now: number,
): Promise<boolean> => {
  const done = await tx
    .updateTable('webhooks')
    .set({ due_at: now, held_until: sql<number>`case when paused_at is null then held_until else 0 end` })
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

const due = prepared((db, p: { now: number; limit: number }) =>
  db
    .selectFrom('webhooks')
    .select('seq')
    .where('due_at', '<=', p.now)
    .where('held_until', '<=', p.now)
    .orderBy('due_at')
    .limit(p.limit),
)
/** Whether a claim would find anything; a read, so that looking costs no write. */
export const findDueWebhook = (db: Queries, now: number): Promise<{ seq: number } | null> =>
  due.first(db, { now, limit: 1 })

const claimed = prepared((db, p: { now: number; until: number; limit: number }) => {
  const waiting = db
    .selectFrom('webhooks')
    .select('seq')
    .where('due_at', '<=', p.now)
    .where('held_until', '<=', p.now)
    .orderBy('due_at')
    .limit(p.limit)
  return db
    .updateTable('webhooks')
    .set({ held_until: p.until })
    .where('seq', 'in', dialectOf(db).rowLocks ? waiting.modifyEnd(sql`for update skip locked`) : waiting)
    .returning('seq')
})
/** Takes the longest waiting addresses, for nobody else until `until`. Two processes never get the same one. */
export const claimDueWebhooks = async (
  tx: Queries,
  given: { now: number; until: number; limit: number },
): Promise<WebhookTarget[]> => {
  const rows = await claimed.all(tx, given)
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
      due_at: firstDue,
    })
    .where('seq', '=', p.seq)
    .where('held_until', '=', p.until),
)
/**
 * Gives an address back, due when its next event is. Nothing happens when it was held for longer than claimed and
 * somebody else has it.
 */
export const updateReleasedWebhook = async (
  tx: Queries,
  { seq, until }: { seq: number; until: number },
  { failures, failing_since, paused_at, pause_reason, held_until }: Released,
): Promise<boolean> => {
  const health = { failures, failing_since, paused_at, pause_reason }
  return (await released.count(tx, { seq, until, held_until, ...health })) > 0
}

const awake = (db: Queries) =>
  db
    .updateTable('webhooks')
    .set({ due_at: firstDue })
    .where(sql<SqlBool>`(due_at is null or due_at > ${firstDue}) and ${firstDue} is not null`)
const allAwake = prepared(awake)
const someAwake = prepared((db, p: { seqs: string }) => awake(db).where('seq', 'in', among(db, p.seqs)))
/**
 * Makes addresses, all or some, due when their next event is. On SQLite a new event does not do that itself; with row locks one
 * that is committed while its address is given back can be missed by both.
 */
export const updateSleepingWebhooks = (tx: Queries, seqs?: readonly number[]): Promise<number> =>
  seqs === undefined ? allAwake.count(tx, {}) : someAwake.count(tx, { seqs: listed(seqs) })

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
