/** All queries on the `projects` table. */
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { forUpdate } from '../../../database/engine/dialect.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import { type KeysetRange, keysetOrder } from '../../../database/keyset-range.ts'
import type { ProjectsTable } from '../../../database/schema/tables.ts'
import { isVisible } from '../../changes/store/visible-users.ts'
import { isEndAnnounced } from '../../key-validity/store/announced-ends.ts'
import { runsNoMore } from '../../plans/store.ts'

export type ProjectRow = Selectable<ProjectsTable>
export type NewProject = Insertable<ProjectsTable>
export type ProjectChanges = Updateable<ProjectsTable>

/** IDs that limit a query to some projects. Undefined means all projects of an account. */
export type OnlyProjects = ReadonlySet<string> | undefined

/** SQL doesn't allow empty lists, so the list also contains an empty ID, which no project has. */
export const idsOf = (only: OnlyProjects): string[] => ['', ...(only ?? [])]

export const listProjects = (
  db: Queries,
  customerId: string,
  { from, limit, ...place }: KeysetRange,
  only?: OnlyProjects,
): Promise<ProjectRow[]> => {
  const { beyond, start, direction } = keysetOrder(place)
  return db
    .selectFrom('projects')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where('seq', beyond, start)
    .$if(only !== undefined, (query) => query.where('id', 'in', idsOf(only)))
    .orderBy('seq', direction)
    .limit(limit)
    .offset(from)
    .execute()
}

/** Lists all projects of an account, in order of creation. */
export const listOwnProjectIds = async (db: Queries, customerId: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('projects')
    .select('id')
    .where('customer_id', '=', customerId)
    .orderBy('seq')
    .execute()
  return rows.map(({ id }) => id)
}

export const countProjects = async (
  db: Queries,
  customerId: string,
  only?: OnlyProjects,
): Promise<number> => {
  const { count } = await db
    .selectFrom('projects')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('customer_id', '=', customerId)
    .$if(only !== undefined, (query) => query.where('id', 'in', idsOf(only)))
    .executeTakeFirstOrThrow()
  return count
}

/** Returns the given IDs that belong to projects of the account. */
export const listProjectIds = async (
  db: Queries,
  customerId: string,
  ids: readonly string[],
): Promise<string[]> => {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('projects')
    .select('id')
    .where('customer_id', '=', customerId)
    .where('id', 'in', ids)
    .execute()
  return rows.map(({ id }) => id)
}

const checkable = prepared((db, p: { id: string }) =>
  db
    .selectFrom('projects')
    .innerJoin('customers', 'customers.id', 'projects.customer_id')
    .select(['projects.id', 'projects.name', 'projects.allow_checks', 'projects.allow_fingerprint_resets'])
    .select(['projects.fingerprint_reset_cooldown', 'projects.require_chat'])
    .select(['projects.require_join_chat_server', 'projects.bans', 'projects.content_revision'])
    .select(['projects.key_format', 'projects.support_url'])
    .select(['customers.plan_expires', 'customers.blacklisted', 'customers.blacklist_expires'])
    .where('projects.id', '=', p.id),
)
/** Clients are not tenants, so the owner is part of the result and not a condition. */
export const findCheckable = (db: Queries, id: string) => checkable.first(db, { id })
export type CheckableRow = NonNullable<Awaited<ReturnType<typeof findCheckable>>>

const known = prepared((db, p: { id: string }) =>
  db.selectFrom('projects').select('id').where('id', '=', p.id),
)
/** Returns whether the project exists in any account, because clients are not tenants. */
export const hasProject = async (db: Queries, id: string): Promise<boolean> =>
  (await known.first(db, { id })) !== null

const locked = prepared((db, p: { customer_id: string; id: string }) =>
  forUpdate(
    db.selectFrom('projects').selectAll().where('id', '=', p.id).where('customer_id', '=', p.customer_id),
    db,
  ),
)
/** Locks and returns the project, or null if it was deleted. */
export const lockProject = (tx: Queries, customerId: string, id: string): Promise<ProjectRow | null> =>
  locked.first(tx, { customer_id: customerId, id })

/** Locks the project for callers that don't know its account. Returns false if the project was deleted. */
export const lockAnyProject = async (tx: Queries, id: string): Promise<boolean> => {
  const one = tx.selectFrom('projects').select('seq').where('id', '=', id)
  return (await forUpdate(one, tx).executeTakeFirst()) !== undefined
}

/** Finds a project of the account, or undefined if it was deleted. */
export const findOwnProject = (
  db: Queries,
  customerId: string,
  id: string,
): Promise<ProjectRow | undefined> =>
  db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', id)
    .where('customer_id', '=', customerId)
    .executeTakeFirst()

/**
 * The number of users that are added or, if negative, deleted. `fromAds` counts users who earned their key
 * through ads.
 */
export type UserChange = { readonly users: number; readonly fromAds: number }

const counted = prepared((db, p: UserChange & { customer_id: string; id: string }) =>
  db
    .updateTable('projects')
    .set((e) => ({
      total_users: e('total_users', '+', p.users),
      ad_users: e('ad_users', '+', p.fromAds),
    }))
    .where('id', '=', p.id)
    .where('customer_id', '=', p.customer_id),
)
/**
 * Adjusts a project's counters for users that the same transaction inserts or deletes. Locks the project as
 * `lockProject` does, so a transaction that inserts users can start with this call. Returns false if the
 * project was deleted.
 */
export const changeUserCount = async (
  tx: Queries,
  customerId: string,
  id: string,
  change: UserChange,
): Promise<boolean> => (await counted.count(tx, { customer_id: customerId, id, ...change })) > 0

/**
 * Locks the project and adjusts its ban counter for bans that the same transaction inserts or, if negative,
 * deletes. Returns the new count, or undefined if the project was deleted.
 */
export const changeBanCount = async (tx: Queries, id: string, by: number): Promise<number | undefined> => {
  const row = await tx
    .updateTable('projects')
    .set((e) => ({ bans: e('bans', '+', by) }))
    .where('id', '=', id)
    .returning('bans')
    .executeTakeFirst()
  return row?.bans
}

/**
 * Counts an account's users. Users who earned their key through ads are counted separately, because service
 * tiers limit them separately.
 */
export const countCustomerUsers = async (
  db: Queries,
  customerId: string,
): Promise<{ readonly ordinary: number; readonly fromAds: number }> => {
  const { total, from_ads } = await db
    .selectFrom('projects')
    .select((e) => [
      e.fn.coalesce(e.fn.sum<number>('total_users'), e.lit(0)).as('total'),
      e.fn.coalesce(e.fn.sum<number>('ad_users'), e.lit(0)).as('from_ads'),
    ])
    .where('customer_id', '=', customerId)
    .executeTakeFirstOrThrow()
  return { ordinary: total - from_ads, fromAds: from_ads }
}

export const insertProject = (tx: Queries, row: NewProject): Promise<ProjectRow> =>
  tx.insertInto('projects').values(row).returningAll().executeTakeFirstOrThrow()

export const updateProject = (
  tx: Queries,
  customerId: string,
  id: string,
  changes: ProjectChanges,
): Promise<ProjectRow | undefined> =>
  tx
    .updateTable('projects')
    .set(changes)
    .where('id', '=', id)
    .where('customer_id', '=', customerId)
    .returningAll()
    .executeTakeFirst()

/** Deletes a project and everything in it, through the foreign keys of dependent tables. */
export const deleteProject = async (tx: Queries, customerId: string, id: string): Promise<boolean> => {
  const done = await tx
    .deleteFrom('projects')
    .where('id', '=', id)
    .where('customer_id', '=', customerId)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}

export type ExpiringProject = Pick<ProjectRow, 'id' | 'name' | 'customer_id'>

/**
 * Lists projects of any account that delete expired users automatically and have users who expired before
 * this time.
 */
export const listProjectsWithExpiredUsers = (
  db: Queries,
  before: number,
  limit: number,
): Promise<ExpiringProject[]> =>
  db
    .selectFrom('projects')
    .select(['id', 'name', 'customer_id'])
    .where('delete_expired_users', '=', 1)
    .where((e) =>
      e.exists(
        e
          .selectFrom('users as u')
          .select('u.seq')
          .whereRef('u.project_id', '=', 'projects.id')
          .where('u.key_expires', '<=', before)
          .where('u.paused_at', 'is', null)
          .where(isVisible('u'))
          .where(runsNoMore('u', before))
          .where(isEndAnnounced()),
      ),
    )
    .orderBy('seq')
    .limit(limit)
    .execute()

/** Deletes all of an account's projects, including their contents. */
export const deleteProjects = async (tx: Queries, customerId: string): Promise<number> => {
  const done = await tx.deleteFrom('projects').where('customer_id', '=', customerId).executeTakeFirst()
  return Number(done.numDeletedRows)
}

/** Maps each project to the account that owns it. */
export const listProjectOwners = async (
  db: Queries,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('projects').select(['id', 'customer_id']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, customer_id }) => [id, customer_id]))
}
