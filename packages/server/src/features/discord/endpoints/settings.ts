/** Endpoints for the settings of a project's Discord bot. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { refuse } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import type { Deps } from '../../../deps.ts'
import { commands } from '../../chat/list.ts'
import type { ProjectSubject } from '../../projects/store/subjects.ts'
import { STAFF_ROLES, type StaffRole } from '../bot.ts'
import { compareRoles } from '../compare-roles.ts'
import {
  connectBot,
  disconnectBot,
  editStaff,
  installBot,
  listServers,
  MAX_STAFF,
  showBot,
  whyUnavailable,
} from '../connection.ts'
import type { RoleProblem } from '../store/roles.ts'
import { commandsJson } from './render.ts'

const path = '/v1/projects/:project_id/discord'
const SNOWFLAKE = '^[0-9]{5,22}$'
const REGISTERED = commandsJson(commands)

const Id = (description: string, example: string) =>
  Type.String({ pattern: SNOWFLAKE, maxLength: 22, description, examples: [example] })
const time = (description: string) =>
  shape.nullable(Type.Integer({ description, examples: [1_798_761_600_000] }))

const Staff = Type.Array(
  Type.Object(
    {
      chat_role_id: Id('role ID on the Discord server', '184650129374650214'),
      role: Type.Unsafe<StaffRole>({
        type: 'string',
        enum: [...STAFF_ROLES],
        description: 'permissions that this Discord role grants in the project',
        examples: ['support'],
      }),
    },
    { additionalProperties: false },
  ),
  { maxItems: MAX_STAFF, description: 'Discord roles that can use the staff commands' },
)

const Bot = shape.named('DiscordBot', {
  application_id: Type.String({ examples: ['184650129374650213'] }),
  name: Type.String({ description: 'application name on Discord', examples: ['Garden'] }),
  server: shape.nullable(
    Type.Object(
      { id: Type.String(), name: Type.String() },
      {
        description: 'Discord server that the bot is connected to. Null until the bot has joined one',
        examples: [{ id: '301245678901234567', name: 'Garden' }],
      },
    ),
  ),
  invite_url: Type.String({
    description: 'page where a manager of the Discord server can add the bot',
    examples: [
      'https://discord.com/oauth2/authorize?client_id=184650129374650213&scope=bot+applications.commands&permissions=268435456',
    ],
  }),
  interactions_url: shape.nullable(
    Type.String({
      description: 'URL to which Discord sends interactions. Null if the Scriptward server has no public URL',
      examples: ['https://ward.example.com/hooks/discord/prj_0VMc4VLkH7rAbCdEfGhIjK'],
    }),
  ),
  connected_at: Type.Integer({
    description: 'time the bot token was saved, in Unix milliseconds',
    examples: [1_798_761_600_000],
  }),
  installed_at: time(
    'time the commands were last registered, in Unix milliseconds. Null if they have never been registered',
  ),
  last_interaction_at: time(
    'time someone last used the bot, in Unix milliseconds, to the minute. Null if nobody has used it yet',
  ),
  compared_at: time(
    'time the last comparison of all roles started, in Unix milliseconds. Null if there was none',
  ),
  staff: Staff,
  failure: shape.nullable(
    Type.Object(
      { at: Type.Integer(), message: Type.String() },
      {
        description: 'last failed request to Discord. Null if a later request succeeded',
        examples: [null],
      },
    ),
  ),
  roles_given: Type.Integer({
    description: 'number of roles that the bot has given to customers',
    examples: [128],
  }),
  role_problems: Type.Array(
    Type.Object({
      chat_id: Type.String(),
      role_id: Type.String({ description: 'Discord role ID', examples: ['184650129374650214'] }),
      problem: Type.Unsafe<RoleProblem>({
        type: 'string',
        enum: ['role_too_high', 'no_permission', 'member_left', 'role_removed'],
        description:
          "role_too_high: the role is above the bot's own role. no_permission: the bot isn't allowed to manage roles. member_left: the account left the server. role_removed: the role no longer exists",
      }),
      changed_at: Type.Integer(),
    }),
    { description: 'roles that could not be given or removed, newest first, at most 100', examples: [[]] },
  ),
})
const Answered = Type.Object({ success: shape.Yes, discord: Bot })

const Unavailable = Type.Unsafe<ReturnType<typeof whyUnavailable>>({
  type: ['string', 'null'],
  enum: ['turned_off', 'no_base_url', null],
  description:
    'why Discord bots are unavailable on this server. turned_off: the operator turned them off. no_base_url: the server has no public URL that Discord can send interactions to. Null if they are available',
  examples: [null],
})

const get = endpoint({
  name: 'v1.discord.get',
  summary: "Retrieve a project's Discord bot",
  description:
    "Returns the bot's settings and status: its Discord server, the staff roles, when the bot was last used, and its last failure. `discord` is null if the project has no bot; `unavailable` contains the reason if Discord bots can't be used on this server. The bot token is never returned.",
  method: 'GET',
  path,
  auth: 'project',
  scope: 'projects:read',
  params: shape.ProjectParams,
  response: Type.Object({ success: shape.Yes, discord: shape.nullable(Bot), unavailable: Unavailable }),
  handle: async ({ subject }, deps) => ({
    discord: await showBot(deps, subject),
    unavailable: whyUnavailable(deps),
  }),
})

const connect = endpoint({
  name: 'v1.discord.connect',
  summary: 'Connect a Discord bot',
  description:
    "Saves the token of your own Discord application, sets the URL to which Discord sends interactions, and registers the commands if the bot has joined exactly one server. If Discord can't reach this server yet, or the bot must be invited first, the bot is saved anyway, and `failure`, `server` and `installed_at` show what is missing. With a new token for the same application, the bot's server and staff are kept; another application replaces the bot.",
  example: { body: { bot_token: 'MTg0NjUwMTI5Mzc0NjUwMjEz.GhIjKl.example-of-a-token' } },
  method: 'POST',
  path: `${path}/connect`,
  auth: 'project',
  scope: 'projects:write',
  cost: 20,
  params: shape.ProjectParams,
  body: shape.members({
    bot_token: Type.String({
      minLength: 20,
      maxLength: 200,
      pattern: '^ *[\\w.-]+ *$',
      description: "bot token, from your Discord application's Bot page",
    }),
  }),
  response: Answered,
  failures: { discord_off: 0, discord_token_refused: 1, discord_failed: 2 },
  async handle({ subject, body }, deps) {
    const refused = await connectBot(deps, subject, { bot_token: body.bot_token, commands: REGISTERED })
    if (refused) return refused
    return answered(deps, subject)
  },
})

const install = endpoint({
  name: 'v1.discord.install',
  summary: "Install a Discord bot's commands",
  description:
    'Registers the commands on the Discord server, and sets the URL for interactions again, which Discord tests immediately. Call this after you invite the bot, to move it to another server, and after a Scriptward update that adds commands.',
  example: { body: { server_id: '301245678901234567' } },
  method: 'POST',
  path: `${path}/install`,
  auth: 'project',
  scope: 'projects:write',
  cost: 20,
  params: shape.ProjectParams,
  body: shape.members({
    server_id: shape.maybe(
      Id(
        'Discord server ID. Default: the current server, or the only one that the bot has joined',
        '301245678901234567',
      ),
    ),
  }),
  response: Answered,
  failures: { discord_not_connected: 0, base_url_needed: 1, discord_token_refused: 2, discord_failed: 3 },
  async handle({ subject, body }, deps) {
    const { server_id } = shape.given(body)
    const refused = await installBot(deps, subject, { server_id, commands: REGISTERED })
    if (refused) return refused
    return answered(deps, subject)
  },
})

const edit = endpoint({
  name: 'v1.discord.edit',
  summary: "Set a Discord bot's staff",
  description:
    'Replaces the list of Discord roles that can use the staff commands. Each role on the list grants a set of permissions in this project. You can only grant permissions that you have yourself.',
  example: { body: { staff: [{ chat_role_id: '184650129374650214', role: 'support' }] } },
  method: 'POST',
  path: `${path}/edit`,
  auth: 'project',
  scope: 'projects:write',
  params: shape.ProjectParams,
  body: shape.members({ staff: Staff }),
  response: Answered,
  failures: { discord_not_connected: 0, beyond_own_rights: 1 },
  async handle({ subject, body, caller }, deps) {
    const refused = await editStaff(deps, subject, { staff: body.staff, caller })
    if (refused) return refused
    return answered(deps, subject)
  },
})

const servers = endpoint({
  name: 'v1.discord.servers',
  summary: "List a Discord bot's servers and roles",
  description:
    "Queries Discord for the servers that the bot has joined, and for the roles of the bot's server, highest first. `assignable` indicates whether the bot can give a role: only roles below its own can be given.",
  method: 'GET',
  path: `${path}/servers`,
  auth: 'project',
  scope: 'projects:write',
  cost: 10,
  params: shape.ProjectParams,
  response: Type.Object({
    success: shape.Yes,
    servers: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
      examples: [[{ id: '301245678901234567', name: 'Garden' }]],
    }),
    roles: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        color: Type.Integer({ description: 'RGB color as a number. 0 if the role has none' }),
        assignable: Type.Boolean(),
      }),
      { examples: [[{ id: '184650129374650214', name: 'Support', color: 3_447_003, assignable: true }]] },
    ),
  }),
  failures: { discord_not_connected: 0, discord_token_refused: 1, discord_failed: 2 },
  handle: ({ subject }, deps) => listServers(deps, subject),
})

const compare = endpoint({
  name: 'v1.discord.compare',
  summary: "Compare customers' Discord roles",
  description:
    "Immediately checks whether every customer has their plan's Discord role, and adds or removes roles where needed. This also happens once a day. Changes to keys and plans don't require a comparison: roles are updated within seconds. `role_problems` lists the roles that couldn't be added or removed. Does nothing until the bot has joined a server.",
  method: 'POST',
  path: `${path}/compare`,
  auth: 'project',
  scope: 'projects:write',
  cost: 20,
  params: shape.ProjectParams,
  response: Answered,
  failures: { discord_not_connected: 0 },
  async handle({ subject }, deps) {
    const refused = await compareRoles(deps, subject.project.id)
    if (refused) return refused
    return answered(deps, subject)
  },
})

const disconnect = endpoint({
  name: 'v1.discord.disconnect',
  summary: 'Disconnect a Discord bot',
  description:
    "Deletes the bot's token and settings. Commands stay visible on Discord, but no longer work. Customers keep the roles that they have.",
  method: 'POST',
  path: `${path}/disconnect`,
  auth: 'project',
  scope: 'projects:write',
  params: shape.ProjectParams,
  response: shape.Done,
  failures: { discord_not_connected: 0 },
  handle: async ({ subject }, deps) => (await disconnectBot(deps, subject)) ?? {},
})

/** Another request may have disconnected the bot. */
async function answered(deps: Deps, subject: ProjectSubject) {
  const discord = await showBot(deps, subject)
  return discord === null ? refuse('not_found') : { discord }
}

export const discord: readonly Endpoint[] = [get, connect, install, edit, servers, compare, disconnect]
