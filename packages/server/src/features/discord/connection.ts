/**
 * Connects a project to its own Discord application. Authors provide only the bot's token. With it, the
 * server reads the application's ID and public key, and sets the application's interactions URL.
 */
import type {
  RESTGetAPICurrentUserGuildsResult,
  RESTGetCurrentApplicationResult,
} from 'discord-api-types/v10'
import { Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Config } from '../../config/config.ts'
import type { Deps } from '../../deps.ts'
import { DiscordFailure, type DiscordRequest } from '../../platform/discord/api.ts'
import type { Caller } from '../access/caller.ts'
import { lockRights, type Own } from '../access/own-rights.ts'
import { refuseBeyond, refuseBounded } from '../people/seat-drafts.ts'
import type { ProjectSubject } from '../projects/store/subjects.ts'
import { callAs, failureText, type Staff, staffOf, TAKEN_OVER } from './bot.ts'
import { compareRoles } from './compare-roles.ts'
import { readServerRoles } from './server-roles.ts'
import { type BotRow, deleteBot, findBot, insertBot, updateBot, updateOtherBots } from './store/bots.ts'
import { listCustomerRoles } from './store/bots-on-server.ts'
import { deleteChecks } from './store/role-checks.ts'
import { countRoles, listRoleProblems } from './store/roles.ts'

export const MAX_STAFF = 25
const TIMEOUT_MS = 10_000
const MAX_PROBLEMS = 100
/**
 * The Manage Roles permission. Everything else that the bot does is part of an interaction and needs no
 * permission.
 */
const PERMISSIONS = '268435456'

/** Commands in Discord's JSON format. */
export type CommandList = readonly object[]

export async function showBot(deps: Deps, { project }: Pick<ProjectSubject, 'project'>) {
  const row = await findBot(deps.db.read, project.id)
  return row === null ? null : describeBot(deps, row)
}

/** Causes that only the operator can fix. */
export function whyUnavailable({ discord, config }: Deps): 'turned_off' | 'no_base_url' | null {
  if (discord.api.isOff) return 'turned_off'
  return config.baseUrl === undefined ? 'no_base_url' : null
}

/**
 * Saves the bot, then completes as much of the installation as is possible now. If the new token is for the
 * same application, the server and the staff are kept.
 */
export async function connectBot(
  deps: Deps,
  subject: ProjectSubject,
  { bot_token, commands }: { readonly bot_token: string; readonly commands: CommandList },
): Promise<Refused<'discord_off' | 'discord_token_refused' | 'discord_failed'> | undefined> {
  if (deps.discord.api.isOff) return refuse('discord_off')
  const token = bot_token.trim()
  const asked = { method: 'GET', path: '/applications/@me', timeoutMs: TIMEOUT_MS } as const
  const application = await deps.discord.api.call<RESTGetCurrentApplicationResult>(
    { applicationId: `new ${subject.project.id}`, token },
    asked,
  )
  if (application instanceof DiscordFailure) return refuseFailure(application)
  await saveBot(deps, subject, { application, token })
  deps.discord.keys.forget()
  // If Discord can't reach this server yet, the bot stays connected, and its settings show what is missing.
  await installBot(deps, subject, { commands })
  return undefined
}

type Named = { readonly application: RESTGetCurrentApplicationResult; readonly token: string }

/** If the new token is for the same application, the server, the staff and the roles are kept. */
async function saveBot(
  deps: Deps,
  { project }: ProjectSubject,
  { application, token }: Named,
): Promise<void> {
  const { id: application_id, name, verify_key: public_key } = application
  const sealed = deps.secrets.seal('discordToken', project.id, token)
  const columns = { name, public_key, token: sealed, connected_at: deps.now() }
  await deps.db.transaction(async (tx) => {
    const before = await findBot(tx, project.id)
    if (before?.application_id === application_id) await updateBot(tx, project.id, columns)
    else await insertBot(tx, { ...columns, project_id: project.id, application_id, staff: '[]' })
  })
}

type InstallRefused = Refused<
  'discord_not_connected' | 'base_url_needed' | 'discord_token_refused' | 'discord_failed' | 'invalid_request'
>

/**
 * Sets the application's interactions URL, which Discord verifies with a ping, and registers the commands.
 */
export async function installBot(
  deps: Deps,
  { project }: ProjectSubject,
  { server_id, commands }: { readonly server_id?: string | undefined; readonly commands: CommandList },
): Promise<InstallRefused | undefined> {
  const row = await findBot(deps.db.readPoint, project.id)
  if (row === null) return refuse('discord_not_connected')
  if (deps.config.baseUrl === undefined) return refuse('base_url_needed')
  const ask = <T>(request: Omit<DiscordRequest, 'timeoutMs'>) =>
    callAs<T>(deps, row, { ...request, timeoutMs: TIMEOUT_MS })
  const interactions_endpoint_url = interactionsUrl(deps.config, project.id)
  const told = await ask({ method: 'PATCH', path: '/applications/@me', body: { interactions_endpoint_url } })
  if (told instanceof DiscordFailure) return refuseFailure(told)
  await takeOver(deps, row)
  const servers = await ask<RESTGetAPICurrentUserGuildsResult>({ method: 'GET', path: '/users/@me/guilds' })
  if (servers instanceof DiscordFailure) return refuseFailure(servers)
  const wanted = server_id ?? row.server_id ?? (servers.length === 1 ? servers[0]?.id : undefined)
  const server = servers.find(({ id }) => id === wanted)
  if (server_id !== undefined && server === undefined)
    return refuseMember('server_id', 'must be a server that the bot has joined. Invite it first')
  if (server === undefined) return undefined
  const path = `/applications/${row.application_id}/guilds/${server.id}/commands` as const
  const registered = await ask({ method: 'PUT', path, body: commands })
  if (registered instanceof DiscordFailure) return refuseFailure(registered)
  const changes = { server_id: server.id, server_name: server.name, installed_at: deps.now() }
  await deps.db.transaction((tx) => updateBot(tx, project.id, { ...changes, failed_at: null, failure: null }))
  await compareRoles(deps, project.id)
  return undefined
}

/**
 * An application has only one interactions URL, so other projects' bots with this application stop receiving
 * interactions.
 */
async function takeOver({ unauditedDb, now }: Deps, row: BotRow): Promise<void> {
  await unauditedDb.transaction(async (tx) => {
    await updateOtherBots(tx, row, { failed_at: now(), failure: TAKEN_OVER })
    const before = await findBot(tx, row.project_id)
    if (before?.failure === TAKEN_OVER)
      await updateBot(tx, row.project_id, { failed_at: null, failure: null })
  })
}

type StaffRefused = Refused<
  'discord_not_connected' | 'forbidden' | 'unauthorized' | 'beyond_own_rights' | 'invalid_request'
>
type NewStaff = { readonly staff: readonly Staff[]; readonly caller: Caller }

/** Replaces the list of staff. Callers can only grant permissions that they have themselves. */
export async function editStaff(
  deps: Deps,
  { customer, project }: ProjectSubject,
  { staff, caller }: NewStaff,
): Promise<StaffRefused | undefined> {
  const ids = staff.map(({ chat_role_id }) => chat_role_id)
  const twice = ids.findIndex((id, at) => ids.indexOf(id) !== at)
  if (twice >= 0) return refuseMember(`staff.${twice}.chat_role_id`, 'is already in the list')
  return deps.db.transaction(async (tx) => {
    const own = await lockRights(tx, customer.id, caller, 'projects:write')
    if (own instanceof Refused) return own
    const row = await findBot(tx, project.id)
    if (row === null) return refuse('discord_not_connected')
    const given = await listCustomerRoles(tx, row)
    const ofCustomers = ids.findIndex((id) => given.includes(id))
    if (ofCustomers >= 0)
      return refuseMember(`staff.${ofCustomers}.chat_role_id`, "must not be a plan's role")
    const refused = refuseNew(own, row, staff)
    if (refused) return refused
    await updateBot(tx, project.id, { staff: JSON.stringify(staff) })
    return undefined
  })
}

/** Checks only new entries. Existing ones may exceed the caller's permissions. */
function refuseNew(own: Own, row: BotRow, staff: readonly Staff[]) {
  const before = staffOf(row)
  for (const [at, { chat_role_id, role }] of staff.entries()) {
    if (before.some((one) => one.chat_role_id === chat_role_id && one.role === role)) continue
    const seat = { role, scopes: '[]', projects: JSON.stringify([row.project_id]), max_keys: null }
    const field = `staff.${at}.role`
    const refused = refuseBeyond(own, seat, field) ?? refuseBounded(own, field)
    if (refused) return refused
  }
  return undefined
}

export async function disconnectBot(
  deps: Deps,
  { project }: ProjectSubject,
): Promise<Refused<'discord_not_connected'> | undefined> {
  const isDone = await deps.db.transaction(async (tx) => {
    await deleteChecks(tx, project.id)
    return deleteBot(tx, project.id)
  })
  deps.discord.keys.forget()
  return isDone ? undefined : refuse('discord_not_connected')
}

/** The servers that the bot has joined, and the selected server's roles, highest first. */
export async function listServers(deps: Deps, { project }: ProjectSubject) {
  const row = await findBot(deps.db.readPoint, project.id)
  if (row === null) return refuse('discord_not_connected')
  const ask = <T>(path: DiscordRequest['path']) =>
    callAs<T>(deps, row, { method: 'GET', path, timeoutMs: TIMEOUT_MS })
  const servers = await ask<RESTGetAPICurrentUserGuildsResult>('/users/@me/guilds')
  if (servers instanceof DiscordFailure) return refuseFailure(servers)
  const { server_id } = row
  const isMember = servers.some(({ id }) => id === server_id)
  const roles = isMember ? await readServerRoles(row, (path) => ask(`/guilds/${server_id}/${path}`)) : []
  if (roles instanceof DiscordFailure) return refuseFailure(roles)
  return { servers: servers.map(({ id, name }) => ({ id, name })), roles }
}

async function describeBot(deps: Deps, row: BotRow) {
  const { project_id, application_id, name, server_id, server_name } = row
  const { installed_at, connected_at, last_interaction_at, failed_at, failure, compared_at } = row
  return {
    application_id,
    name,
    server: server_id === null ? null : { id: server_id, name: server_name ?? '' },
    invite_url: `https://discord.com/oauth2/authorize?client_id=${application_id}&scope=bot+applications.commands&permissions=${PERMISSIONS}`,
    interactions_url: deps.config.baseUrl === undefined ? null : interactionsUrl(deps.config, project_id),
    ...{ connected_at, installed_at, last_interaction_at, compared_at },
    staff: [...staffOf(row)],
    failure: failed_at === null || failure === null ? null : { at: failed_at, message: failure },
    roles_given: await countRoles(deps.db.read, project_id),
    role_problems: await listRoleProblems(deps.db.read, project_id, MAX_PROBLEMS),
  }
}

function interactionsUrl({ baseUrl }: Config, projectId: string): string {
  return `${baseUrl}/hooks/discord/${projectId}`
}

function refuseFailure(failure: DiscordFailure): Refused<'discord_token_refused' | 'discord_failed'> {
  return failure.kind === 'token_revoked'
    ? refuse('discord_token_refused')
    : refuse('discord_failed', { why: failureText(failure).replace(/\.$/, '') })
}
