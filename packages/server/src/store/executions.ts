/**
 * Rows of `daily_executions` and every statement on that table, and the one read that an execution begins with: a
 * script with what its project and owner say about it.
 */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Queries } from './db.ts'
import { dialectOf } from './dialect.ts'
import { prepared } from './prepared.ts'
import type { DailyExecutionsTable } from './tables.ts'

export type DailyExecutionRow = Selectable<DailyExecutionsTable>
export type NewDailyExecution = Insertable<DailyExecutionsTable>
export type DailyExecutionChanges = Updateable<DailyExecutionsTable>

const runnable = prepared((db, p: { id: string }) =>
  db
    .selectFrom('scripts')
    .innerJoin('projects', 'projects.id', 'scripts.project_id')
    .innerJoin('customers', 'customers.id', 'projects.customer_id')
    .innerJoin('tiers', 'tiers.id', 'customers.tier')
    .select(['scripts.id', 'scripts.name', 'scripts.version', 'scripts.enabled', 'scripts.free_for_all'])
    .select(['scripts.kick_outdated', 'scripts.require_sessions', 'scripts.silent', 'scripts.project_id'])
    .select('scripts.use_heartbeat')
    .select(['projects.customer_id', 'projects.require_chat', 'projects.execution_webhook'])
    .select('projects.require_join_chat_server')
    .select(['projects.allow_fingerprint_resets', 'projects.fingerprint_reset_cooldown'])
    .select(['customers.plan_expires', 'customers.blacklisted', 'customers.blacklist_expires'])
    .select('tiers.free_for_all as most_keyless_devices')
    .where('scripts.id', '=', p.id),
)
/** Whoever runs a script is no tenant, so its owner is an answer here instead of a condition. */
export const findRunnable = (db: Queries, scriptId: string) => runnable.first(db, { id: scriptId })
export type RunnableRow = NonNullable<Awaited<ReturnType<typeof findRunnable>>>

const claimed = prepared((db, p: { id: string }) => {
  const script = db.selectFrom('scripts').select('id').where('id', '=', p.id)
  return dialectOf(db).rowLocks ? script.modifyEnd(sql`for key share`) : script
})
/** Keeps a script from being removed while the transaction lasts; false when it is gone already. */
export const claimScript = async (tx: Queries, id: string): Promise<boolean> =>
  (await claimed.first(tx, { id })) !== null

type OneExecution = Pick<DailyExecutionRow, 'script_id' | 'day' | 'executor' | 'project_id' | 'customer_id'>

const daily = prepared((db, p: OneExecution) =>
  db
    .insertInto('daily_executions')
    .values({
      script_id: p.script_id,
      day: p.day,
      executor: p.executor,
      project_id: p.project_id,
      customer_id: p.customer_id,
      count: 1,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['script_id', 'day', 'executor'])
        .doUpdateSet((e) => ({ count: e('daily_executions.count', '+', 1) })),
    ),
)
const ofCustomer = prepared((db, p: { id: string }) =>
  db
    .updateTable('customers')
    .set((e) => ({ total_executions: e('total_executions', '+', 1) }))
    .where('id', '=', p.id),
)
const ofProject = prepared((db, p: { id: string }) =>
  db
    .updateTable('projects')
    .set((e) => ({ total_executions: e('total_executions', '+', 1) }))
    .where('id', '=', p.id),
)
const ofScript = prepared((db, p: { id: string }) =>
  db
    .updateTable('scripts')
    .set((e) => ({ total_executions: e('total_executions', '+', 1) }))
    .where('id', '=', p.id),
)

/**
 * Counts one execution of a script by an executor on a day, and in the totals of its owners from the top, which is
 * the order of every transaction that changes more than one of them. Best done last: these rows are everybody's.
 */
export const insertExecution = async (tx: Queries, execution: OneExecution): Promise<void> => {
  await daily.count(tx, execution)
  await ofCustomer.count(tx, { id: execution.customer_id })
  await ofProject.count(tx, { id: execution.project_id })
  await ofScript.count(tx, { id: execution.script_id })
}

/** Days since 1970 in UTC, both included. */
export type Days = { readonly first: number; readonly last: number }
export type ScriptDay = Pick<DailyExecutionRow, 'script_id' | 'day' | 'count'>
export type ExecutorCount = Pick<DailyExecutionRow, 'executor' | 'count'>

/** Executions of each of these scripts on each day that had any. */
export const listScriptDays = (
  db: Queries,
  customerId: string,
  scriptIds: readonly string[],
  { first, last }: Days,
): Promise<ScriptDay[]> =>
  db
    .selectFrom('daily_executions')
    .select((e) => ['script_id', 'day', e.fn.sum<number>('count').as('count')])
    .where('script_id', 'in', scriptIds)
    .where('day', '>=', first)
    .where('day', '<=', last)
    .where('customer_id', '=', customerId)
    .groupBy(['script_id', 'day'])
    .execute()

/** Executions of these scripts together by each executor. */
export const listExecutorCounts = (
  db: Queries,
  customerId: string,
  scriptIds: readonly string[],
  { first, last }: Days,
): Promise<ExecutorCount[]> =>
  db
    .selectFrom('daily_executions')
    .select((e) => ['executor', e.fn.sum<number>('count').as('count')])
    .where('script_id', 'in', scriptIds)
    .where('day', '>=', first)
    .where('day', '<=', last)
    .where('customer_id', '=', customerId)
    .groupBy('executor')
    .execute()

/** Takes away at most `limit` counters of days before this one, and answers how many it took. */
export const deleteOldExecutions = async (tx: Queries, before: number, limit: number): Promise<number> => {
  const old = tx
    .selectFrom('daily_executions')
    .select(['script_id', 'day', 'executor'])
    .where('day', '<', before)
    .orderBy('day')
    .limit(limit)
  const taken = dialectOf(tx).rowLocks ? old.modifyEnd(sql`for update skip locked`) : old
  const done = await tx
    .deleteFrom('daily_executions')
    .where((e) =>
      e(e.refTuple('script_id', 'day', 'executor'), 'in', taken.$asTuple('script_id', 'day', 'executor')),
    )
    .executeTakeFirst()
  return Number(done.numDeletedRows)
}
