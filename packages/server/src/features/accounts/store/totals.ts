/**
 * Counts of everything that an account owns. Each query reads several tables, so it doesn't belong in the
 * file of any single table.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import { isHiding } from '../../changes/store/visible-users.ts'

type Owned = { customer_id: string; now: number }
const runningOf = (db: Queries, p: Owned) =>
  db
    .selectFrom('instances')
    .innerJoin('projects', 'projects.id', 'instances.project_id')
    .select((e) => ['projects.id', e.fn.countAll<number>().as('count')])
    .where('projects.customer_id', '=', p.customer_id)
    .where('instances.expires_at', '>', p.now)
    .where('instances.kick', 'is', null)
    .groupBy('projects.id')
const running = prepared(runningOf)
const runningInProject = prepared((db, p: Owned & { project_id: string }) =>
  runningOf(db, p).where('projects.id', '=', p.project_id),
)
/** Counts running instances per project. Projects without any are omitted. */
export const countInstances = async (
  db: Queries,
  customer_id: string,
  now: number,
  project_id?: string,
): Promise<Map<string, number>> => {
  const owned = { customer_id, now }
  const rows = await (project_id === undefined
    ? running.all(db, owned)
    : runningInProject.all(db, { ...owned, project_id }))
  return new Map(rows.map((row) => [row.id, row.count]))
}

export type UserTotals = { total: number; banned: number; unused: number; from_ads: number }

/**
 * A user without any execution, fingerprint or Discord account counts as unused. Expired blacklists don't
 * count. Each count uses a partial index, so its condition repeats the index's condition. The number of
 * unused users is the number of unbound users minus the few that have an executor. The partial indexes
 * include users that an unfinished bulk change is still adding, so these users are counted separately,
 * through the change's trash, and subtracted.
 */
export const countUsersByState = async (
  db: Queries,
  customerId: string,
  now: number,
): Promise<UserTotals> => {
  const added = (condition: RawBuilder<unknown>) =>
    sql<number>`(select count(*) from changes as c join trash on trash.change = c.seq join users on users.project_id = c.project_id
      and users.key = trash.user_key and users.change = c.seq where c.project_id = projects.id and ${isHiding} and ${condition})`
  const count = (condition: RawBuilder<unknown>) =>
    sql<number>`((select count(*) from users where users.project_id = projects.id and ${condition})
      - ${added(condition)})`
  const unbound = sql`fingerprint_assigned = 0 and chat_id is null`
  const counted = await db
    .selectFrom('projects')
    .where('customer_id', '=', customerId)
    .select([
      'total_users as total',
      count(sql`blacklisted = 1 and (blacklist_expires is null or blacklist_expires > ${now})`).as('banned'),
      sql<number>`${count(unbound)} - ${count(sql`${unbound} and executor >= '' and executions > 0`)}`.as(
        'unused',
      ),
      'ad_users as from_ads',
    ])
    .execute()
  const sum = (state: keyof UserTotals) => counted.reduce((total, project) => total + project[state], 0)
  return { total: sum('total'), banned: sum('banned'), unused: sum('unused'), from_ads: sum('from_ads') }
}

export const countFfaDevices = async (db: Queries, customerId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('ffa_devices')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('customer_id', '=', customerId)
    .executeTakeFirstOrThrow()
  return count
}
