/** Bans of a project: devices, networks and chat accounts with which nobody runs its scripts. */
import { MAX_USER_KEY_LENGTH } from '@scriptward/client/messages'
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { Refused } from '../../api/refusals.ts'
import * as shape from '../../api/shapes.ts'
import { createBan, editBan, getBan, listBans, previewBan, removeBan } from './bans.ts'

const path = '/v1/projects/:project_id/bans'
const BanParams = Type.Object({ project_id: Type.String(), ban_id: Type.String() })

const KINDS = {
  type: 'string',
  enum: ['device', 'network', 'chat'],
  description: 'what is banned',
  examples: ['network'],
} as const
const Kind = Type.Unsafe<(typeof KINDS.enum)[number]>(KINDS)
const ONE_LINE = { maxLength: 255, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' }

const target = {
  kind: Kind,
  user_key: shape.maybe(
    Type.String({
      ...ONE_LINE,
      maxLength: MAX_USER_KEY_LENGTH,
      description:
        'the key of a user of the project whose devices, last network (its /24 or /48) or chat account is banned; or give value',
    }),
  ),
  value: shape.maybe(
    Type.String({
      ...ONE_LINE,
      description:
        'instead of user_key: an address or a network from /16 to /32 of IPv4 or /32 to /64 of IPv6; a chat id; or the identifier that an executor sends of a device, as imports take it',
      examples: ['203.0.113.0/24'],
    }),
  ),
}
const terms = {
  reason: shape.maybe(
    Type.String({ ...ONE_LINE, description: 'shown to who is denied; the empty text is none' }),
  ),
  expires: shape.maybe(
    Type.Integer({
      ...shape.Milliseconds,
      description: 'when it ends, in milliseconds since 1970; 0 for never',
      examples: [1_798_761_600_000],
    }),
  ),
}

const Ban = shape.named('Ban', {
  id: Type.String({ examples: ['ban_0VMc4VLkS3dMnOpQrStUvW'] }),
  kind: Kind,
  value: Type.String({
    description: 'the network, the chat id, or of a device its masked fingerprint',
    examples: ['203.0.113.0/24'],
  }),
  user_key: shape.nullable(
    Type.String({ description: 'of the user from whom it was taken; null for a value' }),
  ),
  reason: shape.nullable(Type.String()),
  expires: shape.nullable(Type.Integer({ description: 'null for never' })),
  created_at: Type.Integer(),
})
const OneBan = Type.Object({ success: shape.Yes, ban: Ban })

const NOT_KNOWN = { no_device_known: 0, no_network_known: 1, no_chat_known: 2 } as const

const list = endpoint({
  name: 'v1.bans.list',
  summary: 'List the bans of a project, newest first.',
  description:
    'Devices, networks and chat accounts with which nobody runs scripts of the project, with a key or without. Bans that have ended are not listed. A project has at most 10,000.',
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
  summary: 'Ban a device, a network or a chat account from a project, and end what runs with it.',
  description:
    'Clients are denied as if they were blacklisted, whatever key they have, also in free-for-all scripts and on `/me`. A device is recognised by each of its strong components. Ask `preview` first: a network may have many users behind it. A second ban of the same thing is refused with the id of the first.',
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
  summary: 'Count whom a ban would hit, without making it.',
  description:
    'Users are found by the device that their key is bound to, by their chat account, or by the network of their last execution within 30 days. `running` counts what would end at once, guests included. `ban_id` is the ban of the same thing, if there is one.',
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
      description: 'what would be banned, as a ban shows it',
      examples: ['203.0.113.0/24'],
    }),
    users: Type.Integer({ minimum: 0, description: 'users who are known to be hit', examples: [2] }),
    running: Type.Integer({ minimum: 0, description: 'runs that would end now', examples: [1] }),
    ban_id: shape.nullable(Type.String({ description: 'of a ban that is there already', examples: [null] })),
  }),
  failures: NOT_KNOWN,
  handle: ({ subject, body: { kind, ...rest } }, deps) =>
    previewBan(deps, subject, { kind, ...shape.given(rest) }),
})

const get = endpoint({
  name: 'v1.bans.get',
  summary: 'Get a ban.',
  description: 'One ban of the project, as the list shows it. A ban that has ended does not exist any more.',
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
  summary: 'Edit the reason or the end of a ban: members that are absent or null stay.',
  description:
    'An empty reason takes it away, and `expires` of 0 lets the ban last for ever. What is banned cannot be edited: remove the ban and make another one.',
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
  summary: 'Remove a ban.',
  description:
    'From the next execution on the device, network or chat account may run scripts of the project again, as far as its key allows. What the ban ended stays ended.',
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
