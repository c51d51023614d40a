/**
 * Tracks email addresses whose ownership is unproven: an address that a user set without confirmation, or one
 * from an invitation, because the inviter also has the link. Otherwise, an attacker could claim a stranger's
 * address, add a passkey, and wait until the stranger resets the password and joins an account.
 */

import type { Queries } from '../../../database/engine/db.ts'
import type { Deps } from '../../../deps.ts'
import { issueOnce } from '../../access/single-use.ts'
import { deletePersonSingleUses, findPersonSingleUse } from '../../access/store/single-uses.ts'
import { deletePersonPasskeys } from '../store/passkeys.ts'
import type { PersonRow } from '../store/sign-ins.ts'
import { needsPasskey } from './required-factors.ts'

const UNPROVED = 'unproved_email'
/**
 * Lifetime of the mark. It is practically infinite, because the mark must last for as long as the email
 * address is in use.
 */
const FOR_MS = 100 * 365 * 86_400_000

/** Marks the user's email address as unproven. */
export async function markUnproved(deps: Deps, tx: Queries, personId: string): Promise<void> {
  await deletePersonSingleUses(tx, personId, UNPROVED)
  await issueOnce(deps, tx, { purpose: UNPROVED, personId, forMs: FOR_MS })
}

/**
 * Called when someone uses an access recovery link. This proves that they own the email address, but existing
 * passkeys may belong to someone else and are removed. If a passkey is required, passkeys are kept, because
 * the link alone must not bypass them.
 */
export async function proveEmail(deps: Deps, tx: Queries, person: PersonRow): Promise<void> {
  const isUnproved = await findPersonSingleUse(tx, person.id, { purpose: UNPROVED, now: deps.now() })
  if (!isUnproved || (await needsPasskey(deps, tx, person))) return
  await deletePersonSingleUses(tx, person.id, UNPROVED)
  await deletePersonPasskeys(tx, person.id)
}
