/** All queries on the `daily_executions` table. */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { deleteOldest } from '../../../database/engine/delete-oldest.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { DailyExecutionsTable } from '../../../database/schema/tables.ts'

type DailyExecutionRow = Selectable<DailyExecutionsTable>
export type NewDailyExecution = Insertable<DailyExecutionsTable>

type OneExecution = Pick<DailyExecutionRow, 'script_id' | 'day' | 'executor' | 'project_id' | 'customer_id'>

/** Maximum number of executor names per script and day. Clients choose their names freely. */
const MAX_NAMES = 100
const OTHER = 'other'

/** Returns the name to count an execution under. Concurrent executions may exceed the maximum slightly. */
const countedName = ({ script_id, day, executor }: Pick<OneExecution, 'script_id' | 'day' | 'executor'>) =>
  sql<string>`case
    when exists (select 1 from daily_executions as d
      where d.script_id = ${script_id} and d.day = ${day} and d.executor = ${executor})
    then cast(${executor} as text)
    when (select count(*) from daily_executions as d
      where d.script_id = ${script_id} and d.day = ${day} and d.executor <> ${sql.lit(OTHER)}) < ${sql.lit(MAX_NAMES)}
    then cast(${executor} as text) else ${sql.lit(OTHER)} end`

const daily = prepared((db, p: OneExecution) =>
  db
    .insertInto('daily_executions')
    .values({
      script_id: p.script_id,
      day: p.day,
      executor: countedName(p),
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
    .where('id', '=', p.id)
    .returning('bans'),
)
const ofScript = prepared((db, p: { id: string }) =>
  db
    .updateTable('scripts')
    .set((e) => ({ total_executions: e('total_executions', '+', 1) }))
    .where('id', '=', p.id),
)

/**
 * Counts an execution by day and executor, and in the totals of its account, project and script. All
 * transactions that change several totals lock them in this order. Call this last, because many transactions
 * compete for these rows. Returns the project's number of bans, which can't grow until the transaction ends.
 */
export const insertExecution = async (tx: Queries, execution: OneExecution): Promise<number> => {
  await daily.count(tx, execution)
  await ofCustomer.count(tx, { id: execution.customer_id })
  const project = await ofProject.first(tx, { id: execution.project_id })
  await ofScript.count(tx, { id: execution.script_id })
  return project?.bans ?? 0
}

/** Days since 1970 in UTC, both inclusive. */
export type Days = { readonly first: number; readonly last: number }
export type ScriptDay = Pick<DailyExecutionRow, 'script_id' | 'day' | 'count'>
export type ExecutorCount = Pick<DailyExecutionRow, 'executor' | 'count'>

/** Lists the executions per script and day. Days without executions are omitted. */
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

/** Sums the executions of all these scripts per executor. */
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

/** Deletes up to `limit` counters for days before `before`, and returns their number. */
export const deleteOldExecutions = (tx: Queries, before: number, limit: number): Promise<number> =>
  deleteOldest(tx, {
    table: 'daily_executions',
    key: ['script_id', 'day', 'executor'],
    column: 'day',
    before,
    limit,
  })
