/** All queries on the `user_fingerprints` table. */
import type { Insertable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { UserFingerprintsTable } from '../../../database/schema/device-tables.ts'
import { isVisible } from '../../changes/store/visible-users.ts'
import type { UserRow } from '../../keys/store/users.ts'

export type NewUserFingerprint = Insertable<UserFingerprintsTable>

const ofUser = prepared((db, p: { project_id: string; user_key: string }) =>
  db
    .selectFrom('user_fingerprints as f')
    .leftJoin('user_devices as d', (join) =>
      join
        .onRef('d.project_id', '=', 'f.project_id')
        .onRef('d.user_key', '=', 'f.user_key')
        .onRef('d.id', '=', 'f.device'),
    )
    .select(['f.device', 'f.component', 'f.strength', 'f.hash'])
    .select(['d.name', 'd.display', 'd.bound_at', 'd.last_used_at', 'd.learned_at'])
    .where('f.project_id', '=', p.project_id)
    .where('f.user_key', '=', p.user_key)
    .orderBy('f.strength', 'desc'),
)
/** Components of all of a user's devices, strongest first, each with its device's row. */
export const listUserFingerprints = async (
  db: Queries,
  { project_id, key }: Pick<UserRow, 'project_id' | 'key'>,
) => {
  const rows = await ofUser.all(db, { project_id, user_key: key })
  return rows.map((row) => ({ ...row, component: row.component.replace(/@.*/, '') }))
}

export const insertUserFingerprints = async (
  tx: Queries,
  rows: readonly NewUserFingerprint[],
): Promise<void> => {
  if (rows.length > 0) await tx.insertInto('user_fingerprints').values(rows).execute()
}

/**
 * The stored name of a component that several of a user's devices share. It includes the device, because the
 * primary key doesn't.
 */
export const sharedName = (component: string, device: string): string => `${component}@${device}`

export const deleteComponents = async (
  tx: Queries,
  { project_id, key }: Pick<UserRow, 'project_id' | 'key'>,
  device: string,
  components: readonly string[],
): Promise<void> => {
  // PostgreSQL rejects an empty list after `in`.
  if (components.length === 0) return
  await tx
    .deleteFrom('user_fingerprints')
    .where('project_id', '=', project_id)
    .where('user_key', '=', key)
    .where('device', '=', device)
    .where(
      'component',
      'in',
      components.flatMap((one) => [one, sharedName(one, device)]),
    )
    .execute()
}

/** Blacklisted users in all projects that have one of these components. */
const blacklistedWith = (db: Queries, hashes: readonly string[]) =>
  db
    .selectFrom('user_fingerprints')
    .innerJoin('users', (join) =>
      join
        .onRef('users.key', '=', 'user_fingerprints.user_key')
        .onRef('users.project_id', '=', 'user_fingerprints.project_id'),
    )
    .where('user_fingerprints.hash', 'in', hashes)
    .where('users.blacklisted', '=', 1)
    .where(isVisible())

/** Blacklisted users in a project that have one of these components. */
export const listBlacklistedByFingerprint = async (
  db: Queries,
  projectId: string,
  hashes: readonly string[],
) => {
  // PostgreSQL rejects an empty list after `in`.
  if (hashes.length === 0) return []
  return blacklistedWith(db, hashes)
    .select(['users.blacklist_reason', 'users.blacklist_expires'])
    .where('user_fingerprints.project_id', '=', projectId)
    .execute()
}

export type DeviceOfProject = { readonly project_id: string; readonly device: string }

/** Blacklisted users in one of these projects that have one of these devices. */
export const listBlacklistedDevices = async (db: Queries, devices: readonly DeviceOfProject[]) => {
  // PostgreSQL rejects an empty list after `in`.
  if (devices.length === 0) return []
  const projects = [...new Set(devices.map((one) => one.project_id))]
  const hashes = devices.map((one) => one.device)
  return blacklistedWith(db, hashes)
    .select(['user_fingerprints.project_id', 'user_fingerprints.hash', 'users.blacklist_expires'])
    .where('user_fingerprints.project_id', 'in', projects)
    .execute()
}
