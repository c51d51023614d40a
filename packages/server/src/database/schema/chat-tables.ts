/** Tables of the Discord bots of projects: their settings, and what is known of the people on their servers. */
import { bytes, flag, nullable, number, type TableOf, text, textOf, withDefault } from './columns.ts'

/** One row per project with a bot. */
const discordBots = {
  project_id: text,
  application_id: text,
  /** The application's name on Discord. */
  name: text,
  /** 32 bytes in hexadecimal, with which Discord's requests are verified. */
  public_key: text,
  /** The bot's token, encrypted. */
  token: bytes,
  /** The server that the bot works in; null until it is chosen. */
  server_id: nullable(text),
  server_name: nullable(text),
  /** A JSON list of Discord roles and the role that each has in the project. */
  staff: text,
  connected_at: number,
  /** When the commands were last registered; null before. */
  installed_at: nullable(number),
  last_interaction_at: nullable(number),
  /** The last failed request to Discord, even if one has succeeded since. */
  failed_at: nullable(number),
  failure: nullable(text),
  /** When all roles were last compared. */
  compared_at: nullable(number),
  /** Consecutive failures to keep roles up to date, and the time of the next attempt. */
  roles_failures: withDefault(number),
  roles_retry_at: nullable(number),
}
export type DiscordBotsTable = TableOf<typeof discordBots>

/** Answers of Discord to whether an account is a member of the server. */
const discordMembers = {
  project_id: text,
  chat_id: text,
  server_id: text,
  is_member: flag,
  asked_at: number,
}
export type DiscordMembersTable = TableOf<typeof discordMembers>

/** Interactions that were handled, so that a repeated one does nothing. */
const discordClaims = {
  project_id: text,
  id: text,
  at: number,
}

/** Accounts whose roles have to be checked, and when. */
const discordRoleChecks = {
  project_id: text,
  chat_id: text,
  due_at: number,
  /** Whether Discord has to be asked for the account's roles, even if nothing has changed here. */
  asks: withDefault(flag),
}

/** Roles that the bot gave, or could not give or remove. */
const discordRoles = {
  project_id: text,
  chat_id: text,
  role_id: text,
  server_id: text,
  /** Whether the account has the role from the bot. */
  is_given: flag,
  /** Why the role could not be given or removed; null if there was no problem. */
  problem: nullable(textOf<'role_too_high' | 'no_permission' | 'member_left' | 'role_removed'>()),
  changed_at: number,
}
export type DiscordRolesTable = TableOf<typeof discordRoles>

export const chatTables = {
  discord_bots: discordBots,
  discord_members: discordMembers,
  discord_claims: discordClaims,
  discord_role_checks: discordRoleChecks,
  discord_roles: discordRoles,
}
