/** All queries on the `recovery_codes` table. */
import type { Queries } from '../../../database/engine/db.ts'

export const insertRecoveryCodes = async (
  tx: Queries,
  personId: string,
  hashes: readonly string[],
): Promise<void> => {
  await tx
    .insertInto('recovery_codes')
    .values(hashes.map((hash) => ({ person_id: personId, hash })))
    .execute()
}

/** Marks a code as used. If several requests use it at the same time, only one of them gets true. */
export const deleteRecoveryCode = async (tx: Queries, personId: string, hash: string): Promise<boolean> => {
  const { numDeletedRows } = await tx
    .deleteFrom('recovery_codes')
    .where('person_id', '=', personId)
    .where('hash', '=', hash)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export const deleteRecoveryCodes = async (tx: Queries, personId: string): Promise<void> => {
  await tx.deleteFrom('recovery_codes').where('person_id', '=', personId).execute()
}

export const countRecoveryCodes = async (db: Queries, personId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select((e) => e.fn.countAll().as('count'))
    .where('person_id', '=', personId)
    .executeTakeFirstOrThrow()
  return Number(count)
}
