/** Finds the URL where a user can earn a key for a device. */
import type { DenialReason } from '@scriptward/client/messages'
import type { Deps } from '../../deps.ts'
import type { Device } from '../devices/device-data.ts'
import type { UserRow } from '../keys/store/users.ts'
import { adsBase, nameInAddress } from './addresses.ts'
import { findEarningAdSystem, findVisitedAdSystem } from './store/ad-systems.ts'
import { makeTicket } from './visits/tickets.ts'

/** Denials that a visit to that page can resolve. */
const CURABLE: ReadonlySet<DenialReason> = new Set<DenialReason>([
  'invalid_key',
  'key_expired',
  'network_locked',
])

type DeniedDevice = {
  readonly projectId: string
  readonly device: Device
  /** The user of an earned key is sent back to the system that issued it. */
  readonly user: UserRow | null
}

/** Returns undefined if no key can be earned, or if a new key wouldn't help. */
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

/**
 * Returns the page where this device can earn a key, regardless of the reason for the denial, or undefined if
 * there is no such page.
 */
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
  // A network-locked key can be unlocked only in the browser that earned it, so a device ticket would not
  // help.
  const ticket = reason === 'network_locked' ? undefined : makeTicket({ deps, projectId }, device)
  return ticket === undefined ? page : `${page}?d=${ticket}`
}
