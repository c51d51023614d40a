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
      chat_role_id: Id('ID of a role on the Discord server', '184650129374650214'),
      role: Type.Unsafe<StaffRole>({
        type: 'string',
        enum: [...STAFF_ROLES],
        description: 'the permissions that people with this Discord role have in the project',
        examples: ['support'],
      }),
    },
    { additionalProperties: false },
  ),
  { maxItems: MAX_STAFF, description: 'Discord roles whose members may use commands for staff' },
)

const Bot = shape.named('DiscordBot', {
  application_id: Type.String({ examples: ['184650129374650213'] }),
  name: Type.String({ description: 'name of the application on Discord', examples: ['Garden'] }),
  server: shape.nullable(
    Type.Object(
      { id: Type.String(), name: Type.String() },
      {
        description: 'the server that the bot works in. Null until the bot has joined one',
        examples: [{ id: '301245678901234567', name: 'Garden' }],
      },
    ),
  ),
  invite_url: Type.String({
    description: 'page on which someone who manages the Discord server adds the bot',
    examples: [
      'https://discord.com/oauth2/authorize?client_id=184650129374650213&scope=bot+applications.commands&permissions=268435456',
    ],
  }),
  interactions_url: shape.nullable(
    Type.String({
      description: 'address to which Discord sends interactions. Null if the server has no public URL',
      examples: ['https://ward.example.com/hooks/discord/prj_0VMc4VLkH7rAbCdEfGhIjK'],
    }),
  ),
  connected_at: Type.Integer({
    description: 'when the bot token was saved, in Unix milliseconds',
    examples: [1_798_761_600_000],
  }),
  installed_at: time('when the commands were last registered, in Unix milliseconds. Null if they never were'),
  last_interaction_at: time(
    'when someone last used the bot, in Unix milliseconds, to the minute. Null if nobody has',
  ),
  compared_at: time(
    'when the last comparison of all roles began, in Unix milliseconds. Null if they never were',
  ),
  staff: Staff,
  failure: shape.nullable(
    Type.Object(
      { at: Type.Integer(), message: Type.String() },
      {
        description: 'the last failed request to Discord. Null if a later one succeeded',
        examples: [null],
      },
    ),
  ),
  roles_given: Type.Integer({
    description: 'number of roles that customers have from the bot',
    examples: [128],
  }),
  role_problems: Type.Array(
    Type.Object({
      chat_id: Type.String(),
      role_id: Type.String({ description: 'ID of a role on Discord', examples: ['184650129374650214'] }),
      problem: Type.Unsafe<RoleProblem>({
        type: 'string',
        enum: ['role_too_high', 'no_permission', 'member_left', 'role_removed'],
        description:
          'role_too_high: the role is above that of the bot. no_permission: the bot may not manage roles. member_left: the account left the server. role_removed: the role no longer exists',
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
    'why no bot works on this server. turned_off: the operator turned them off. no_base_url: the server has no public URL that Discord can send interactions to. Null if they work',
  examples: [null],
})

const get = endpoint({
  name: 'v1.discord.get',
  summary: 'Retrieve the Discord bot of a project',
  description:
    'Returns the settings and the status of the bot: its server, the staff, when it was last used, and what went wrong. `discord` is null if the project has no bot; `unavailable` is the reason why no bot can work on this server. The bot token is never returned.',
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
    "Saves the token of your own Discord application, tells Discord where to send interactions, and registers the commands if the bot has joined exactly one server. If Discord can't reach this server yet, or the bot has to be invited first, the bot is saved anyway, and `failure`, `server` and `installed_at` show what is missing. A new token of the same application keeps server and staff; another application replaces the bot.",
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
      description: 'bot token, from the Bot page of your Discord application',
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
  summary: 'Install the commands of a Discord bot',
  description:
    'Tells Discord again where to send interactions, which Discord tests immediately, and registers the commands on the server. Call this after you invited the bot, to move it to another server, and after an update of Scriptward that adds commands.',
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
        'ID of the server. Default: the current server, or the only one that the bot has joined',
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
  summary: 'Set the staff of a Discord bot',
  description:
    'Replaces the list of Discord roles whose members may use commands for staff. Each gets the permissions of a role in this project. You can only give permissions that you have yourself.',
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
  summary: 'List the servers and roles of a Discord bot',
  description:
    "Asks Discord for the servers that the bot has joined and for the roles of the bot's server, highest first. `assignable` tells whether the bot can give a role: only roles below its own.",
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
  summary: 'Compare the Discord roles of customers',
  description:
    'Checks now whether every customer has the Discord role of their plan, and gives and removes roles. This also happens once a day. Changes of keys and plans need no comparison: their roles follow within seconds. `role_problems` lists what could not be done. Does nothing until the bot has joined a server.',
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
    'Deletes the bot token and the settings of the bot. Commands stay visible on Discord, but no longer work. Roles that customers have are not removed.',
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
