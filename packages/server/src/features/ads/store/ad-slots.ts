/** All queries on the `ad_slots` table. */
import type { Insertable, Selectable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import type { AdSlotsTable } from '../../../database/schema/ad-tables.ts'

export type AdSlotRow = Selectable<AdSlotsTable>
export type NewAdSlot = Insertable<AdSlotsTable>

/** A system's prepared checkpoint, unless it has expired. */
export const findAdSlot = (db: Queries, systemId: string, now: number): Promise<AdSlotRow | undefined> =>
  db
    .selectFrom('ad_slots')
    .selectAll()
    .where('system_id', '=', systemId)
    .where('expires_at', '>', now)
    .executeTakeFirst()

/** Replaces the checkpoint that was prepared before. */
export const insertAdSlot = async (tx: Queries, row: NewAdSlot): Promise<void> => {
  await deleteAdSlot(tx, row.system_id)
  await tx.insertInto('ad_slots').values(row).execute()
}

export const deleteAdSlot = async (tx: Queries, systemId: string): Promise<void> => {
  await tx.deleteFrom('ad_slots').where('system_id', '=', systemId).execute()
}
