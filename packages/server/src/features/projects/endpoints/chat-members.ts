/**
 * Endpoints that let a bot report the members of a project's Discord server. The `require_join_chat_server`
 * project flag depends on these reports unless a bot is connected.
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
    chat_ids: Type.Array(shape.LinkedChatId, { maxItems, description: 'chat account IDs' }),
  })

const list = endpoint({
  name: 'v1.chatMembers.list',
  summary: 'List chat members',
  description:
    'Returns the members of the chat server in the order they joined, as reported by your bot. Compare the list with the actual server to see whether your bot missed anyone.',
  method: 'GET',
  path,
  auth: 'project',
  scope: 'users:read',
  params: shape.ProjectParams,
  query: shape.members({
    from: shape.maybe(shape.Count),
    limit: shape.maybe(
      Type.Integer({
        minimum: 0,
        maximum: AT_ONCE,
        description: 'number of entries per page. Default: 1000',
      }),
    ),
  }),
  response: Type.Object({
    success: shape.Yes,
    members: Type.Array(
      Type.Object({ chat_id: Type.String({ description: 'chat account ID' }), added_at: Type.Integer() }),
    ),
    total: shape.Count,
  }),
  handle: ({ subject, query }, deps) => showChatMembers(deps, subject, shape.given(query)),
})

const replace = endpoint({
  name: 'v1.chatMembers.replace',
  summary: 'Replace the chat members',
  description:
    'Replaces the list of members, for example when your bot starts. Members missing from your list are removed. A project can have up to 250,000. Current runs continue; users who are not on the list are denied on their next run.',
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
  summary: 'Add chat members',
  description:
    'Adds members who joined the chat server, up to 10,000 per request. They satisfy `require_join_chat_server` immediately. IDs already on the list are ignored and not counted in `added`.',
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
  summary: 'Remove chat members',
  description:
    "Removes members who left the chat server, up to 10,000 per request. Current runs continue; these users are denied on their next run. IDs that aren't on the list are ignored and not counted in `removed`.",
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
