/**
 * Who is in the chat server of a project, as reported by a bot in that server. The project flag
 * `require_join_chat_server` depends on it.
 */
import { Type } from 'typebox'
import {
  addChatMembers,
  MAX_CHAT_MEMBERS,
  removeChatMembers,
  replaceChatMembers,
  showChatMembers,
} from '../../domain/projects/chat-members.ts'
import { type Endpoint, endpoint, Nothing } from '../endpoint.ts'
import * as shape from '../shapes.ts'

const path = '/v1/projects/:project_id/chat-members'
const AT_ONCE = 10_000

const ids = (maxItems: number) =>
  shape.members({
    chat_ids: Type.Array(shape.LinkedChatId, { maxItems, description: 'chat-platform ids of accounts' }),
  })

const list = endpoint({
  name: 'v1.chatMembers.list',
  summary: 'List who is in the chat server of a project, as its bot reported, in the order of joining.',
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
  body: Nothing,
  response: Type.Object({
    success: shape.Yes,
    members: Type.Array(Type.Object({ chat_id: Type.String(), added_at: Type.Integer() })),
    total: shape.Count,
  }),
  failures: {},
  handle: ({ subject, query }, deps) => showChatMembers(deps, subject, shape.given(query)),
})

const replace = endpoint({
  name: 'v1.chatMembers.replace',
  summary: 'Replace the list of who is in the chat server of a project.',
  method: 'PUT',
  path,
  auth: 'project',
  scope: 'users:write',
  cost: 20,
  params: shape.ProjectParams,
  query: Nothing,
  body: ids(MAX_CHAT_MEMBERS),
  bodyLimit: 'import',
  response: Type.Object({ success: shape.Yes, added: shape.Count, removed: shape.Count }),
  failures: {},
  handle: ({ subject, body }, deps) => replaceChatMembers(deps, subject, body.chat_ids),
})

const add = endpoint({
  name: 'v1.chatMembers.add',
  summary: 'Report who joined the chat server of a project; added counts those who were not in it.',
  method: 'POST',
  path: `${path}/add`,
  auth: 'project',
  scope: 'users:write',
  params: shape.ProjectParams,
  query: Nothing,
  body: ids(AT_ONCE),
  response: Type.Object({ success: shape.Yes, added: shape.Count }),
  failures: { too_many_chat_members: 0 },
  handle: ({ subject, body }, deps) => addChatMembers(deps, subject, body.chat_ids),
})

const remove = endpoint({
  name: 'v1.chatMembers.remove',
  summary: 'Report who left the chat server of a project; removed counts those who were in it.',
  method: 'POST',
  path: `${path}/remove`,
  auth: 'project',
  scope: 'users:write',
  params: shape.ProjectParams,
  query: Nothing,
  body: ids(AT_ONCE),
  response: Type.Object({ success: shape.Yes, removed: shape.Count }),
  failures: {},
  handle: ({ subject, body }, deps) => removeChatMembers(deps, subject, body.chat_ids),
})

export const chatMembers: readonly Endpoint[] = [list, replace, add, remove]
