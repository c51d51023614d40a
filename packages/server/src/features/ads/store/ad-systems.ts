/** All queries on the `ad_systems` table. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import { type KeysetRange, keysetOrder } from '../../../database/keyset-range.ts'
import type { AdSystemsTable } from '../../../database/schema/ad-tables.ts'
import { idsOf, type OnlyProjects } from '../../projects/store/projects.ts'

export type AdSystemRow = Selectable<AdSystemsTable>
export type NewAdSystem = Insertable<AdSystemsTable>
export type AdSystemChanges = Updateable<AdSystemsTable>

export type CountedAdSystem = AdSystemRow & { readonly total_checkpoints: number }

const counted = (db: Queries, customerId: string) =>
  db
    .selectFrom('ad_systems')
    .innerJoin('projects', 'projects.id', 'ad_systems.project_id')
    .selectAll('ad_systems')
    .select(
      sql<number>`(select count(*) from ad_checkpoints where system_id = ad_systems.id)`.as(
        'total_checkpoints',
      ),
    )
    .where('projects.customer_id', '=', customerId)

export const findAdSystem = (
  db: Queries,
  customerId: string,
  id: string,
): Promise<CountedAdSystem | undefined> =>
  counted(db, customerId).where('ad_systems.id', '=', id).executeTakeFirst()

export const listAdSystems = (
  db: Queries,
  customerId: string,
  { from, limit, ...place }: KeysetRange,
  only?: OnlyProjects,
): Promise<CountedAdSystem[]> => {
  const { beyond, start, direction } = keysetOrder(place)
  return counted(db, customerId)
    .where('ad_systems.seq', beyond, start)
    .$if(only !== undefined, (query) => query.where('ad_systems.project_id', 'in', idsOf(only)))
    .orderBy('ad_systems.seq', direction)
    .limit(limit)
    .offset(from)
    .execute()
}

export const countAdSystems = async (
  db: Queries,
  customerId: string,
  only?: OnlyProjects,
): Promise<number> => {
  const { count } = await db
    .selectFrom('ad_systems')
    .innerJoin('projects', 'projects.id', 'ad_systems.project_id')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('projects.customer_id', '=', customerId)
    .$if(only !== undefined, (query) => query.where('ad_systems.project_id', 'in', idsOf(only)))
    .executeTakeFirstOrThrow()
  return count
}

const visited = prepared((db, p: { id: string; url: string }) =>
  db
    .selectFrom('ad_systems')
    .innerJoin('projects', 'projects.id', 'ad_systems.project_id')
    .innerJoin('customers', 'customers.id', 'projects.customer_id')
    .innerJoin('tiers', 'tiers.id', 'customers.tier')
    .leftJoin('branding', 'branding.project_id', 'projects.id')
    .selectAll('ad_systems')
    .select(['projects.name as project_name', 'projects.customer_id', 'projects.key_format'])
    .select(['tiers.max_ad_users'])
    .select(['customers.plan_expires', 'customers.blacklisted', 'customers.blacklist_expires'])
    .select(['branding.name as brand_name', 'branding.accent as brand_accent'])
    .select(['branding.links as brand_links', 'branding.logo_file'])
    .select(['branding.logo_width', 'branding.logo_height'])
    .where((e) => e.or([e('ad_systems.id', '=', p.id), e(sql<string>`lower(ad_systems.url)`, '=', p.url)])),
)
/**
 * Finds a system by ID or by lowercase custom URL. Visitors don't belong to an account, so the query doesn't
 * filter by owner. It returns the owner instead.
 */
export const findVisitedAdSystem = (db: Queries, id: string, url = id.toLowerCase()) =>
  visited.first(db, { id, url })
export type VisitedAdSystem = NonNullable<Awaited<ReturnType<typeof findVisitedAdSystem>>>

/** The first system of a project that can issue keys. */
export const findEarningAdSystem = (db: Queries, projectId: string): Promise<AdSystemRow | undefined> =>
  db
    .selectFrom('ad_systems')
    .selectAll()
    .where('project_id', '=', projectId)
    .where((e) =>
      e.exists(
        e
          .selectFrom('ad_checkpoints')
          .select('ad_checkpoints.id')
          .whereRef('ad_checkpoints.system_id', '=', 'ad_systems.id'),
      ),
    )
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst()

/**
 * Locks the system against concurrent changes to it and its checkpoints. Returns undefined if it was deleted.
 */
export const lockAdSystem = (tx: Queries, projectId: string, id: string): Promise<AdSystemRow | undefined> =>
  updateAdSystem(tx, projectId, id, { id })

export const insertAdSystem = async (tx: Queries, row: NewAdSystem): Promise<void> => {
  await tx.insertInto('ad_systems').values(row).execute()
}

/** Returns undefined if the system was deleted. */
export const updateAdSystem = (
  tx: Queries,
  projectId: string,
  id: string,
  changes: AdSystemChanges,
): Promise<AdSystemRow | undefined> =>
  tx
    .updateTable('ad_systems')
    .set(changes)
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .returningAll()
    .executeTakeFirst()

/** Foreign keys cascade the deletion to the system's checkpoints and slot. */
export const deleteAdSystem = async (tx: Queries, projectId: string, id: string): Promise<boolean> => {
  const done = await tx
    .deleteFrom('ad_systems')
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}
