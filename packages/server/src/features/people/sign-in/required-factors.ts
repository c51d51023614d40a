/** Who needs more than a password: an authenticator app or a passkey. They are asked, or blocked until they have one. */
import type { Config } from '../../../config/config.ts'
import type { Queries } from '../../../database/engine/db.ts'
import type { Caller } from '../../access/caller.ts'
import { findCustomer } from '../../accounts/store/customers.ts'
import { listMemberships } from '../store/members.ts'
import { listPasskeys } from '../store/passkeys.ts'
import type { PersonRow, SignedIn } from '../store/sign-ins.ts'
import { isLoopback } from './relying-party.ts'

type Setting = Pick<Config, 'baseUrl' | 'requireSecondFactor'>

/** Who needs one. Unless it is set: operators of a service that others can reach. */
export function secondFactorRule({ baseUrl, requireSecondFactor }: Setting): 'operators' | 'all' | 'none' {
  if (requireSecondFactor !== undefined) return requireSecondFactor
  const isOwnMachine = baseUrl === undefined || isLoopback(new URL(baseUrl).hostname)
  return isOwnMachine ? 'none' : 'operators'
}

/** Whether to ask the person to add one. They are an operator where the account that they look at makes them one. */
export function mustAddFactor(
  config: Setting,
  { person, passkeys }: SignedIn,
  { scopes }: Pick<Caller, 'scopes'>,
): boolean {
  if (person.totp_secret !== null || passkeys > 0) return false
  const rule = secondFactorRule(config)
  return rule === 'all' || (rule === 'operators' && scopes.has('admin'))
}

/** Whether they may do nothing until they have one: only where the setting says so on purpose. */
export function isBarred(config: Setting, signedIn: SignedIn, caller: Pick<Caller, 'scopes'>): boolean {
  return config.requireSecondFactor !== undefined && mustAddFactor(config, signedIn, caller)
}

/**
 * Whether a right password is not enough although nothing is asked for after it: a second factor is required of them and
 * their only one is a passkey, which they sign in with instead.
 */
export async function needsPasskey(
  { config }: { readonly config: Setting },
  tx: Queries,
  { id, totp_secret }: PersonRow,
): Promise<boolean> {
  const rule = config.requireSecondFactor ?? 'none'
  if (rule === 'none' || totp_secret !== null || (await listPasskeys(tx, id)).length === 0) return false
  return rule === 'all' || isOperatorAnywhere(tx, id)
}

export async function isOperatorAnywhere(tx: Queries, personId: string): Promise<boolean> {
  for (const { customer_id } of await listMemberships(tx, personId))
    if ((await findCustomer(tx, customer_id))?.admin === 1) return true
  return false
}
