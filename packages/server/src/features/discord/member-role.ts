/** Assigns the role of a customer's plan to one account on a Discord server, or removes the role. */
import type { APIGuildMember } from 'discord-api-types/v10'
import type { Deps } from '../../deps.ts'
import { DiscordFailure, type Method } from '../../platform/discord/api.ts'
import { isSnowflake } from '../../platform/discord/snowflake.ts'
import { botOf } from './bot.ts'
import { type Entitlement, type EntitlementState, readEntitlement } from './role-entitlement.ts'
import { type AssignableRole, readServerRoles } from './server-roles.ts'
import type { BotRow } from './store/bots.ts'
import { type Check, markAsking, scheduleFellows } from './store/role-checks.ts'
import {
  deleteMemberRole,
  listMemberRoles,
  type RoleProblem,
  type RoleRow,
  upsertMemberRole,
} from './store/roles.ts'

const TIMEOUT_MS = 5000
/** Discord's error codes. Source: "JSON Error Codes" in its documentation. */
const CODES = {
  unknownMember: 10_007,
  unknownRole: 10_011,
  unknownUser: 10_013,
  missingPermissions: 50_013,
  invalidRole: 50_028,
} as const

/** A bot on its server, shared by several checks. */
export class RoleBot {
  readonly deps: Deps
  readonly bot: BotRow
  #roles: Promise<readonly AssignableRole[] | DiscordFailure> | undefined

  constructor(deps: Deps, bot: BotRow) {
    this.deps = deps
    this.bot = bot
  }

  async ask<T>(method: Method, path: string, reason?: string): Promise<T | DiscordFailure> {
    return this.deps.discord.api.call<T>(botOf(this.deps, this.bot), {
      ...{ method, path: `/guilds/${this.bot.server_id}/${path}`, timeoutMs: TIMEOUT_MS },
      ...(reason !== undefined && { reason }),
    })
  }

  /** The Discord server's roles. They are requested at most once. */
  roles(): Promise<readonly AssignableRole[] | DiscordFailure> {
    this.#roles ??= readServerRoles(this.bot, (path) => this.ask('GET', path))
    return this.#roles
  }
}

/** Whether the account has its plan's role, or why not. */
export type MemberState = Exclude<EntitlementState, 'entitled'> | 'has_role' | RoleProblem
export type MemberOutcome = { readonly state: MemberState; readonly changesAt: number | null }

/** Returns a failure if the bot can't check any accounts at the moment. */
export async function checkMember(on: RoleBot, check: Check): Promise<MemberOutcome | DiscordFailure> {
  const { deps, bot } = on
  const entitled = await readEntitlement(deps, bot, check.chat_id)
  const { changesAt, roleId } = entitled
  const records = await listMemberRoles(deps.db.read, bot.project_id, check.chat_id)
  for (const record of records) {
    const isWanted = record.role_id === roleId && record.server_id === bot.server_id
    const failure = isWanted ? undefined : await takeRole(on, record)
    if (failure) return failure
  }
  const record = records.find(({ role_id }) => role_id === roleId)
  const state = await giveWanted(on, check, entitled, record)
  return state instanceof DiscordFailure ? state : { state, changesAt }
}

async function giveWanted(
  on: RoleBot,
  check: Check,
  { state, roleId }: Entitlement,
  record: RoleRow | undefined,
): Promise<MemberState | DiscordFailure> {
  if (state !== 'entitled' || roleId === null) return state === 'entitled' ? 'no_role' : state
  const isKnown = record?.is_given === 1 && record.problem === null
  if (isKnown && !check.asks) return 'has_role'
  const wanted = { project_id: check.project_id, chat_id: check.chat_id, role_id: roleId }
  const problem = await giveRole(on, { check, wanted, isGiven: record?.is_given === 1 })
  if (problem instanceof DiscordFailure || problem === undefined) return problem ?? 'has_role'
  await save(on, { ...wanted, is_given: 0, problem })
  return problem
}

type MemberRole = Pick<RoleRow, 'project_id' | 'chat_id' | 'role_id'>
type Giving = { readonly check: Check; readonly wanted: MemberRole; readonly isGiven: boolean }

async function giveRole(
  on: RoleBot,
  { check, wanted, isGiven }: Giving,
): Promise<RoleProblem | DiscordFailure | undefined> {
  const { chat_id, role_id } = wanted
  // Chat IDs may belong to other services. Discord would reject them.
  if (!isSnowflake(chat_id)) return 'member_left'
  if (!isSnowflake(role_id)) return 'role_removed'
  const member = await on.ask<APIGuildMember>('GET', `members/${chat_id}`)
  if (member instanceof DiscordFailure) return problemOf(on, member, role_id)
  if (member.roles.includes(role_id)) {
    // The bot must not remove a role that someone else assigned, so it doesn't record this role as its own.
    if (isGiven) await save(on, { ...wanted, is_given: 1, problem: null })
    else await forget(on, wanted)
    return undefined
  }
  await on.deps.unauditedDb.transaction(async (tx) => {
    // The assignment is recorded before the request. If this process crashes in between, the next check still
    // treats the role as assigned by the bot, and queries Discord again.
    await upsertMemberRole(tx, { ...rowOf(on, wanted), is_given: 1, problem: null })
    await markAsking(tx, check)
  })
  const given = await on.ask('PUT', `members/${chat_id}/roles/${role_id}`, 'Active license key')
  return given instanceof DiscordFailure ? problemOf(on, given, role_id) : undefined
}

/** Removes only roles that the bot assigned on its current server. */
async function takeRole(on: RoleBot, record: RoleRow): Promise<DiscordFailure | undefined> {
  const { chat_id, role_id } = record
  if (record.is_given === 0 || record.server_id !== on.bot.server_id) return forget(on, record)
  const taken = await on.ask('DELETE', `members/${chat_id}/roles/${role_id}`, 'No active license key')
  const problem = taken instanceof DiscordFailure ? await problemOf(on, taken, role_id) : undefined
  if (problem instanceof DiscordFailure) return problem
  if (problem === 'role_too_high' || problem === 'no_permission') {
    await save(on, { ...record, problem })
    return undefined
  }
  await on.deps.unauditedDb.transaction(async (tx) => {
    await deleteMemberRole(tx, record)
    // Another project on this server may give the same role, and this account may have a key there.
    await scheduleFellows(tx, record)
  })
  return undefined
}

/** Returns the failure itself if it concerns neither this account nor this role. */
async function problemOf(
  on: RoleBot,
  failure: DiscordFailure,
  roleId: string,
): Promise<RoleProblem | DiscordFailure> {
  switch (failure.code) {
    case CODES.unknownMember:
    case CODES.unknownUser:
      return 'member_left'
    case CODES.unknownRole:
      return 'role_removed'
    case CODES.invalidRole:
      return 'no_permission'
    case CODES.missingPermissions:
      return missingPermission(on, roleId)
    default:
      return failure
  }
}

async function missingPermission(on: RoleBot, roleId: string): Promise<RoleProblem | DiscordFailure> {
  const roles = await on.roles()
  if (roles instanceof DiscordFailure) return roles
  const isAssignable = roles.find(({ id }) => id === roleId)?.assignable ?? true
  return isAssignable ? 'no_permission' : 'role_too_high'
}

function rowOf({ deps, bot }: RoleBot, { project_id, chat_id, role_id }: MemberRole) {
  return { project_id, chat_id, role_id, server_id: bot.server_id ?? '', changed_at: deps.now() }
}

type Saved = MemberRole & Pick<RoleRow, 'is_given' | 'problem'>
async function save(on: RoleBot, { is_given, problem, ...wanted }: Saved): Promise<void> {
  const row = { ...rowOf(on, wanted), is_given, problem }
  await on.deps.unauditedDb.transaction((tx) => upsertMemberRole(tx, row))
}

async function forget({ deps }: RoleBot, role: MemberRole): Promise<undefined> {
  await deps.unauditedDb.transaction((tx) => deleteMemberRole(tx, role))
}
