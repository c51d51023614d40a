/** Endpoints for a project's remote variables and announcements, which running scripts receive. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { Refused } from '../../api/refusals.ts'
import * as shape from '../../api/shapes.ts'
import { LINES, ONE_LINE } from '../../api/text-patterns.ts'
import {
  createAnnouncement,
  listAnnouncements,
  MAX_ANNOUNCED_KEYS,
  MAX_ANNOUNCEMENT_LENGTH,
  MAX_ANNOUNCEMENTS,
  MAX_TARGETED,
  removeAnnouncement,
} from './announcements.ts'
import {
  DEEPEST_VARIABLE,
  type GivenVariables,
  getVariables,
  MAX_VARIABLE_BYTES,
  MAX_VARIABLES,
  replaceVariables,
} from './variables.ts'

const path = '/v1/projects/:project_id'
const SCRIPT = 'scr_0VMc4VLkM2pQrStUvWxYzA'
const PLAN = 'pln_0VMc4VLkQ8sTuVwXyZaBcD'

const ids = (description: string, example: string) => ({
  type: ['array', 'null'],
  items: { type: 'string', maxLength: 64 },
  minItems: 1,
  maxItems: 1000,
  description,
  examples: [[example]],
})
const EXAMPLE = {
  motd: { value: 'Welcome back', scripts: null, plans: null },
  rates: { value: { slow: 0.5, fast: 2 }, scripts: [SCRIPT], plans: [PLAN] },
}
const entries = {
  type: 'object',
  maxProperties: MAX_VARIABLES,
  propertyNames: { pattern: '^[a-z][a-z0-9_]{0,31}$' },
} as const
const entry = {
  type: 'object',
  required: ['value'],
  additionalProperties: false,
  properties: {
    value: { description: `value, any JSON except null, at most ${DEEPEST_VARIABLE} levels deep` },
    scripts: ids(
      'IDs of the scripts that receive the variable. Null if all scripts in the project receive it',
      SCRIPT,
    ),
    plans: ids(
      'IDs of the plans whose keys receive the variable. Null if all keys and guests receive it',
      PLAN,
    ),
  },
} as const
const Given = Type.Unsafe<GivenVariables>({
  ...entries,
  additionalProperties: entry,
  description: `all variables, keyed by name: at most ${MAX_VARIABLES}, with ${MAX_VARIABLE_BYTES} bytes of names and values in total`,
  examples: [EXAMPLE],
})
/**
 * Maximum number of fields and list entries in a request. The smallest list entry takes up two bytes of a
 * value. The remaining entries are for the IDs of scripts and plans.
 */
const MAX_MEMBERS = 40_000
const Shown = Type.Unsafe<Awaited<ReturnType<typeof getVariables>>['variables']>({
  ...entries,
  additionalProperties: { ...entry, required: ['value', 'scripts', 'plans'] },
  description: 'variables by name',
  examples: [EXAMPLE],
})
const Version = Type.Integer({
  minimum: 0,
  maximum: 2_147_483_647,
  description: 'version, which increases with each change. 0 if the variables have never been changed',
  examples: [0],
})

const get = endpoint({
  name: 'v1.variables.get',
  summary: 'Retrieve the remote variables',
  description:
    "Returns the variables that scripts in the project read from `ward.vars`, with their version. Send the version when you replace them, so that you don't overwrite someone else's changes.",
  method: 'GET',
  path: `${path}/variables`,
  auth: 'project',
  scope: 'projects:read',
  params: shape.ProjectParams,
  response: Type.Object({
    success: shape.Yes,
    version: Version,
    updated_at: shape.nullable(
      Type.Integer({ description: 'time of the last change. Null if the variables have never been changed' }),
    ),
    variables: Shown,
  }),
  handle: ({ subject }, deps) => getVariables(deps, subject.project),
})

const replace = endpoint({
  name: 'v1.variables.replace',
  summary: 'Replace the remote variables',
  description:
    "Replaces all of a project's remote variables; variables that you do not send are removed. Running scripts receive the changes within a second over their live session, otherwise with their next heartbeat, and `ward.on_change` is called with names such as `vars.motd`. A client receives only the variables for its script and its key's plan. Customers can read all of these, so don't store secrets here.",
  example: { body: { version: 0, variables: EXAMPLE } },
  method: 'PUT',
  path: `${path}/variables`,
  auth: 'project',
  scope: 'projects:write',
  params: shape.ProjectParams,
  body: shape.members({
    version: Type.Integer({
      ...Version,
      description:
        'version you last read. If it is outdated, the request fails and returns the current version',
    }),
    variables: Given,
  }),
  mostMembers: MAX_MEMBERS,
  response: Type.Object({ success: shape.Yes, version: Version }),
  failures: { account_expired: 0, variables_changed: 1 },
  handle: ({ subject, body }, deps) => replaceVariables(deps, subject, body),
})

const Text = Type.String({
  minLength: 1,
  maxLength: MAX_ANNOUNCEMENT_LENGTH,
  pattern: LINES,
  description: `message of at most ${MAX_ANNOUNCEMENT_LENGTH} characters, which may contain line breaks`,
  examples: ['Back at ten: we are moving to a faster server.'],
})
const LEVELS = ['info', 'warning', 'critical'] as const
const Level = Type.Unsafe<(typeof LEVELS)[number]>({
  type: 'string',
  enum: [...LEVELS],
  description: 'importance of the announcement. Scripts decide how to show it',
  examples: ['warning'],
})
const Until = Type.Integer({
  ...shape.Milliseconds,
  description: 'time the announcement expires, in Unix milliseconds',
  examples: [253_402_300_000_000],
})
const Announcement = shape.named('Announcement', {
  id: Type.String({ examples: ['ann_0VMc4VLkS3dMnOpQrStUvW'] }),
  text: Text,
  level: Level,
  until: Until,
  scripts: shape.nullable(
    Type.Array(Type.String(), {
      description: 'IDs of the scripts that receive the announcement. Null if all scripts receive it',
      examples: [[SCRIPT]],
    }),
  ),
  users: shape.nullable(
    Type.Integer({
      description:
        'number of license keys that receive the announcement. Null if everyone who runs these scripts receives it',
      examples: [null],
    }),
  ),
  created_at: Type.Integer(),
})

const list = endpoint({
  name: 'v1.announcements.list',
  summary: 'List announcements',
  description: `Returns a project's active announcements, newest first, up to ${MAX_ANNOUNCEMENTS}. Each run sees the first announcement that applies to its script and key, as \`ward.announcement\`.`,
  method: 'GET',
  path: `${path}/announcements`,
  auth: 'project',
  scope: 'projects:read',
  params: shape.ProjectParams,
  response: Type.Object({ success: shape.Yes, announcements: Type.Array(Announcement) }),
  handle: async ({ subject }, deps) => ({ announcements: await listAnnouncements(deps, subject.project) }),
})

const create = endpoint({
  name: 'v1.announcements.create',
  summary: 'Create an announcement',
  description:
    "Shows a message to everyone who runs one of the project's scripts, or only to the customers affected by an error, until it expires. Running scripts receive it within a second over their live session, otherwise with their next heartbeat, as `ward.announcement` and through `ward.on_announcement`. Scripts decide whether and how to show it. Only the latest announcement is shown; when it expires or is removed, the previous one is shown again.",
  example: {
    body: {
      text: 'Back at ten: we are moving to a faster server.',
      level: 'warning',
      until: 1_798_761_600_000,
    },
  },
  method: 'POST',
  path: `${path}/announcements`,
  auth: 'project',
  scope: 'projects:write',
  params: shape.ProjectParams,
  body: shape.members({
    text: Text,
    level: Level,
    until: Until,
    scripts: shape.maybe(
      Type.Array(Type.String({ maxLength: 64 }), {
        minItems: 1,
        maxItems: 1000,
        description: 'IDs of the scripts that receive the announcement. Default: all scripts in the project',
        examples: [null],
      }),
    ),
    error_id: shape.maybe(
      Type.String({
        maxLength: 64,
        pattern: ONE_LINE,
        description: `ID of an error in one of the project's scripts. Only the keys that have reported it so far receive the announcement, in all scripts: at most the ${MAX_ANNOUNCED_KEYS} that reported it most recently. Up to ${MAX_TARGETED} announcements in a project can be limited this way. Cannot be combined with \`scripts\``,
        examples: [null],
      }),
    ),
  }),
  response: Type.Object({ success: shape.Yes, announcement: Announcement }),
  failures: { account_expired: 0, max_announcements_reached: 1 },
  async handle({ subject, body: { scripts, error_id, ...rest } }, deps) {
    const limits = { scripts: scripts ?? undefined, error_id: error_id ?? undefined }
    const announcement = await createAnnouncement(deps, subject, { ...rest, ...limits })
    return announcement instanceof Refused ? announcement : { announcement }
  },
})

const remove = endpoint({
  name: 'v1.announcements.remove',
  summary: 'Remove an announcement',
  description:
    'Removes an announcement before it expires. Running scripts fall back to the previous announcement, if any: those with a live session immediately, others with their next heartbeat.',
  method: 'POST',
  path: `${path}/announcements/:announcement_id/remove`,
  auth: 'project',
  scope: 'projects:write',
  params: Type.Object({ project_id: Type.String(), announcement_id: Type.String() }),
  response: shape.Done,
  async handle({ subject, params }, deps) {
    return (await removeAnnouncement(deps, subject, params.announcement_id)) ?? {}
  },
})

export const variables: readonly Endpoint[] = [get, replace, list, create, remove]
