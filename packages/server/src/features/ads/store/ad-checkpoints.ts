/** All queries on the `ad_checkpoints` table. Prepared ones are in `ad-slots.ts`. */
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { AdCheckpointsTable } from '../../../database/schema/ad-tables.ts'

export type AdCheckpointRow = Selectable<AdCheckpointsTable>
export type NewAdCheckpoint = Insertable<AdCheckpointsTable>
export type AdCheckpointChanges = Updateable<AdCheckpointsTable>

const ofSystem = prepared((db, p: { system_id: string; from: number; limit: number }) =>
  db
    .selectFrom('ad_checkpoints')
    .selectAll()
    .where('system_id', '=', p.system_id)
    .orderBy('index')
    .limit(p.limit)
    .offset(p.from),
)
/** Checkpoints of a system, in the order visitors complete them. */
export const listAdCheckpoints = (
  db: Queries,
  systemId: string,
  { from, limit }: { from: number; limit: number },
): Promise<AdCheckpointRow[]> => ofSystem.all(db, { system_id: systemId, from, limit })

const byCallback = prepared((db, p: { id: string }) =>
  db.selectFrom('ad_checkpoints').selectAll().where('callback_id', '=', p.id),
)
/** The checkpoint with this callback URL, which its provider redirects visitors to. */
export const findAdCheckpointByCallback = (
  db: Queries,
  callbackId: string,
): Promise<AdCheckpointRow | null> => byCallback.first(db, { id: callbackId })

const byPostback = prepared((db, p: { id: string }) =>
  db.selectFrom('ad_checkpoints').selectAll().where('postback_id', '=', p.id),
)
/** The checkpoint with this postback URL, which its provider calls to confirm visits. */
export const findAdCheckpointByPostback = (
  db: Queries,
  postbackId: string,
): Promise<AdCheckpointRow | null> => byPostback.first(db, { id: postbackId })

/** Finds the checkpoint with this ID if it belongs to the same account as the given checkpoint. */
export const findFellowAdCheckpoint = (
  db: Queries,
  id: string,
  { system_id }: Pick<AdCheckpointRow, 'system_id'>,
): Promise<AdCheckpointRow | undefined> =>
  db
    .selectFrom('ad_checkpoints')
    .innerJoin('ad_systems', 'ad_systems.id', 'ad_checkpoints.system_id')
    .innerJoin('projects', 'projects.id', 'ad_systems.project_id')
    .selectAll('ad_checkpoints')
    .where('ad_checkpoints.id', '=', id)
    .where('projects.customer_id', '=', (e) =>
      e
        .selectFrom('projects')
        .innerJoin('ad_systems', 'ad_systems.project_id', 'projects.id')
        .select('projects.customer_id')
        .where('ad_systems.id', '=', system_id),
    )
    .executeTakeFirst()

export const countAdCheckpoints = async (db: Queries, systemId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('ad_checkpoints')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('system_id', '=', systemId)
    .executeTakeFirstOrThrow()
  return count
}

export const countCustomerAdCheckpoints = async (db: Queries, customerId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('ad_checkpoints')
    .innerJoin('ad_systems', 'ad_systems.id', 'ad_checkpoints.system_id')
    .innerJoin('projects', 'projects.id', 'ad_systems.project_id')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('projects.customer_id', '=', customerId)
    .executeTakeFirstOrThrow()
  return count
}

/** Locks the checkpoint's row and returns it. Returns undefined if it was deleted. */
export const lockAdCheckpoint = (
  tx: Queries,
  systemId: string,
  id: string,
): Promise<AdCheckpointRow | undefined> => updateAdCheckpoint(tx, systemId, id, { id })

export const insertAdCheckpoint = async (tx: Queries, row: NewAdCheckpoint): Promise<void> => {
  await tx.insertInto('ad_checkpoints').values(row).execute()
}

/** Returns undefined if the checkpoint was deleted. */
export const updateAdCheckpoint = (
  tx: Queries,
  systemId: string,
  id: string,
  changes: AdCheckpointChanges,
): Promise<AdCheckpointRow | undefined> =>
  tx
    .updateTable('ad_checkpoints')
    .set(changes)
    .where('id', '=', id)
    .where('system_id', '=', systemId)
    .returningAll()
    .executeTakeFirst()

/** Moves `id` to position `to`, and the checkpoint there to `from`. */
export const updateAdCheckpointOrder = async (
  tx: Queries,
  systemId: string,
  { id, from, to }: { id: string; from: number; to: number },
): Promise<void> => {
  await tx
    .updateTable('ad_checkpoints')
    .set({ index: from })
    .where('system_id', '=', systemId)
    .where('index', '=', to)
    .execute()
  await updateAdCheckpoint(tx, systemId, id, { index: to })
}

/** Deletes a checkpoint and renumbers the ones after it. Returns false if it was already deleted. */
export const deleteAdCheckpoint = async (tx: Queries, systemId: string, id: string): Promise<boolean> => {
  const gone = await tx
    .deleteFrom('ad_checkpoints')
    .where('id', '=', id)
    .where('system_id', '=', systemId)
    .returning('index')
    .executeTakeFirst()
  if (gone === undefined) return false
  await tx
    .updateTable('ad_checkpoints')
    .set((e) => ({ index: e('index', '-', 1) }))
    .where('system_id', '=', systemId)
    .where('index', '>', gone.index)
    .execute()
  return true
}
