/** All queries on the `ad_keys` table (user keys earned through ads). */
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { AdKeysTable } from '../../../database/schema/ad-tables.ts'

export type AdKeyRow = Selectable<AdKeysTable>
export type NewAdKey = Insertable<AdKeysTable>
export type AdKeyChanges = Updateable<AdKeysTable>

/** An earned key and its user's current state. */
export type EarnedKey = AdKeyRow & {
  readonly key_expires: number | null
  readonly paused_at: number | null
  readonly starts_at: number | null
  readonly clock_began: number | null
  readonly executions: number
}

/** A key is unique only within an account. */
type UserName = { readonly project_id: string; readonly key: string }

const earned = (db: Queries) =>
  db
    .selectFrom('ad_keys')
    .innerJoin('users', (join) =>
      join.onRef('users.key', '=', 'ad_keys.user_key').onRef('users.project_id', '=', 'ad_keys.project_id'),
    )
    .selectAll('ad_keys')
    .select([
      ...(['users.key_expires', 'users.paused_at', 'users.starts_at'] as const),
      ...(['users.clock_began', 'users.executions'] as const),
    ])

const ofVisitor = prepared((db, p: { visitor: string; system_id: string }) =>
  earned(db)
    .where('ad_keys.visitor', '=', p.visitor)
    .where('ad_keys.system_id', '=', p.system_id)
    .orderBy('users.seq'),
)
/** Keys that a browser earned through a system, oldest first. */
export const listVisitorAdKeys = (db: Queries, visitor: string, systemId: string): Promise<EarnedKey[]> =>
  ofVisitor.all(db, { visitor, system_id: systemId })

const ofDevice = prepared((db, p: { device: string; system_id: string }) =>
  earned(db)
    .where('ad_keys.device', '=', p.device)
    .where('ad_keys.system_id', '=', p.system_id)
    .orderBy('users.seq'),
)
/** Keys that were earned for a device. */
export const listDeviceAdKeys = (db: Queries, device: string, systemId: string): Promise<EarnedKey[]> =>
  ofDevice.all(db, { device, system_id: systemId })

export type Surroundings = Pick<AdKeyRow, 'network' | 'browser'>

const ofNetwork = prepared((db, p: Surroundings & { system_id: string }) =>
  earned(db)
    .where('ad_keys.network', '=', p.network)
    .where('ad_keys.browser', '=', p.browser)
    .where('ad_keys.system_id', '=', p.system_id)
    .where('ad_keys.device', 'is', null)
    .orderBy('users.seq'),
)
/** Keys that were earned without a device, from this network and with a similar browser. */
export const listNetworkAdKeys = (
  db: Queries,
  { network, browser }: Surroundings,
  systemId: string,
): Promise<EarnedKey[]> => ofNetwork.all(db, { network, browser, system_id: systemId })

const lock = prepared((db, p: { project_id: string; user_key: string }) =>
  db
    .selectFrom('ad_keys')
    .select(['locked_network', 'locked_until', 'system_id', 'visitor'])
    .where('project_id', '=', p.project_id)
    .where('user_key', '=', p.user_key),
)
/**
 * A key's network lock, its ad system and the visitor who earned it. Null if the key wasn't earned through
 * ads.
 */
export const findAdKeyLock = (db: Queries, { project_id, key }: UserName) =>
  lock.first(db, { project_id, user_key: key })

export const insertAdKey = async (tx: Queries, row: NewAdKey): Promise<void> => {
  await tx.insertInto('ad_keys').values(row).execute()
}

/** Returns undefined if the key was deleted. */
export const updateAdKey = (
  tx: Queries,
  { project_id, key }: UserName,
  changes: AdKeyChanges,
): Promise<AdKeyRow | undefined> =>
  tx
    .updateTable('ad_keys')
    .set(changes)
    .where('project_id', '=', project_id)
    .where('user_key', '=', key)
    .returningAll()
    .executeTakeFirst()

/** Counts an extension. */
export const updateExtendedAdKey = async (tx: Queries, { project_id, key }: UserName): Promise<void> => {
  await tx
    .updateTable('ad_keys')
    .set((e) => ({ extended_count: e('extended_count', '+', 1) }))
    .where('project_id', '=', project_id)
    .where('user_key', '=', key)
    .execute()
}
