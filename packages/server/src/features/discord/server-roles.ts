/** The roles of a Discord server, and which of them a bot can assign. */
import type { RESTGetAPIGuildRolesResult } from 'discord-api-types/v10'
import { DiscordFailure } from '../../platform/discord/api.ts'
import type { BotRow } from './store/bots.ts'

/** `assignable`: whether the bot can assign the role. Bots can only assign roles below their own. */
export type AssignableRole = {
  readonly id: string
  readonly name: string
  readonly color: number
  readonly assignable: boolean
}

/** `ask` sends a GET request for a path below the bot's server. Returns the roles, highest first. */
export async function readServerRoles(
  { server_id, application_id }: Pick<BotRow, 'server_id' | 'application_id'>,
  ask: (path: 'roles') => Promise<unknown>,
): Promise<AssignableRole[] | DiscordFailure> {
  const answer = await ask('roles')
  if (answer instanceof DiscordFailure) return answer
  const all = answer as RESTGetAPIGuildRolesResult
  const own = Math.max(
    0,
    ...all.filter(({ tags }) => tags?.bot_id === application_id).map(({ position }) => position),
  )
  return (
    all
      // The @everyone role has the server's ID. Roles managed by integrations can't be assigned.
      .filter(({ id, managed }) => id !== server_id && !managed)
      .sort((a, b) => b.position - a.position)
      .map(({ id, name, position, color }) => ({ id, name, color, assignable: position < own }))
  )
}
