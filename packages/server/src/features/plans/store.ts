/** All queries on the `plans` table, and updates of users after changes to their plan. */
import { type Insertable, type RawBuilder, type Selectable, type SqlBool, sql, type Updateable } from 'kysely'
import type { Queries } from '../../database/engine/db.ts'
import { dialectOf, forUpdate } from '../../database/engine/dialect.ts'
import { prepared } from '../../database/engine/prepared.ts'
import type { PlansTable } from '../../database/schema/tables.ts'

export type PlanRow = Selectable<PlansTable>
export type NewPlan = Insertable<PlansTable>
export type PlanChanges = Updateable<PlansTable>

const one = prepared((db, p: { id: string }) => db.selectFrom('plans').selectAll().where('id', '=', p.id))
/** Finds the plan of a user's row. The row implies the project, so the project isn't checked. */
export const findPlan = (db: Queries, id: string): Promise<PlanRow | null> => one.first(db, { id })

/** Returns a user's plan. A plan that has been removed counts as none. */
export const findPlanOf = async (
  db: Queries,
  { plan_id }: { readonly plan_id: string | null },
): Promise<PlanRow | null> => (plan_id === null ? null : findPlan(db, plan_id))

/** Lists a project's plans in order of creation. */
export const listPlans = (db: Queries, projectId: string): Promise<PlanRow[]> =>
  db.selectFrom('plans').selectAll().where('project_id', '=', projectId).orderBy('seq').execute()

export const countPlans = async (db: Queries, projectId: string): Promise<number> => {
  const counted = db.selectFrom('plans').select((e) => e.fn.countAll<number>().as('count'))
  return Number((await counted.where('project_id', '=', projectId).executeTakeFirstOrThrow()).count)
}

export const findPlanByName = (db: Queries, projectId: string, name: string) =>
  db
    .selectFrom('plans')
    .select('id')
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst()

/**
 * Locks a plan for a transaction that assigns keys to it. The plan can't be edited or removed until the
 * transaction ends, because both need to see all of its keys. Returns undefined if the project has no plan with
 * this ID.
 */
export const claimPlan = (tx: Queries, projectId: string, id: string): Promise<PlanRow | undefined> => {
  const plan = tx.selectFrom('plans').selectAll().where('id', '=', id).where('project_id', '=', projectId)
  return (dialectOf(tx).rowLocks ? plan.modifyEnd(sql`for share`) : plan).executeTakeFirst()
}

export const lockPlan = (tx: Queries, projectId: string, id: string): Promise<PlanRow | undefined> =>
  forUpdate(
    tx.selectFrom('plans').selectAll().where('id', '=', id).where('project_id', '=', projectId),
    tx,
  ).executeTakeFirst()

/**
 * A condition for keys that expired before this time and can no longer run: their grace period is over, and
 * their plan doesn't let them keep running.
 */
export const runsNoMore = (users: string, before: number): RawBuilder<SqlBool> =>
  sql`not exists (select 1 from plans where plans.id = ${sql.ref(`${users}.plan_id`)}
    and (plans.after_expiry = 'keep_version' or ${sql.ref(`${users}.key_expires`)} + plans.grace > ${before}))`

export const insertPlan = async (tx: Queries, row: NewPlan): Promise<void> => {
  await tx.insertInto('plans').values(row).execute()
}

export const updatePlan = (tx: Queries, id: string, changes: PlanChanges): Promise<PlanRow> =>
  tx.updateTable('plans').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

export const deletePlan = async (tx: Queries, id: string): Promise<void> => {
  await tx.deleteFrom('plans').where('id', '=', id).execute()
}

const followers = prepared<{ id: string }, { count: number }>(
  (_, p) => sql`select count(*) as count from users where plan_id = ${p.id}`,
)
/** Counts the users on a plan, including users that a change is still adding. */
export const countFollowers = async (db: Queries, id: string): Promise<number> =>
  Number((await followers.first(db, { id }))?.count ?? 0)

/** Counts the users on each plan of a project. Plans without users are omitted. */
export const countAllFollowers = async (
  db: Queries,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id, await countFollowers(db, id))
  return counts
}

/** Moves all users on a plan to another plan. Their clocks are updated separately. */
export const updateFollowers = async (tx: Queries, from: string, to: string): Promise<void> => {
  await sql`update users set plan_id = ${to} where plan_id = ${from}`.execute(tx)
}
