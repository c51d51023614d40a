/** All queries on the `tiers` table. */
import type { Insertable, Selectable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { TiersTable } from '../../../database/schema/account-tables.ts'

export type TierRow = Selectable<TiersTable>
export type NewTier = Insertable<TiersTable>

export const findTier = (db: Queries, id: number): Promise<TierRow | undefined> =>
  db.selectFrom('tiers').selectAll().where('id', '=', id).executeTakeFirst()

export const listTiers = (db: Queries): Promise<TierRow[]> =>
  db.selectFrom('tiers').selectAll().orderBy('id').execute()

/** Replaces the tier with this ID. */
export const insertTier = (tx: Queries, { id, ...rest }: NewTier): Promise<TierRow> =>
  tx
    .insertInto('tiers')
    .values({ id, ...rest })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(rest))
    .returningAll()
    .executeTakeFirstOrThrow()

/** Inserts a new database's tiers. Existing tiers stay unchanged. */
export const insertFirstTiers = async (tx: Queries, rows: readonly NewTier[]): Promise<void> => {
  await tx
    .insertInto('tiers')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Returns false if the tier doesn't exist. Throws if an account is on the tier. */
export const deleteTier = async (tx: Queries, id: number): Promise<boolean> => {
  const done = await tx.deleteFrom('tiers').where('id', '=', id).executeTakeFirst()
  return done.numDeletedRows > 0n
}

const logDays = prepared((db, p: { project_id: string }) =>
  db
    .selectFrom('projects as p')
    .innerJoin('customers as c', 'c.id', 'p.customer_id')
    .innerJoin('tiers as t', 't.id', 'c.tier')
    .select('t.log_days')
    .where('p.id', '=', p.project_id),
)
/** Returns a project's execution log retention in days, or undefined for a deleted project. */
export const findLogDays = async (db: Queries, project_id: string): Promise<number | undefined> =>
  (await logDays.first(db, { project_id }))?.log_days
