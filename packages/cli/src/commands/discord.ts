/**
 * `scriptward discord …`: a project's Discord bot. The bot token is never an argument, because shells store
 * arguments in their history.
 */

import { isCancel, password } from '@clack/prompts'
import {
  type V1DiscordEditData,
  type V1DiscordGetResponse,
  v1DiscordCompare,
  v1DiscordConnect,
  v1DiscordDisconnect,
  v1DiscordEdit,
  v1DiscordGet,
  v1DiscordInstall,
  v1DiscordServers,
} from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../cli.ts'
import { Fault, INTERRUPTED, usage } from '../faults.ts'
import { readInput } from '../input.ts'
import { printDetails } from '../output/details.ts'
import { canAsk } from '../output/progress.ts'

type Bot = NonNullable<V1DiscordGetResponse['discord']>
type Staff = V1DiscordEditData['body']['staff'][number]

const ROLES: readonly string[] = ['admin', 'developer', 'support', 'reader']
const CONNECT_HELP = `
Create an application at https://discord.com/developers/applications, and copy the token from its Bot page. In a terminal,
the command prompts for it; otherwise, it reads standard input.`
const STAFF_HELP = `
'scriptward discord servers' lists your server's roles. Each entry is a role ID, '=' and one of ${ROLES.join(', ')}.
Without entries, the command prints the current list.`

export function addDiscord(program: Command, around: Surroundings): void {
  const discord = program.command('discord').description('Manage the Discord bot')
  const sub = (name: string, words: string, isDefault = false) =>
    discord
      .command(name, { isDefault })
      .description(words)
      .option('--project <id>', 'Project ID (default: from scriptward.json)')
  sub('status', 'Show the bot with its server and last failure', true).action(acting(around, status))
  sub('connect', 'Connect a bot with its token')
    .option('--token-file <file>', "File that contains the bot token; '-' for standard input")
    .addHelpText('after', CONNECT_HELP)
    .action(acting(around, connect))
  sub('install', "Register the bot's commands in a server")
    .option('--server <id>', 'Server ID (default: the only one that the bot has joined)')
    .action(acting(around, install))
  sub('servers', "List the bot's servers, and the roles in the connected server").action(
    acting(around, servers),
  )
  sub('staff', 'Show or replace the Discord roles that can use the staff commands')
    .argument('[entries...]', "Role IDs with permissions, such as '184650129374650214=support'")
    .option('--none', 'Clear the list')
    .addHelpText('after', STAFF_HELP)
    .action(acting(around, staff))
  sub('compare', "Add or remove Discord roles to match customers' plans").action(acting(around, compare))
  sub('disconnect', 'Disconnect the bot and delete its token')
    .requiredOption('--yes', 'Confirm; this cannot be undone')
    .action(acting(around, disconnect))
}

async function status(cli: Cli): Promise<void> {
  const { discord, unavailable } = await read(cli)
  cli.out.json({ discord, unavailable })
  if (unavailable === 'turned_off') cli.out.warn('Discord bots are turned off on this server.')
  if (unavailable === 'no_base_url') cli.out.warn('The operator must set SCRIPTWARD_BASE_URL first.')
  if (cli.out.isJson) return
  if (discord === null)
    return cli.out.note("This project has no Discord bot yet. Connect one with 'scriptward discord connect'.")
  const { server, staff, failure, role_problems, connected_at: _, ...rest } = discord
  printDetails(cli.out, {
    ...rest,
    server: server?.name,
    staff: staff.map(entryOf),
    role_problems: role_problems.length,
  })
  warnOf(cli, { failure })
}

async function connect(
  cli: Cli,
  { tokenFile }: CommonFlags & { readonly tokenFile?: string },
): Promise<void> {
  const path = { project_id: await cli.projectId() }
  const { client } = await cli.service()
  const body = { bot_token: await tokenOf(cli, tokenFile) }
  const { discord } = (await v1DiscordConnect({ client, path, body, throwOnError: true })).data
  printBot(cli, 'connected', discord)
}

async function tokenOf(cli: Cli, file: string | undefined): Promise<string> {
  if (file !== undefined || cli.stdin.isTTY !== true) return String(await readInput(cli, file ?? '-')).trim()
  if (!canAsk(cli)) throw usage('No bot token. Pass --token-file, or write the token to standard input.')
  const typed = await password({ message: 'Bot token' })
  if (isCancel(typed)) throw new Fault(INTERRUPTED)
  return typed.trim()
}

async function install(cli: Cli, { server }: CommonFlags & { readonly server?: string }): Promise<void> {
  const path = { project_id: await cli.projectId() }
  const { client } = await cli.service()
  const body = server === undefined ? {} : { server_id: server }
  const { discord } = (await v1DiscordInstall({ client, path, body, throwOnError: true })).data
  printBot(cli, 'installed', discord)
}

async function servers(cli: Cli): Promise<void> {
  const path = { project_id: await cli.projectId() }
  const { client } = await cli.service()
  const { data } = await v1DiscordServers({ client, path, throwOnError: true })
  const rows = [
    ...data.servers.map((one) => ({ kind: 'server', ...one })),
    ...data.roles.map((one) => ({ kind: 'role', ...one })),
  ]
  cli.out.rows({
    head: ['KIND', 'ID', 'NAME'],
    rows: rows.map(({ kind, id, name }) => [kind, id, name]),
    values: rows,
    empty: "The bot isn't in a server yet. Run 'scriptward discord' for the invite link.",
  })
}

async function staff(
  cli: Cli,
  { none }: CommonFlags & { readonly none?: true },
  words: Words,
): Promise<void> {
  const entries = words.list(0)
  if (none && entries.length > 0) throw usage('Pass either entries or --none, not both.')
  const list = none || entries.length > 0 ? await replace(cli, entries.map(staffOf)) : await current(cli)
  cli.out.rows({
    head: ['DISCORD ROLE', 'PERMISSIONS'],
    rows: list.map(({ chat_role_id, role }) => [chat_role_id, role]),
    values: list,
    empty: "No staff. Add a role with 'scriptward discord staff 184650129374650214=support'.",
  })
}

async function current(cli: Cli): Promise<readonly Staff[]> {
  return (await read(cli)).discord?.staff ?? []
}

async function replace(cli: Cli, list: Staff[]): Promise<readonly Staff[]> {
  const path = { project_id: await cli.projectId() }
  const { client } = await cli.service()
  const { data } = await v1DiscordEdit({ client, path, body: { staff: list }, throwOnError: true })
  return data.discord.staff
}

function staffOf(entry: string): Staff {
  const [, chat_role_id, role] = /^(\d+)=(\w+)$/.exec(entry) ?? []
  if (chat_role_id === undefined || role === undefined || !ROLES.includes(role))
    throw usage(`'${entry}' is not valid. Use a role ID, '=' and one of ${ROLES.join(', ')}.`)
  return { chat_role_id, role: role as Staff['role'] }
}

const entryOf = ({ chat_role_id, role }: Staff) => `${chat_role_id}=${role}`

async function compare(cli: Cli): Promise<void> {
  const path = { project_id: await cli.projectId() }
  const { client } = await cli.service()
  const { discord } = (await v1DiscordCompare({ client, path, throwOnError: true })).data
  cli.out.json(discord)
  cli.out.line(discord.server === null ? 'The bot must join a server first.' : 'started')
  warnOf(cli, discord)
}

async function disconnect(cli: Cli): Promise<void> {
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  await v1DiscordDisconnect({ client, path: { project_id }, throwOnError: true })
  cli.out.json({ project_id, done: true })
  cli.out.line('disconnected')
}

async function read(cli: Cli) {
  const path = { project_id: await cli.projectId() }
  const { client } = await cli.service()
  return (await v1DiscordGet({ client, path, throwOnError: true })).data
}

/** Prints the completed and the remaining steps. */
function printBot(cli: Cli, done: string, bot: Bot): void {
  cli.out.json(bot)
  cli.out.line(bot.server === null ? `connected ${bot.name}` : `${done} ${bot.name} in ${bot.server.name}`)
  warnOf(cli, bot)
  if (bot.server === null && bot.failure === null)
    cli.out.note(`Invite the bot at ${bot.invite_url}, then run 'scriptward discord install'.`)
}

function warnOf(cli: Cli, { failure }: Pick<Bot, 'failure'>): void {
  if (failure !== null) cli.out.warn(failure.message)
}
