/** Access to a project's bot, shared by the files in this folder: the bot's token, failures and staff. */
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { type Bot, DiscordFailure, type DiscordRequest } from '../../platform/discord/api.ts'
import { ROLES } from '../access/roles.ts'
import { type Scope, scopesOfAccount, withIncluded } from '../access/scopes.ts'
import { type BotRow, findBot, updateBot } from './store/bots.ts'
import { listStaff } from './store/bots-on-server.ts'

/**
 * Roles that staff can have on Discord. Owners must sign in to the dashboard, and resellers need individual
 * key limits.
 */
export const STAFF_ROLES = ['admin', 'developer', 'support', 'reader'] as const
export type StaffRole = (typeof STAFF_ROLES)[number]

/**
 * Everyone with the Discord role whose ID is `chat_role_id` has the permissions of `role` in this project.
 */
export type Staff = { readonly chat_role_id: string; readonly role: StaffRole }

export function staffOf({ staff }: Pick<BotRow, 'staff'>): readonly Staff[] {
  return JSON.parse(staff) as Staff[]
}

/** Returns whether any bot on the same server grants permissions to members with this Discord role. */
export async function isStaffRole(
  db: Queries,
  place: Pick<BotRow, 'project_id' | 'server_id'>,
  roleId: string,
): Promise<boolean> {
  const rows = await listStaff(db, place)
  return rows.flatMap(staffOf).some(({ chat_role_id }) => chat_role_id === roleId)
}

/** The permissions of a member with these Discord roles. */
export function scopesOfStaff(bot: Pick<BotRow, 'staff'>, roleIds: readonly string[]): ReadonlySet<Scope> {
  const roles = staffOf(bot).filter(({ chat_role_id }) => roleIds.includes(chat_role_id))
  // The Scriptward server can't be administered from Discord.
  const available = scopesOfAccount({ admin: 0 })
  return withIncluded(roles.flatMap(({ role }) => ROLES[role])).intersection(available)
}

export function botOf({ secrets }: Pick<Deps, 'secrets'>, row: BotRow): Bot {
  const token = secrets.open('discordToken', row.project_id, row.token).toString('utf8')
  return { applicationId: row.application_id, token }
}

/** Calls Discord. A failure is shown in the bot's settings until a later request succeeds. */
export async function callAs<T>(
  deps: Deps,
  row: BotRow,
  request: DiscordRequest,
): Promise<T | DiscordFailure> {
  const answer = await deps.discord.api.call<T>(botOf(deps, row), request)
  if (answer instanceof DiscordFailure) await noteFailure(deps, row.project_id, answer)
  else await noteSuccess(deps, row)
  return answer
}

export async function noteFailure(deps: Deps, projectId: string, failure: DiscordFailure): Promise<void> {
  await note(deps, projectId, { failed_at: deps.now(), failure: failureText(failure) })
}

/**
 * Keeps the failure of a bot whose commands were never registered, because that failure must be fixed first.
 */
export async function noteSuccess(deps: Deps, row: BotRow): Promise<void> {
  if (row.failed_at === null || row.installed_at === null) return
  await note(deps, row.project_id, { failed_at: null, failure: null })
}

/** The failure of a bot whose application another project took over. Installing or connecting the bot clears it. */
export const TAKEN_OVER =
  'Another project now uses this Discord application, so this project no longer receives commands. Connect another application, or install the bot again to switch it back.'

/** Keeps the failure of a takeover, because the bot's own requests still succeed after one. */
async function note(
  { unauditedDb }: Deps,
  projectId: string,
  changes: Pick<BotRow, 'failed_at' | 'failure'>,
): Promise<void> {
  await unauditedDb.transaction(async (tx) => {
    const row = await findBot(tx, projectId)
    if (row?.failure !== TAKEN_OVER) await updateBot(tx, projectId, changes)
  })
}

const SENTENCES: Readonly<Record<DiscordFailure['kind'], string>> = {
  token_revoked: 'Discord rejected the bot token. Connect the bot again with a new one.',
  forbidden:
    'Discord denied the bot a permission. Open the invite link again and grant the permissions it requests.',
  unknown: 'Discord could not find what the bot requested. Install the bot again.',
  invalid: 'Discord rejected the request.',
  limited: 'Discord is rate limiting this bot. Try again in a few minutes.',
  unreachable: 'Discord could not be reached. Try again in a few minutes.',
}
const NOT_VERIFIED =
  'Discord could not reach this server. Check that the public URL works from the Internet, then install the bot again.'

/** Explains a failure and what to do about it. */
export function failureText({ kind, message }: DiscordFailure): string {
  if (kind === 'invalid' && /interactions[ _]endpoint/i.test(message)) return NOT_VERIFIED
  return message === '' ? SENTENCES[kind] : `${SENTENCES[kind]} Its message: ${message}`
}
