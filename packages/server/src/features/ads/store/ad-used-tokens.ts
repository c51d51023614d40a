/** All queries on the `ad_used_tokens` table. */
import type { Selectable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { deleteOldest } from '../../../database/engine/delete-oldest.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { AdUsedTokensTable } from '../../../database/schema/ad-tables.ts'

export type AdUsedTokenRow = Selectable<AdUsedTokensTable>

const inserted = prepared((db, p: { hash: string; used_at: number }) =>
  db
    .insertInto('ad_used_tokens')
    .values({ hash: p.hash, used_at: p.used_at })
    .onConflict((conflict) => conflict.column('hash').doNothing()),
)
/**
 * Marks a token as used. Returns false if it was already used. If several calls run concurrently, only one
 * returns true.
 */
export const insertAdUsedToken = async (tx: Queries, row: AdUsedTokenRow): Promise<boolean> =>
  (await inserted.count(tx, row)) > 0

const byHash = prepared((db, p: { hash: string }) =>
  db.selectFrom('ad_used_tokens').selectAll().where('hash', '=', p.hash),
)
export const findAdUsedToken = (db: Queries, hash: string): Promise<AdUsedTokenRow | null> =>
  byHash.first(db, { hash })

/** Releases a token if it could not be checked, so that the visitor can retry with it. */
export const deleteAdUsedToken = async (tx: Queries, hash: string): Promise<void> => {
  await tx.deleteFrom('ad_used_tokens').where('hash', '=', hash).execute()
}

/** Deletes up to `limit` tokens used before `before`, and returns their number. */
export const deleteOldAdUsedTokens = (tx: Queries, before: number, limit: number): Promise<number> =>
  deleteOldest(tx, { table: 'ad_used_tokens', key: ['hash'], column: 'used_at', before, limit })
