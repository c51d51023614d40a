/** All queries on the `known_browsers` table. */
import type { Insertable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { deleteOldest } from '../../../database/engine/delete-oldest.ts'
import type { KnownBrowsersTable } from '../../../database/schema/access-tables.ts'

export const insertKnownBrowser = async (tx: Queries, row: Insertable<KnownBrowsersTable>): Promise<void> => {
  await tx.insertInto('known_browsers').values(row).execute()
}

export const isKnownBrowser = async (db: Queries, personId: string, hash: string): Promise<boolean> => {
  const found = await db
    .selectFrom('known_browsers')
    .select('hash')
    .where('person_id', '=', personId)
    .where('hash', '=', hash)
    .executeTakeFirst()
  return found !== undefined
}

export const deleteOldKnownBrowsers = (tx: Queries, before: number, limit: number): Promise<number> =>
  deleteOldest(tx, {
    table: 'known_browsers',
    key: ['person_id', 'hash'],
    column: 'last_used_at',
    before,
    limit,
  })
