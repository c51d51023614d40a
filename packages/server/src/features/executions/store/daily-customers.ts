/** Determines whether a script has many customers a day. Counts only as far as necessary. */
import { sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'

const DAY_MS = 86_400_000
const MANY = 100
/**
 * Only this many of the latest runs are examined, so that the query doesn't cost more for a script with
 * millions of runs.
 */
const MAX_RUNS = 5000

/** Returns whether more than 100 keys and guest devices ran the script in the last 24 hours. */
export async function hasManyCustomers(
  db: Queries,
  script: { readonly id: string; readonly project_id: string },
  now: number,
): Promise<boolean> {
  const newest = db
    .selectFrom('execution_log')
    .select(sql<string>`coalesce(user_key, device)`.as('customer'))
    .where('project_id', '=', script.project_id)
    .where('script_id', '=', script.id)
    .where('at', '>', now - DAY_MS)
    .where('outcome', '<>', 'denied')
    .orderBy('at', 'desc')
    .limit(MAX_RUNS)
  const { customers } = await db
    .selectFrom(newest.as('run'))
    .select((e) => e.fn.count('run.customer').distinct().as('customers'))
    .executeTakeFirstOrThrow()
  return Number(customers) > MANY
}
