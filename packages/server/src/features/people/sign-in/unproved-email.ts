/**
 * E-mail addresses of which nobody knows that they are the person's: one that they took by themselves, or that came with
 * an invitation, whose link the inviter has too. Somebody could take the address of a stranger, add a passkey, and wait until
 * that stranger asks for a new password and is let into an account.
 */

import type { Queries } from '../../../database/engine/db.ts'
import type { Deps } from '../../../deps.ts'
import { issueOnce } from '../../access/single-use.ts'
import { deletePersonSingleUses, findPersonSingleUse } from '../../access/store/single-uses.ts'
import { deletePersonPasskeys } from '../store/passkeys.ts'
import type { PersonRow } from '../store/sign-ins.ts'
import { needsPasskey } from './required-factors.ts'

const UNPROVED = 'unproved_email'
/** For as long as the address stays, so in effect without an end. */
const FOR_MS = 100 * 365 * 86_400_000

/** From now on their address is one that they have not proved. */
export async function markUnproved(deps: Deps, tx: Queries, personId: string): Promise<void> {
  await deletePersonSingleUses(tx, personId, UNPROVED)
  await issueOnce(deps, tx, { purpose: UNPROVED, personId, forMs: FOR_MS })
}

/**
 * Somebody has a link for lost access, so the address is theirs, and passkeys from before may not be. Where a passkey is
 * required it stays, because it is what the link alone must not get around.
 */
export async function proveEmail(deps: Deps, tx: Queries, person: PersonRow): Promise<void> {
  const isUnproved = await findPersonSingleUse(tx, person.id, { purpose: UNPROVED, now: deps.now() })
  if (!isUnproved || (await needsPasskey(deps, tx, person))) return
  await deletePersonSingleUses(tx, person.id, UNPROVED)
  await deletePersonPasskeys(tx, person.id)
}
