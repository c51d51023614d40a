/** All queries on the `outcomes` table. */
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { deleteOldest } from '../../../database/engine/delete-oldest.ts'
import { dialectOf, type JsonColumn } from '../../../database/engine/dialect.ts'
import type { OutcomesTable } from '../../../database/schema/tables.ts'

export type OutcomeRow = Selectable<OutcomesTable>
type Step = OutcomeRow['step']
export type Outcome = OutcomeRow['outcome']

const columns = [
  ['project_id', 'text'],
  ['script_id', 'text'],
  ['step', 'text'],
  ['at', 'bigint'],
  ['outcome', 'text'],
  ['count', 'bigint'],
  ['expires_at', 'bigint'],
] as const satisfies readonly (readonly [keyof OutcomeRow, JsonColumn[1]])[]

/**
 * Adds to the stored counts, and skips deleted projects and scripts. Rows are written in key order to prevent
 * deadlocks between processes.
 */
export const addOutcomes = async (tx: Queries, rows: readonly OutcomeRow[]): Promise<void> => {
  const lists = JSON.stringify(rows.map((row) => columns.map(([name]) => row[name])))
  const names = sql.raw(columns.map(([name]) => name).join(', '))
  // Without the lock, this query would still see a project that is being deleted, and the foreign key would
  // reject all counts.
  const lock = dialectOf(tx).rowLocks ? sql`for key share` : sql``
  await sql`insert into outcomes (${names})
    select ${names} from ${dialectOf(tx).rowsFrom(lists, columns)} as given
    where exists (select 1 from projects where projects.id = given.project_id ${lock})
    and (given.script_id = '' or exists (select 1 from scripts where scripts.id = given.script_id ${lock}))
    order by project_id, script_id, step, at, outcome
    on conflict (project_id, script_id, step, at, outcome)
    do update set count = outcomes.count + excluded.count`.execute(tx)
}

export type Period = { readonly step: Step; readonly from: number; readonly to: number }
export type OutcomeCount = Pick<OutcomeRow, 'at' | 'outcome' | 'count'>

/**
 * Sums the outcomes for these projects, or for one of their scripts, in hours or days that start at or after
 * `from` and before `to`.
 */
export const listOutcomes = (
  db: Queries,
  projectIds: readonly string[],
  scriptId: string | undefined,
  { step, from, to }: Period,
): Promise<OutcomeCount[]> =>
  db
    .selectFrom('outcomes')
    .select((e) => ['at', 'outcome', e.fn.sum<number>('count').as('count')])
    .where('project_id', 'in', projectIds)
    .where('script_id', '=', scriptId ?? '')
    .where('step', '=', step)
    .where('at', '>=', from)
    .where('at', '<', to)
    .groupBy(['at', 'outcome'])
    .execute()

/** Deletes a script's outcomes. The project's totals are kept. */
export const deleteScriptOutcomes = async (
  tx: Queries,
  projectId: string,
  scriptId: string,
): Promise<void> => {
  await tx
    .deleteFrom('outcomes')
    .where('project_id', '=', projectId)
    .where('script_id', '=', scriptId)
    .execute()
}

/** Deletes up to `limit` counts past their retention period, and returns their number. */
export const deleteOldOutcomes = (tx: Queries, now: number, limit: number): Promise<number> =>
  deleteOldest(tx, {
    table: 'outcomes',
    key: ['project_id', 'script_id', 'step', 'at', 'outcome'],
    column: 'expires_at',
    before: now,
    limit,
  })
