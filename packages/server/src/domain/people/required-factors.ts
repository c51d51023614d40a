/** Who needs more than a password: an authenticator app or a passkey. They are asked, or kept out until they have one. */
import type { Config } from '../../config.ts'
import type { SignedIn } from '../../store/tables/sign-ins.ts'
import type { Caller } from '../access/caller.ts'
import { isLoopback } from './relying-party.ts'

type Setting = Pick<Config, 'baseUrl' | 'requireSecondFactor'>

/** Of whom one is wanted. Unless it is set: operators of a service that others can reach. */
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
export function isKeptOut(config: Setting, signedIn: SignedIn, caller: Pick<Caller, 'scopes'>): boolean {
  return config.requireSecondFactor !== undefined && mustAddFactor(config, signedIn, caller)
}
