/** All queries on the `executor_hits` and `executor_hit_customers` tables. */
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import type {
  ExecutorHitCustomersTable,
  ExecutorHitsTable,
} from '../../../database/schema/executor-tables.ts'

type HitCustomer = Selectable<ExecutorHitCustomersTable>

/** Lists the executors that are counted by name. */
export const listHitExecutors = async (db: Queries, script_id: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('executor_hits')
    .select('executor')
    .distinct()
    .where('script_id', '=', script_id)
    .execute()
  return rows.map(({ executor }) => executor)
}

export const addHit = async (tx: Queries, row: Selectable<ExecutorHitsTable>): Promise<void> => {
  await tx
    .insertInto('executor_hits')
    .values(row)
    .onConflict((on) =>
      on
        .columns(['script_id', 'executor', 'day'])
        .doUpdateSet((e) => ({ runs: e('executor_hits.runs', '+', row.runs) })),
    )
    .execute()
}

/** Returns whether the script already has `count` customers, not including this one. */
export const hasHitCustomers = async (
  db: Queries,
  { script_id, executor, customer }: Omit<HitCustomer, 'day'>,
  count: number,
): Promise<boolean> => {
  const ofScript = db.selectFrom('executor_hit_customers').where('script_id', '=', script_id)
  const known = await ofScript
    .select('day')
    .where('executor', '=', executor)
    .where('customer', '=', customer)
    .executeTakeFirst()
  if (known) return false
  const last = await ofScript
    .select('day')
    .limit(1)
    .offset(count - 1)
    .executeTakeFirst()
  return last !== undefined
}

export const putHitCustomer = async (tx: Queries, row: HitCustomer): Promise<void> => {
  const { day } = row
  await tx
    .insertInto('executor_hit_customers')
    .values(row)
    .onConflict((on) => on.columns(['script_id', 'executor', 'customer']).doUpdateSet({ day }))
    .execute()
}

type Hits = {
  readonly executors: { readonly executor: string; readonly runs: number; readonly customers: number }[]
  readonly customers: number
}
/** Counts the runs and customers since a given day, by executor and in total, most runs first. */
export const listHits = async (db: Queries, script_id: string, from: number): Promise<Hits> => {
  const runs = await db
    .selectFrom('executor_hits')
    .select(['executor', (e) => e.fn.sum<number>('runs').as('runs')])
    .where('script_id', '=', script_id)
    .where('day', '>=', from)
    .groupBy('executor')
    .execute()
  const recent = db
    .selectFrom('executor_hit_customers')
    .where('script_id', '=', script_id)
    .where('day', '>=', from)
  const customers = await recent
    .select(['executor', (e) => e.fn.countAll<number>().as('count')])
    .groupBy('executor')
    .execute()
  const total = await recent
    .select((e) => e.fn.count<number>('customer').distinct().as('count'))
    .executeTakeFirst()
  const countOf = (name: string) => Number(customers.find(({ executor }) => executor === name)?.count ?? 0)
  const executors = runs.map((row) => ({
    executor: row.executor,
    runs: Number(row.runs),
    customers: countOf(row.executor),
  }))
  return { executors: executors.sort((a, b) => b.runs - a.runs), customers: Number(total?.count ?? 0) }
}

export const deleteHits = async (tx: Queries, script_id: string): Promise<void> => {
  for (const table of ['executor_hits', 'executor_hit_customers'] as const)
    await tx.deleteFrom(table).where('script_id', '=', script_id).execute()
}

/** Deletes the rows for days before `day`. */
export const deleteOldHits = async (tx: Queries, day: number, limit: number): Promise<number> => {
  const hits = await sql`delete from executor_hits where (script_id, executor, day) in
    (select script_id, executor, day from executor_hits where day < ${day} limit ${limit})`.execute(tx)
  const customers = await sql`delete from executor_hit_customers where (script_id, executor, customer) in
    (select script_id, executor, customer from executor_hit_customers where day < ${day} limit ${limit})`.execute(
    tx,
  )
  return Math.max(Number(hits.numAffectedRows ?? 0n), Number(customers.numAffectedRows ?? 0n))
}
