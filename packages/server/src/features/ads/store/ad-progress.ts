/** All queries on the `ad_progress` table (visitors' progress through a system's checkpoints). */
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { deleteOldest } from '../../../database/engine/delete-oldest.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { AdProgressTable } from '../../../database/schema/ad-tables.ts'

export type AdProgressRow = Selectable<AdProgressTable>
export type NewAdProgress = Insertable<AdProgressTable>
export type AdProgressChanges = Updateable<AdProgressTable>

const latest = prepared((db, p: { visitor: string; system_id: string }) =>
  db
    .selectFrom('ad_progress')
    .selectAll()
    .where('visitor', '=', p.visitor)
    .where('system_id', '=', p.system_id)
    .orderBy('seq', 'desc')
    .limit(1),
)
/** A visitor's latest progress through a system, in any state. */
export const findLatestAdProgress = (
  db: Queries,
  visitor: string,
  systemId: string,
): Promise<AdProgressRow | null> => latest.first(db, { visitor, system_id: systemId })

const byId = prepared((db, p: { id: string }) =>
  db.selectFrom('ad_progress').selectAll().where('id', '=', p.id),
)
export const findAdProgress = (db: Queries, id: string): Promise<AdProgressRow | null> =>
  byId.first(db, { id })

export const insertAdProgress = (tx: Queries, row: NewAdProgress): Promise<AdProgressRow> =>
  tx.insertInto('ad_progress').values(row).returningAll().executeTakeFirstOrThrow()

/** Returns undefined if the progress was deleted. */
export const updateAdProgress = (
  tx: Queries,
  id: string,
  changes: AdProgressChanges,
): Promise<AdProgressRow | undefined> =>
  tx.updateTable('ad_progress').set(changes).where('id', '=', id).returningAll().executeTakeFirst()

/** Locks the progress row and returns it. Returns undefined if it was deleted. */
export const lockAdProgress = (tx: Queries, id: string): Promise<AdProgressRow | undefined> =>
  updateAdProgress(tx, id, { id })

export type Times = { readonly count: number; readonly first: number | null }

type InNetwork = { readonly network: string; readonly started_since: number; readonly issued_since: number }

/** Starts and issued keys are always read together, so one statement counts both. */
const ofNetwork = prepared((db, p: InNetwork) => {
  const since = (member: 'started_at' | 'issued_at', moment: number) =>
    db
      .selectFrom('ad_progress')
      .select((e) => [e.fn.countAll<number>().as('count'), e.fn.min(member).as('first')])
      .where('network', '=', p.network)
      .where(member, '>', moment)
  return db
    .selectFrom([since('started_at', p.started_since).as('s'), since('issued_at', p.issued_since).as('i')])
    .select(['s.count as starts', 's.first as first_start', 'i.count as issues', 'i.first as first_issue'])
})
/**
 * Counts a network's starts since one time, and its issued or extended keys since another. Also returns the
 * times of the first start and the first key.
 */
export const countNetworkAdProgress = async (
  db: Queries,
  network: string,
  { startedSince, issuedSince }: { readonly startedSince: number; readonly issuedSince: number },
): Promise<{ readonly starts: Times; readonly issues: Times }> => {
  const values = { network, started_since: startedSince, issued_since: issuedSince }
  const row = await ofNetwork.first(db, values)
  if (row === null) throw new Error('what is counted has a number')
  return {
    starts: { count: row.starts, first: row.first_start },
    issues: { count: row.issues, first: row.first_issue },
  }
}

export type OwnTimes = Times & { readonly last: number | null }

const NONE: OwnTimes = { count: 0, first: null, last: null }

const ownIssues = prepared((db, p: { visitor: string; since: number }) =>
  db
    .selectFrom('ad_progress')
    .select((e) => [
      e.fn.countAll<number>().as('count'),
      e.fn.min('issued_at').as('first'),
      e.fn.max('issued_at').as('last'),
    ])
    .where('visitor', '=', p.visitor)
    .where('issued_at', '>', p.since),
)
/**
 * Counts the keys issued to or extended for a visitor, across all systems. Also returns the times of the
 * first and last of these events.
 */
export const countOwnAdIssues = async (db: Queries, visitor: string, since: number): Promise<OwnTimes> =>
  (await ownIssues.first(db, { visitor, since })) ?? NONE

/**
 * Deletes up to `limit` rows that expired before `before`, and their attempts. Returns the number of rows.
 */
export const deleteOldAdProgress = (tx: Queries, before: number, limit: number): Promise<number> =>
  deleteOldest(tx, { table: 'ad_progress', key: ['seq'], column: 'expires_at', before, limit })
