/** All queries on the `ad_visitors` table. */
import type { Selectable, Updateable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { deleteOldest } from '../../../database/engine/delete-oldest.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { AdVisitorsTable } from '../../../database/schema/ad-tables.ts'

export type AdVisitorRow = Selectable<AdVisitorsTable>
export type AdVisitorChanges = Updateable<AdVisitorsTable>

const byHash = prepared((db, p: { id_hash: string }) =>
  db.selectFrom('ad_visitors').selectAll().where('id_hash', '=', p.id_hash),
)
export const findAdVisitor = (db: Queries, idHash: string): Promise<AdVisitorRow | null> =>
  byHash.first(db, { id_hash: idHash })

type Seen = Pick<AdVisitorRow, 'id_hash' | 'first_seen' | 'last_seen' | 'network' | 'browser'>

const seen = prepared((db, p: Seen) =>
  db
    .insertInto('ad_visitors')
    .values({
      id_hash: p.id_hash,
      first_seen: p.first_seen,
      last_seen: p.last_seen,
      network: p.network,
      browser: p.browser,
    })
    .onConflict((conflict) =>
      conflict
        .column('id_hash')
        .doUpdateSet({ last_seen: p.last_seen, network: p.network, browser: p.browser }),
    )
    .returningAll(),
)
/**
 * Creates the visitor, or updates their network. Locks the row against concurrent transactions for this
 * visitor.
 */
export const insertAdVisitor = async (tx: Queries, visitor: Seen): Promise<AdVisitorRow> => {
  const row = await seen.first(tx, visitor)
  if (row === null) throw new Error('a row that was just written is there')
  return row
}

export type NetworkConduct = Pick<AdVisitorRow, 'risk' | 'failures' | 'failures_since' | 'blocked_until'>

const ofNetwork = prepared((db, p: { network: string; seen_since: number; failed_since: number }) =>
  db
    .selectFrom('ad_visitors')
    .select((e) => [
      e.fn.coalesce(e.fn.max('risk'), e.lit(0)).as('risk'),
      e.fn
        .coalesce(
          e.fn.sum<number>(
            e.case().when('failures_since', '>', p.failed_since).then(e.ref('failures')).else(e.lit(0)).end(),
          ),
          e.lit(0),
        )
        .as('failures'),
      e.fn.coalesce(e.fn.max('failures_since'), e.lit(0)).as('failures_since'),
      e.fn.coalesce(e.fn.max('blocked_until'), e.lit(0)).as('blocked_until'),
    ])
    .where('network', '=', p.network)
    .where('last_seen', '>', p.seen_since),
)
/**
 * The highest risk score and the longest block among a network's visitors, and the total number of their
 * failures across all cookies.
 */
export const findNetworkConduct = async (
  db: Queries,
  network: string,
  { seenSince, failedSince }: { readonly seenSince: number; readonly failedSince: number },
): Promise<NetworkConduct> => {
  const row = await ofNetwork.first(db, { network, seen_since: seenSince, failed_since: failedSince })
  return row ?? { risk: 0, failures: 0, failures_since: 0, blocked_until: 0 }
}

/** Returns undefined if the visitor was deleted. */
export const updateAdVisitor = (
  tx: Queries,
  idHash: string,
  changes: AdVisitorChanges,
): Promise<AdVisitorRow | undefined> =>
  tx.updateTable('ad_visitors').set(changes).where('id_hash', '=', idHash).returningAll().executeTakeFirst()

export const lockAdVisitor = (tx: Queries, idHash: string): Promise<AdVisitorRow | undefined> =>
  updateAdVisitor(tx, idHash, { id_hash: idHash })

/** Deletes up to `limit` visitors last seen before `before`, and returns their number. */
export const deleteOldAdVisitors = (tx: Queries, before: number, limit: number): Promise<number> =>
  deleteOldest(tx, { table: 'ad_visitors', key: ['id_hash'], column: 'last_seen', before, limit })
