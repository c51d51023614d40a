/** All queries on the `obfuscation_reservations` table. */
import type { Insertable, Selectable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import type { ObfuscationReservationsTable } from '../../../database/schema/account-tables.ts'

export type ObfuscationReservationRow = Selectable<ObfuscationReservationsTable>
export type NewObfuscationReservation = Insertable<ObfuscationReservationsTable>

export const insertObfuscationReservation = async (
  tx: Queries,
  row: NewObfuscationReservation,
): Promise<void> => {
  await tx.insertInto('obfuscation_reservations').values(row).execute()
}

/** Returns false if the reservation has already been deleted. */
export const deleteObfuscationReservation = async (
  tx: Queries,
  customerId: string,
  id: string,
): Promise<boolean> => {
  const done = await tx
    .deleteFrom('obfuscation_reservations')
    .where('id', '=', id)
    .where('customer_id', '=', customerId)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}

/**
 * Reservations made before `before`. They are ordered by account, so that all processes lock accounts in the
 * same order.
 */
export const listOldObfuscationReservations = (
  db: Queries,
  before: number,
  limit: number,
): Promise<ObfuscationReservationRow[]> =>
  db
    .selectFrom('obfuscation_reservations')
    .selectAll()
    .where('reserved_at', '<', before)
    .orderBy('customer_id')
    .orderBy('id')
    .limit(limit)
    .execute()
