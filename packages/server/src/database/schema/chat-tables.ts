/** Tables for the Discord bots of projects: their settings, and cached data about server members. */
import { bytes, flag, nullable, number, type TableOf, text, textOf, withDefault } from './columns.ts'

/** One row per project with a bot. */
const discordBots = {
  project_id: text,
  application_id: text,
  /** The application's name on Discord. */
  name: text,
  /** Ed25519 key that verifies Discord's requests, as 32 bytes in hex. */
  public_key: text,
  /** The bot's token, encrypted. */
  token: bytes,
  /** The Discord server that the bot works in. Null until one is chosen. */
  server_id: nullable(text),
  server_name: nullable(text),
  /** JSON: Discord roles, each with the team role in the project that it grants. */
  staff: text,
  connected_at: number,
  /** When the commands were last registered; null if never. */
  installed_at: nullable(number),
  last_interaction_at: nullable(number),
  /** The last failed request to Discord, even if one has succeeded since. */
  failed_at: nullable(number),
  failure: nullable(text),
  /** When all roles were last compared. */
  compared_at: nullable(number),
  /** Consecutive failures to update roles, and the time of the next attempt. */
  roles_failures: withDefault(number),
  roles_retry_at: nullable(number),
}
export type DiscordBotsTable = TableOf<typeof discordBots>

/** Cached responses from Discord about whether accounts are members of the server. */
const discordMembers = {
  project_id: text,
  chat_id: text,
  server_id: text,
  is_member: flag,
  asked_at: number,
}
export type DiscordMembersTable = TableOf<typeof discordMembers>

/** Handled interactions, so that repeated ones are ignored. */
const discordClaims = {
  project_id: text,
  id: text,
  at: number,
}

/** Discord accounts with a scheduled role check. */
const discordRoleChecks = {
  project_id: text,
  chat_id: text,
  due_at: number,
  /** Whether the check queries Discord for the account's roles even if nothing has changed on this server. */
  asks: withDefault(flag),
}

/** Roles that the bot assigned, or failed to assign or remove. */
const discordRoles = {
  project_id: text,
  chat_id: text,
  role_id: text,
  server_id: text,
  /** Whether the bot has assigned the role to the account. */
  is_given: flag,
  /** Why assigning or removing the role failed. Null if it succeeded. */
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
