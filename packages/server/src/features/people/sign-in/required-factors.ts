/**
 * Decides who needs an authenticator app or a passkey in addition to a password, and whether users without
 * one are asked to add one or are blocked.
 */
import type { Config } from '../../../config/config.ts'
import type { Queries } from '../../../database/engine/db.ts'
import type { Caller } from '../../access/caller.ts'
import { findCustomer } from '../../accounts/store/customers.ts'
import { listMemberships } from '../store/members.ts'
import { listPasskeys } from '../store/passkeys.ts'
import type { PersonRow, SignedIn } from '../store/sign-ins.ts'
import { isLoopback } from './relying-party.ts'

type Setting = Pick<Config, 'baseUrl' | 'requireSecondFactor'>

/**
 * Returns which users need a second factor. By default, operators need one if the server can be reached from
 * other machines.
 */
export function secondFactorRule({ baseUrl, requireSecondFactor }: Setting): 'operators' | 'all' | 'none' {
  if (requireSecondFactor !== undefined) return requireSecondFactor
  const isOwnMachine = baseUrl === undefined || isLoopback(new URL(baseUrl).hostname)
  return isOwnMachine ? 'none' : 'operators'
}

/**
 * Returns whether to ask the user to add a second factor. A user counts as an operator if the account that
 * the user has open is an operator's.
 */
export function mustAddFactor(
  config: Setting,
  { person, passkeys }: SignedIn,
  { scopes }: Pick<Caller, 'scopes'>,
): boolean {
  if (person.totp_secret !== null || passkeys > 0) return false
  const rule = secondFactorRule(config)
  return rule === 'all' || (rule === 'operators' && scopes.has('admin'))
}

/**
 * Returns whether the user is blocked until they add a second factor. This happens only if it is configured
 * explicitly.
 */
export function isBarred(config: Setting, signedIn: SignedIn, caller: Pick<Caller, 'scopes'>): boolean {
  return config.requireSecondFactor !== undefined && mustAddFactor(config, signedIn, caller)
}

/**
 * Returns whether to reject a correct password because 2FA is required and the user's only second factor is a
 * passkey. Such users sign in with the passkey instead.
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
