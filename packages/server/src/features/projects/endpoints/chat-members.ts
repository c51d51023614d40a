/**
 * Who is in the chat server of a project, as reported by a bot in that server. The project flag
 * `require_join_chat_server` depends on it.
 */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import * as shape from '../../../api/shapes.ts'
import {
  addChatMembers,
  MAX_CHAT_MEMBERS,
  removeChatMembers,
  replaceChatMembers,
  showChatMembers,
} from '../chat-members.ts'

const path = '/v1/projects/:project_id/chat-members'
const AT_ONCE = 10_000

const ids = (maxItems: number) =>
  shape.members({
    chat_ids: Type.Array(shape.LinkedChatId, { maxItems, description: 'chat-platform ids of accounts' }),
  })

const list = endpoint({
  name: 'v1.chatMembers.list',
  summary: 'List who is in the chat server of a project, as its bot reported, in the order of joining.',
  description:
    'Compare this with the real server to see whether your bot missed anything. Without `limit` you get 1,000 entries; `total` says how many there are.',
  method: 'GET',
  path,
  auth: 'project',
  scope: 'users:read',
  params: shape.ProjectParams,
  query: shape.members({
    from: shape.maybe(shape.Count),
    limit: shape.maybe(
      Type.Integer({ minimum: 0, maximum: AT_ONCE, description: '1000 when it is left out' }),
    ),
  }),
  response: Type.Object({
    success: shape.Yes,
    members: Type.Array(Type.Object({ chat_id: Type.String(), added_at: Type.Integer() })),
    total: shape.Count,
  }),
  handle: ({ subject, query }, deps) => showChatMembers(deps, subject, shape.given(query)),
})

const replace = endpoint({
  name: 'v1.chatMembers.replace',
  summary: 'Replace the list of who is in the chat server of a project.',
  description:
    'For the start of a bot: send all members of the server, and those who are missing from your list are removed. A project holds up to 250,000. Users who run a script go on; those who are not in the list are denied the next time.',
  example: { body: { chat_ids: ['184650129374650213', '301245678901234567'] } },
  method: 'PUT',
  path,
  auth: 'project',
  scope: 'users:write',
  cost: 20,
  params: shape.ProjectParams,
  body: ids(MAX_CHAT_MEMBERS),
  bodyLimit: 'import',
  mostMembers: MAX_CHAT_MEMBERS + 100,
  response: Type.Object({ success: shape.Yes, added: shape.Count, removed: shape.Count }),
  handle: ({ subject, body }, deps) => replaceChatMembers(deps, subject, body.chat_ids),
})

const add = endpoint({
  name: 'v1.chatMembers.add',
  summary: 'Report who joined the chat server of a project; added counts those who were not in it.',
  description:
    'Call it whenever somebody joins your server, up to 10,000 at once. Ids that were in the list already are no error. From now on these users pass `require_join_chat_server`.',
  example: { body: { chat_ids: ['184650129374650213'] } },
  method: 'POST',
  path: `${path}/add`,
  auth: 'project',
  scope: 'users:write',
  params: shape.ProjectParams,
  body: ids(AT_ONCE),
  response: Type.Object({ success: shape.Yes, added: shape.Count }),
  failures: { too_many_chat_members: 0 },
  handle: ({ subject, body }, deps) => addChatMembers(deps, subject, body.chat_ids),
})

const remove = endpoint({
  name: 'v1.chatMembers.remove',
  summary: 'Report who left the chat server of a project; removed counts those who were in it.',
  description:
    'Call it whenever somebody leaves your server, up to 10,000 at once. Sessions that run go on; the next execution of such a user is denied. Ids that are not in the list are no error.',
  example: { body: { chat_ids: ['184650129374650213'] } },
  method: 'POST',
  path: `${path}/remove`,
  auth: 'project',
  scope: 'users:write',
  params: shape.ProjectParams,
  body: ids(AT_ONCE),
  response: Type.Object({ success: shape.Yes, removed: shape.Count }),
  handle: ({ subject, body }, deps) => removeChatMembers(deps, subject, body.chat_ids),
})

export const chatMembers: readonly Endpoint[] = [list, replace, add, remove]
