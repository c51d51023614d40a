/** Applies bans to running instances, including instances that start while a ban is being created. */

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
 * Ends an instance if a matching ban was created after the ban check. When the ban was created, it couldn't
 * end the instance, which didn't exist yet. `bans` is the project's current number of bans, which can't grow
 * until the transaction ends.
 */
export async function endBanned(
  tx: Queries,
  { attempt, exec }: { readonly attempt: Attempt; readonly exec: string },
  user: UserRow | null,
  bans: number,
): Promise<void> {
  if (await findBan(tx, attempt, user, bans)) await updateKicked(tx, [exec], 'blacklisted')
}
