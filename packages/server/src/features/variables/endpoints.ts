/** Remote variables and announcements of a project: what its running scripts are told. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { Refused } from '../../api/refusals.ts'
import * as shape from '../../api/shapes.ts'
import {
  createAnnouncement,
  listAnnouncements,
  MAX_ANNOUNCEMENT_LENGTH,
  MAX_ANNOUNCEMENTS,
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
    value: { description: `any JSON but null, at most ${DEEPEST_VARIABLE} levels deep` },
    scripts: ids('ids of the scripts that see it; null for all of the project', SCRIPT),
    plans: ids('ids of the plans whose keys see it; null for all keys, and for guests', PLAN),
  },
} as const
const Given = Type.Unsafe<GivenVariables>({
  ...entries,
  additionalProperties: entry,
  description: `all variables by name, at most ${MAX_VARIABLES} and ${MAX_VARIABLE_BYTES} bytes of names and values`,
  examples: [EXAMPLE],
})
/** An entry of a list takes two bytes of a value; the rest is for the ids of scripts and plans. */
const MAX_MEMBERS = 40_000
const Shown = Type.Unsafe<Awaited<ReturnType<typeof getVariables>>['variables']>({
  ...entries,
  additionalProperties: { ...entry, required: ['value', 'scripts', 'plans'] },
  description: 'by name',
  examples: [EXAMPLE],
})
const Version = Type.Integer({
  minimum: 0,
  maximum: 2_147_483_647,
  description: 'raised with each change; 0 while there never were any',
  examples: [0],
})

const get = endpoint({
  name: 'v1.variables.get',
  summary: 'Get the remote variables of a project, and their version.',
  description:
    'What scripts of the project see as `ward.vars`. Send the version back when you replace them, so that a change of another person is not overwritten.',
  method: 'GET',
  path: `${path}/variables`,
  auth: 'project',
  scope: 'projects:read',
  params: shape.ProjectParams,
  response: Type.Object({
    success: shape.Yes,
    version: Version,
    updated_at: shape.nullable(Type.Integer({ description: 'null while there never were any' })),
    variables: Shown,
  }),
  handle: ({ subject }, deps) => getVariables(deps, subject.project),
})

const replace = endpoint({
  name: 'v1.variables.replace',
  summary: 'Replace the remote variables of a project, which running scripts see at once.',
  description:
    'Variables that are not sent are gone. Running scripts get what changed within a second over their session, else with their next heartbeat, and `ward.on_change` is called with `vars.motd` as the name of a variable. A client gets only what is for its script and the plan of its key; it can read all of that, so keep no secrets here.',
  example: { body: { version: 0, variables: EXAMPLE } },
  method: 'PUT',
  path: `${path}/variables`,
  auth: 'project',
  scope: 'projects:write',
  params: shape.ProjectParams,
  body: shape.members({
    version: Type.Integer({
      ...Version,
      description: 'the version that you have read: another one is refused, with the current one',
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
  pattern: '^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f]*$',
  description: `at most ${MAX_ANNOUNCEMENT_LENGTH} characters; lines may be broken`,
  examples: ['Back at ten: we are moving to a faster server.'],
})
const LEVELS = ['info', 'warning', 'critical'] as const
const Level = Type.Unsafe<(typeof LEVELS)[number]>({
  type: 'string',
  enum: [...LEVELS],
  description: 'how important it is; scripts decide how they show it',
  examples: ['warning'],
})
const Until = Type.Integer({
  ...shape.Milliseconds,
  description: 'when it ends, in milliseconds since 1970',
  examples: [253_402_300_000_000],
})
const Announcement = shape.named('Announcement', {
  id: Type.String({ examples: ['ann_0VMc4VLkS3dMnOpQrStUvW'] }),
  text: Text,
  level: Level,
  until: Until,
  scripts: shape.nullable(
    Type.Array(Type.String(), { description: 'ids of scripts; null for all', examples: [[SCRIPT]] }),
  ),
  created_at: Type.Integer(),
})

const list = endpoint({
  name: 'v1.announcements.list',
  summary: 'List the announcements of a project that have not ended, newest first.',
  description: `At most ${MAX_ANNOUNCEMENTS}. A script sees the first that is for it, as \`ward.announcement\`.`,
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
  summary: 'Announce something to everybody who runs a script of the project, until a time.',
  description:
    'Running scripts get it within a second over their session, else with their next heartbeat: it is `ward.announcement`, and `ward.on_announcement` is called with it. Scripts decide whether and how they show it. Only the newest counts; when it ends or is removed, the one before it counts again.',
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
        description: 'ids of the scripts that it is for; left out or null for all of the project',
        examples: [null],
      }),
    ),
  }),
  response: Type.Object({ success: shape.Yes, announcement: Announcement }),
  failures: { account_expired: 0, max_announcements_reached: 1 },
  async handle({ subject, body: { scripts, ...rest } }, deps) {
    const announcement = await createAnnouncement(deps, subject, { ...rest, scripts: scripts ?? undefined })
    return announcement instanceof Refused ? announcement : { announcement }
  },
})

const remove = endpoint({
  name: 'v1.announcements.remove',
  summary: 'Remove an announcement before it ends.',
  description:
    'Running scripts see the one before it then, or none: at once over their session, else with their next heartbeat.',
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
