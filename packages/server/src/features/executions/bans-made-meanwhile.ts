/** What an instance shows to bans that are made while it runs, and its end by one that was made while it began. */

import type { Queries } from '../../database/engine/db.ts'
import { networkDigits } from '../../platform/limits/networks.ts'
import { hashesOf } from '../bans/ban-names.ts'
import type { UserRow } from '../keys/store/users.ts'
import { type InstanceRow, updateKicked } from '../sessions/store/instances.ts'
import { type Attempt, findBan } from './facts.ts'

export function bannableParts({ address, device }: Attempt): Pick<InstanceRow, 'address' | 'devices'> {
  return { address: networkDigits(address) ?? null, devices: hashesOf(device).join(' ') || null }
}

/**
 * Bans that were made since they were looked for could not see this instance to end it. `bans` is how many the project has
 * now; it cannot have more until the transaction ends.
 */
export async function endBanned(
  tx: Queries,
  { attempt, exec }: { readonly attempt: Attempt; readonly exec: string },
  user: UserRow | null,
  bans: number,
): Promise<void> {
  if (await findBan(tx, attempt, user, bans)) await updateKicked(tx, [exec], 'blacklisted')
}
