/** All queries on the `user_devices` table. */
import type { Insertable, Selectable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { UserDevicesTable } from '../../../database/schema/device-tables.ts'
import type { UserRow } from '../../keys/store/users.ts'

export type UserDeviceRow = Selectable<UserDevicesTable>
export type NewUserDevice = Insertable<UserDevicesTable>
type Owner = Pick<UserRow, 'project_id' | 'key'>

export const insertUserDevice = async (tx: Queries, row: NewUserDevice): Promise<void> => {
  await tx.insertInto('user_devices').values(row).execute()
}

type Used = Pick<UserDeviceRow, 'project_id' | 'user_key' | 'id' | 'display' | 'last_used_at' | 'learned_at'>
const used = prepared((db, p: Used) =>
  db
    .insertInto('user_devices')
    .values({
      project_id: p.project_id,
      user_key: p.user_key,
      id: p.id,
      display: p.display,
      last_used_at: p.last_used_at,
      learned_at: p.learned_at,
    })
    .onConflict((on) =>
      on
        .columns(['project_id', 'user_key', 'id'])
        .doUpdateSet({ last_used_at: p.last_used_at, learned_at: p.learned_at }),
    ),
)
/** Inserts the row if a server version without this table bound the device in the meantime. */
export const saveUsedDevice = async (tx: Queries, device: Used): Promise<void> => {
  await used.count(tx, device)
}

/** Returns false if the user has no such device. */
export const updateDeviceName = async (
  tx: Queries,
  { project_id, key }: Owner,
  { id, name }: Pick<UserDeviceRow, 'id' | 'name'>,
): Promise<boolean> => {
  const { numUpdatedRows } = await tx
    .updateTable('user_devices')
    .set({ name })
    .where('project_id', '=', project_id)
    .where('user_key', '=', key)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Deletes one or all devices of a user, and their components. */
export const deleteUserDevices = async (
  tx: Queries,
  { project_id, key }: Owner,
  id?: string,
): Promise<void> => {
  const devices = tx
    .deleteFrom('user_devices')
    .where('project_id', '=', project_id)
    .where('user_key', '=', key)
  const components = tx
    .deleteFrom('user_fingerprints')
    .where('project_id', '=', project_id)
    .where('user_key', '=', key)
  await (id === undefined ? components : components.where('device', '=', id)).execute()
  await (id === undefined ? devices : devices.where('id', '=', id)).execute()
}
