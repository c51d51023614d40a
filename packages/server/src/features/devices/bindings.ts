/**
 * Saves a run's changes to its key's devices: a new binding, the last use, and changed components. The user's
 * row is locked, so that concurrent first runs can't bind more devices than the key allows.
 */

import { newId } from '../../api/ids.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { DeviceRule } from '../../database/schema/device-tables.ts'
import type { Deps } from '../../deps.ts'
import { deviceTermsOf } from '../key-validity/terms.ts'
import type { UserRow } from '../keys/store/users.ts'
import type { PlanRow } from '../plans/store.ts'
import { addEvent, eventUser } from '../webhooks/events/events.ts'
import { type Component, type Device, isStrong, maskDevice, newComponents } from './device-data.ts'
import { groupDevices, type KnownDevice, lastUsed, learnedComponents, recognize } from './recognition.ts'
import { insertUserDevice, saveUsedDevice } from './store/user-devices.ts'
import {
  deleteComponents,
  insertUserFingerprints,
  listUserFingerprints,
  sharedName,
} from './store/user-fingerprints.ts'

type Owner = Pick<UserRow, 'project_id' | 'key'>
/** The user's columns after the change. */
export type Bound = Pick<UserRow, 'fingerprint_assigned' | 'fingerprint_display'>

/** The last use of a device is stored with this precision. */
const HOUR_MS = 3_600_000

export async function listDevices(db: Queries, user: Owner): Promise<KnownDevice[]> {
  return groupDevices(await listUserFingerprints(db, user))
}

export type Visit = {
  readonly user: UserRow
  readonly plan: PlanRow | null
  readonly known: readonly KnownDevice[]
  readonly device: Device
  readonly address: string
  readonly executor: string
  readonly now: number
}

/** Updates a user's bound devices after a granted run. */
export function settleDevice(tx: Queries, deps: Deps, visit: Visit): Promise<Bound> {
  const { user, plan, known, device } = visit
  const terms = deviceTermsOf(user, plan)
  const found = recognize(known, device, terms)
  if (found.match === 'same') return useDevice(tx, visit, found.device, terms.rule)
  return found.match === 'unbound' ? bindDevice(tx, deps, visit) : Promise.resolve(user)
}

/** Binds a device to the key. Call this only if the key allows another device. */
export async function bindDevice(tx: Queries, deps: Deps, visit: Visit): Promise<Bound> {
  const { user, plan, known, device, address, executor, now } = visit
  const masked = maskDevice(device, address, executor)
  const components = newComponents([], device)
  const display = JSON.stringify(masked)
  const id = await addDevice(tx, deps, user, { known, components, display, used: now })
  const { most } = deviceTermsOf(user, plan)
  // If a key allows only one device, no device event is sent.
  if (most > 1) {
    const devices = { device: { id, ...masked }, devices: known.length + 1, max_devices: most }
    const data = { user: eventUser(user), actor: 'user', ...devices } as const
    await addEvent(tx, deps, { type: 'user.device_added', project_id: user.project_id, data })
  }
  return { fingerprint_assigned: 1, fingerprint_display: display }
}

type Added = {
  readonly known: readonly KnownDevice[]
  readonly components: readonly Component[]
  readonly display: string
  /** Null until the device's first run. */
  readonly used: number | null
}

/** Returns the device's ID, which is never reused. */
export async function addDevice(
  tx: Queries,
  { now, random }: Pick<Deps, 'now' | 'random'>,
  { project_id, key }: Owner,
  { known, components, display, used }: Added,
): Promise<string> {
  const bound_at = used ?? now()
  const id = newId('dev', bound_at, random)
  await insertUserDevice(tx, { project_id, user_key: key, id, display, bound_at, last_used_at: used })
  await insertComponents(tx, { project_id, key }, { id, known, components })
  return id
}

async function useDevice(
  tx: Queries,
  { user, known, device, now }: Visit,
  one: KnownDevice,
  rule: DeviceRule,
): Promise<Bound> {
  const learned = learnedComponents(one, device, rule, now)
  const added = newComponents(one.components, device)
  await deleteComponents(
    tx,
    user,
    one.id,
    learned.map(({ component }) => component),
  )
  await insertComponents(tx, user, { id: one.id, known, components: [...learned, ...added] })
  const learned_at = learned.some(isStrong) ? now : one.learned_at
  const isLast = lastUsed(known) === one
  const isRecent = one.last_used_at !== null && now - one.last_used_at < HOUR_MS
  if (!isLast || !isRecent || learned_at !== one.learned_at) {
    const used = { display: one.display, last_used_at: now, learned_at }
    await saveUsedDevice(tx, { project_id: user.project_id, user_key: user.key, id: one.id, ...used })
  }
  const fingerprint_display = isLast ? user.fingerprint_display : (one.display ?? user.fingerprint_display)
  return { fingerprint_assigned: user.fingerprint_assigned, fingerprint_display }
}

type Components = {
  readonly id: string
  readonly known: readonly KnownDevice[]
  readonly components: readonly Component[]
}

async function insertComponents(
  tx: Queries,
  { project_id, key }: Owner,
  { id, known, components }: Components,
): Promise<void> {
  const others = known.filter((one) => one.id !== id).flatMap((one) => one.components)
  const taken = new Set(others.map(({ component, hash }) => `${component} ${hash}`))
  const rows = components.map(({ component, strength, hash }) => {
    const name = taken.has(`${component} ${hash}`) ? sharedName(component, id) : component
    return { project_id, user_key: key, device: id, component: name, strength, hash }
  })
  await insertUserFingerprints(tx, rows)
}
