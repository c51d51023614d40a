/** The URL where a user can earn a key for a device. */
import type { DenialReason } from '@scriptward/client/messages'
import type { Deps } from '../../deps.ts'
import type { Device } from '../devices/devices.ts'
import type { UserRow } from '../keys/store/users.ts'
import { adsBase, nameInAddress } from './addresses.ts'
import { findEarningAdSystem, findVisitedAdSystem } from './store/ad-systems.ts'
import { makeTicket } from './visits/tickets.ts'

/** Denials that a new key, an extension or a visit to the page resolves. */
const CURABLE: ReadonlySet<DenialReason> = new Set<DenialReason>([
  'invalid_key',
  'key_expired',
  'network_locked',
])

type DeniedDevice = {
  readonly projectId: string
  readonly device: Device
  /** A user who earned a key returns to the system that issued it. */
  readonly user: UserRow | null
}

/** Undefined when no key can be earned, or a key would not help. */
export async function findAdUrl(
  deps: Deps,
  reason: DenialReason,
  denied: DeniedDevice,
): Promise<string | undefined> {
  return isCurable(reason) ? findGetKeyUrl(deps, reason, denied) : undefined
}

export function isCurable(reason: DenialReason | undefined): boolean {
  return reason !== undefined && CURABLE.has(reason)
}

/** The page where this device can earn a key, whatever the result of its check; undefined when none can be earned. */
export async function findGetKeyUrl(
  deps: Deps,
  reason: DenialReason | undefined,
  { projectId, device, user }: DeniedDevice,
): Promise<string | undefined> {
  const { read } = deps.db
  const former = user?.ad_system_id ? await findVisitedAdSystem(read, user.ad_system_id) : null
  const isOfProject = former !== null && former.project_id === projectId
  const system = isOfProject ? former : await findEarningAdSystem(read, projectId)
  if (!system) return undefined
  const page = `${adsBase(deps.config)}/${nameInAddress(system)}`
  // A key that is waiting for its first use belongs to a browser, and only that browser can unlock it.
  const ticket = reason === 'network_locked' ? undefined : makeTicket({ deps, projectId }, device)
  return ticket === undefined ? page : `${page}?d=${ticket}`
}
