/** Rows of `ad_used_tokens` and every statement on that table. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { AdUsedTokensTable } from './ad-tables.ts'
import type { Queries } from './db.ts'
import { dialectOf } from './dialect.ts'
import { prepared } from './prepared.ts'

export type AdUsedTokenRow = Selectable<AdUsedTokensTable>
export type NewAdUsedToken = Insertable<AdUsedTokensTable>
export type AdUsedTokenChanges = Updateable<AdUsedTokensTable>

const inserted = prepared((db, p: { hash: string; used_at: number }) =>
  db
    .insertInto('ad_used_tokens')
    .values({ hash: p.hash, used_at: p.used_at })
    .onConflict((conflict) => conflict.column('hash').doNothing()),
)
/** False when it was used before; of many at once exactly one gets true. */
export const insertAdUsedToken = async (tx: Queries, row: AdUsedTokenRow): Promise<boolean> =>
  (await inserted.count(tx, row)) > 0

/** For a token whose check could not be made, so that the same visitor may come with it once more. */
export const deleteAdUsedToken = async (tx: Queries, hash: string): Promise<void> => {
  await tx.deleteFrom('ad_used_tokens').where('hash', '=', hash).execute()
}

/** Takes at most `limit` from before, and answers how many it took. */
export const deleteOldAdUsedTokens = async (tx: Queries, before: number, limit: number): Promise<number> => {
  const old = tx
    .selectFrom('ad_used_tokens')
    .select('hash')
    .where('used_at', '<', before)
    .orderBy('used_at')
    .limit(limit)
  const taken = dialectOf(tx).rowLocks ? old.modifyEnd(sql`for update skip locked`) : old
  const done = await tx.deleteFrom('ad_used_tokens').where('hash', 'in', taken).executeTakeFirst()
  return Number(done.numDeletedRows)
}
