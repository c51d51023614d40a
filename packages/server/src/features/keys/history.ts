/** A user's stored executions and devices, as shown to the author. */

import { readPage } from '../../api/pagination.ts'
import { Refused } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { listDevices } from '../devices/bindings.ts'
import { type Component, maskHash, STRENGTHS } from '../devices/device-data.ts'
import { type Display, readDisplay } from '../devices/manage-devices.ts'
import { type KnownDevice, lastUsed } from '../devices/recognition.ts'
import { listUserMarks, type UserMark } from '../executions/store/execution-marks.ts'
import type { UserRow } from './store/users.ts'

const LISTED = 100
const EXECUTIONS = { name: 'execution', numberOf: ({ seq }: UserMark) => seq }

/** Lists a user's executions, newest first. Only executions that received a watermarked copy are recorded. */
export async function listUserExecutions(
  { db }: Deps,
  user: UserRow,
  { after, limit = LISTED }: { readonly after?: string; readonly limit?: number },
) {
  const query = { limit, order: 'newest', ...(after === undefined ? {} : { after }) } as const
  const found = await readPage(EXECUTIONS, query, (range) => listUserMarks(db.read, user, range))
  if (found instanceof Refused) return found
  return { executions: found.rows.map(({ seq: _, ...execution }) => execution), next: found.next }
}

/** Describes the most recently used device, with masked components. Returns null if no device is bound. */
export async function describeDevice({ db }: Deps, user: UserRow) {
  if (user.fingerprint_assigned === 0) return null
  const last = lastUsed(await listDevices(db.read, user))
  const shown: Display = readDisplay(user.fingerprint_display)
  return {
    ip: shown.ip ?? null,
    executor: shown.executor ?? null,
    components: (last?.components ?? []).map(describeComponent),
  }
}

/** Describes all devices in the order they were bound. */
export async function describeDevices({ db }: Deps, user: Pick<UserRow, 'project_id' | 'key'>) {
  const devices = await listDevices(db.read, user)
  return devices.toSorted(byBinding).map(({ id, name, display, components, bound_at, last_used_at }) => {
    const { ip = null, executor = null, fingerprint = null } = readDisplay(display)
    const masked = { ip, executor, fingerprint }
    return { id, name, ...masked, bound_at, last_used_at, components: components.map(describeComponent) }
  })
}

function byBinding(a: KnownDevice, b: KnownDevice): number {
  return (a.bound_at ?? 0) - (b.bound_at ?? 0) || (a.id < b.id ? -1 : 1)
}

function describeComponent({ component, strength, hash }: Component) {
  return { component, strength: nameOf(strength), hash: maskHash(hash) }
}

type StrengthName = keyof typeof STRENGTHS

function nameOf(strength: number): StrengthName {
  const names = Object.keys(STRENGTHS) as StrengthName[]
  return names.find((name) => STRENGTHS[name] === strength) ?? 'weak'
}
