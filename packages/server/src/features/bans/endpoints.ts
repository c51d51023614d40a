/** Endpoints for a project's bans of devices, networks and Discord accounts. */
import { MAX_USER_KEY_LENGTH } from '@scriptward/client/messages'
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { Refused } from '../../api/refusals.ts'
import * as shape from '../../api/shapes.ts'
import { ONE_LINE } from '../../api/text-patterns.ts'
import { createBan, editBan, getBan, listBans, previewBan, removeBan } from './bans.ts'

const path = '/v1/projects/:project_id/bans'
const BanParams = Type.Object({ project_id: Type.String(), ban_id: Type.String() })

const KINDS = {
  type: 'string',
  enum: ['device', 'network', 'chat'],
  description: 'kind of ban',
  examples: ['network'],
} as const
const Kind = Type.Unsafe<(typeof KINDS.enum)[number]>(KINDS)
const Line = { maxLength: 255, pattern: ONE_LINE }

const target = {
  kind: Kind,
  user_key: shape.maybe(
    Type.String({
      ...Line,
      maxLength: MAX_USER_KEY_LENGTH,
      description:
        'license key of the user whose devices, last network (/24 or /48) or chat account to ban. Send either user_key or value',
    }),
  ),
  value: shape.maybe(
    Type.String({
      ...Line,
      description:
        'value to ban: an IP address or network from /16 to /32 for IPv4 or /32 to /64 for IPv6, a chat account ID, or a device identifier as sent by executors and accepted by imports. Send either value or user_key',
      examples: ['203.0.113.0/24'],
    }),
  ),
}
const terms = {
  reason: shape.maybe(
    Type.String({ ...Line, description: 'reason shown to denied customers. Leave empty to show none' }),
  ),
  expires: shape.maybe(
    Type.Integer({
      ...shape.Milliseconds,
      description: 'expiry, in Unix milliseconds. 0 makes the ban permanent',
      examples: [1_798_761_600_000],
    }),
  ),
}

const Ban = shape.named('Ban', {
  id: Type.String({ examples: ['ban_0VMc4VLkS3dMnOpQrStUvW'] }),
  kind: Kind,
  value: Type.String({
    description: 'banned network or chat account ID, or the masked fingerprint of the banned device',
    examples: ['203.0.113.0/24'],
  }),
  user_key: shape.nullable(
    Type.String({
      description:
        'license key of the user that the value was taken from. Null if the value was given directly',
    }),
  ),
  reason: shape.nullable(
    Type.String({ description: 'reason shown to denied customers. Null if there is none' }),
  ),
  expires: shape.nullable(
    Type.Integer({ description: 'expiry, in Unix milliseconds. Null if the ban is permanent' }),
  ),
  created_at: Type.Integer(),
})
const OneBan = Type.Object({ success: shape.Yes, ban: Ban })

const NOT_KNOWN = { no_device_known: 0, no_network_known: 1, no_chat_known: 2 } as const

const list = endpoint({
  name: 'v1.bans.list',
  summary: 'List bans',
  description:
    "Returns the active bans of a project, newest first. Nobody can run the project's scripts from a banned device, network or chat account, with or without a key. A project can have up to 10,000 bans.",
  example: { query: { kind: 'network', limit: 50 } },
  method: 'GET',
  path,
  auth: 'project',
  scope: 'users:read',
  params: shape.ProjectParams,
  query: shape.members({ ...shape.onward, kind: Type.Optional(Kind) }),
  response: Type.Object({ success: shape.Yes, bans: Type.Array(Ban), next: shape.Next }),
  handle: ({ subject, query }, deps) => listBans(deps, subject, shape.given(query)),
})

const create = endpoint({
  name: 'v1.bans.create',
  summary: 'Create a ban',
  description:
    'Bans a device, network or chat account from a project and ends all runs that use it. Affected clients are denied as if they were blacklisted, regardless of their key, including in free-for-all scripts and on `/me`. A device is recognized by any of its strong components. A network may be shared by many users, so call `preview` first. If the target is already banned, the error contains the ID of the existing ban.',
  example: {
    body: { kind: 'network', value: '203.0.113.0/24', reason: 'attacks', expires: 1_798_761_600_000 },
  },
  method: 'POST',
  path: `${path}/new`,
  auth: 'project',
  scope: 'users:write',
  namesNoun: true,
  params: shape.ProjectParams,
  body: shape.members({ ...target, ...terms }),
  response: OneBan,
  failures: { ...NOT_KNOWN, account_expired: 3, already_banned: 4, too_many_bans: 5 },
  async handle({ subject, body: { kind, ...rest } }, deps) {
    const ban = await createBan(deps, subject, { kind, ...shape.given(rest) })
    return ban instanceof Refused ? ban : { ban }
  },
})

const preview = endpoint({
  name: 'v1.bans.preview',
  summary: 'Preview a ban',
  description:
    'Returns how many users and runs a ban would affect, without creating it. Users are matched by the device bound to their key, by their chat account, or by the network of their last run within 30 days. `running` counts the runs that would end, including guests. If the target is already banned, `ban_id` contains the ID of that ban.',
  example: { body: { kind: 'network', value: '203.0.113.0/24' } },
  method: 'POST',
  path: `${path}/preview`,
  auth: 'project',
  changes: false,
  scope: 'users:read',
  cost: 5,
  namesNoun: true,
  params: shape.ProjectParams,
  body: shape.members(target),
  response: Type.Object({
    success: shape.Yes,
    value: Type.String({
      description: 'value that would be banned, as shown in the ban',
      examples: ['203.0.113.0/24'],
    }),
    users: Type.Integer({ minimum: 0, description: 'number of known users affected', examples: [2] }),
    running: Type.Integer({ minimum: 0, description: 'number of runs that would end', examples: [1] }),
    ban_id: shape.nullable(
      Type.String({
        description: 'ID of the existing ban. Null if the target is not banned',
        examples: [null],
      }),
    ),
  }),
  failures: NOT_KNOWN,
  handle: ({ subject, body: { kind, ...rest } }, deps) =>
    previewBan(deps, subject, { kind, ...shape.given(rest) }),
})

const get = endpoint({
  name: 'v1.bans.get',
  summary: 'Retrieve a ban',
  description: 'Returns a single ban from the project. Expired bans return `not_found`.',
  method: 'GET',
  path: `${path}/:ban_id`,
  auth: 'project',
  scope: 'users:read',
  params: BanParams,
  response: OneBan,
  async handle({ subject, params }, deps) {
    const ban = await getBan(deps, subject, params.ban_id)
    return ban instanceof Refused ? ban : { ban }
  },
})

const edit = endpoint({
  name: 'v1.bans.edit',
  summary: 'Update a ban',
  description:
    'Changes the reason or expiry of a ban. Fields that are absent or null are unchanged. An empty reason removes the reason, and an `expires` of 0 makes the ban permanent. To change what is banned, remove the ban and create a new one.',
  example: { body: { reason: 'shared the key', expires: 0 } },
  method: 'POST',
  path: `${path}/:ban_id/edit`,
  auth: 'project',
  scope: 'users:write',
  params: BanParams,
  body: shape.members(terms),
  response: OneBan,
  failures: { account_expired: 0, cannot_edit_nothing: 1 },
  async handle({ subject, params, body }, deps) {
    const ban = await editBan(deps, subject, { id: params.ban_id, ...shape.given(body) })
    return ban instanceof Refused ? ban : { ban }
  },
})

const remove = endpoint({
  name: 'v1.bans.remove',
  summary: 'Remove a ban',
  description:
    "Lifts a ban. The device, network or chat account can run the project's scripts again if its key permits it. Runs that the ban ended don't restart.",
  method: 'POST',
  path: `${path}/:ban_id/remove`,
  auth: 'project',
  scope: 'users:write',
  params: BanParams,
  response: shape.Done,
  async handle({ subject, params }, deps) {
    return (await removeBan(deps, subject, params.ban_id)) ?? {}
  },
})

export const bans: readonly Endpoint[] = [list, create, preview, get, edit, remove]
