/** Decides, from the database alone, whether a Discord account is entitled to its plan's role. */
import type { Deps } from '../../deps.ts'
import { isActive, isBlacklisted } from '../key-validity/blacklist.ts'
import { runsUntil } from '../key-validity/clocks.ts'
import { isStaffRole } from './bot.ts'
import type { BotRow } from './store/bots.ts'
import { findRoleCustomer, listChatBans, type RoleCustomer } from './store/role-customers.ts'

/** `no_role`: the plan has no role. In every state except `entitled`, the customer must not have the role. */
export type EntitlementState =
  | 'entitled'
  | 'no_key'
  | 'no_role'
  | 'blocked'
  | 'paused'
  | 'not_started'
  | 'expired'

export type Entitlement = {
  readonly state: EntitlementState
  /** The role that the account should have. */
  readonly roleId: string | null
  /**
   * When the state will change without a change to the database, in milliseconds since 1970. Null if it
   * won't.
   */
  readonly changesAt: number | null
}

const NO_KEY: Entitlement = { state: 'no_key', roleId: null, changesAt: null }
const NO_ROLE: Entitlement = { state: 'no_role', roleId: null, changesAt: null }

export async function readEntitlement(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  bot: BotRow,
  chatId: string,
): Promise<Entitlement> {
  const customer = await findRoleCustomer(db.read, bot.project_id, chatId)
  if (customer === undefined) return NO_KEY
  const role = customer.chat_role_id
  // If a plan's role were also a staff role on this server, customers would get the permissions of staff.
  if (role === null || (await isStaffRole(db.read, bot, role))) return NO_ROLE
  const bans = await listChatBans(db.read, bot.project_id, chatId)
  const at = now()
  const state = stateOf(customer, bans, at)
  return {
    state,
    roleId: state === 'entitled' ? role : null,
    changesAt: nextChange(customer, bans, at),
  }
}

function stateOf(customer: RoleCustomer, bans: readonly (number | null)[], now: number): EntitlementState {
  const { key_expires, grace, paused_at, starts_at } = customer
  const isBanned = bans.some((expires) => isActive({ reason: null, expires }, now))
  if (isBanned || isBlacklisted(customer, now)) return 'blocked'
  if (paused_at !== null) return 'paused'
  if (starts_at !== null && starts_at > now) return 'not_started'
  const until = runsUntil(key_expires, grace)
  return until !== null && until <= now ? 'expired' : 'entitled'
}

function nextChange(customer: RoleCustomer, bans: readonly (number | null)[], now: number): number | null {
  const { starts_at, key_expires, grace, blacklist_expires } = customer
  const times = [starts_at, runsUntil(key_expires, grace), blacklist_expires, ...bans]
  const next = Math.min(...times.filter((at) => at !== null && at > now).map(Number))
  return Number.isFinite(next) ? next : null
}
