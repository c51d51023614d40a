/** Changes: removals and changes of many users, and how they are undone. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { describeChange, findChange, listChanges } from '../changes.ts'
import { undoChange } from '../undo.ts'

const ACTIONS = [
  ...(['import', 'generate', 'purge', 'clear', 'resetall', 'compensate', 'delete-expired'] as const),
  ...(['pause', 'resume', 'tag', 'untag', 'plan'] as const),
  ...(['extend', 'blacklist', 'unblacklist', 'reset', 'remove', 'remove-project', 'remove-script'] as const),
]

const ChangeParams = Type.Object({ change_id: Type.String() })
const Change = shape.named('Change', {
  id: Type.String({ examples: ['chg_0VMc4VLkH7rAAAAAAAAAAA'] }),
  project_id: Type.String(),
  project_name: Type.String({ description: 'as it was called then', examples: ['Garden Runner'] }),
  action: Type.Unsafe<(typeof ACTIONS)[number]>({
    type: 'string',
    enum: ACTIONS,
    description: 'the last part of the path, or what a job or a removal did',
    examples: ['clear'],
  }),
  details: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'what the action was given',
    examples: [{}],
  }),
  actor: Type.Object({
    kind: Type.Unsafe<'api_key' | 'token' | 'person' | 'command_line' | 'job'>({
      type: 'string',
      enum: ['api_key', 'token', 'person', 'command_line', 'job'],
    }),
    id: shape.nullable(Type.String()),
    name: Type.String({ examples: ['dana@example.com'] }),
  }),
  created_at: Type.Integer({ examples: [1_790_000_000_000] }),
  count: Type.Integer({ description: 'users that it was about', examples: [1204] }),
  state: Type.Unsafe<'done' | 'undoing' | 'undone'>({
    type: 'string',
    enum: ['done', 'undoing', 'undone'],
    description: 'undoing: it began, and was interrupted or goes on; ask again to go on',
    examples: ['done'],
  }),
  undo_until: Type.Integer({ description: 'until when it can be undone', examples: [1_790_604_800_000] }),
  undone_at: shape.nullable(Type.Integer()),
  undone_by: shape.nullable(Type.String()),
  restored: Type.Integer({
    description: 'how many the undoing brought back, or took away again',
    examples: [0],
  }),
  skipped: Type.Integer({ description: 'how many it left as they were', examples: [0] }),
  skipped_entries: Type.Array(
    Type.Object({
      what: Type.String({ description: 'users, projects or scripts', examples: ['users'] }),
      name: Type.String({
        description: 'the key of a user',
        examples: ['kQ7mZ2xV9bT4nR8wLpY3sD6fHjC1gA5e'],
      }),
      reason: Type.String({ description: 'why it was left', examples: ['the key is taken'] }),
    }),
    { description: 'the first 1000 of those that it left' },
  ),
})
const Changes = Type.Object({
  success: shape.Yes,
  changes: Type.Array(Change),
  total: shape.Count,
  next: shape.Next,
})

const listAll = endpoint({
  name: 'v1.changes.list',
  summary: 'List removals and changes of many users in all projects, newest first.',
  description:
    'Also those of projects that were removed, which is where the removal of a project can be undone. Callers who are limited to some projects see the changes of these. A change is listed for as long as it can be undone; for everything ever changed there is the audit log.',
  example: { query: { limit: 20 } },
  method: 'GET',
  path: '/v1/changes',
  auth: 'customer',
  scope: 'users:read',
  narrows: true,
  query: shape.CursorPage,
  response: Changes,
  handle: ({ subject: customer, caller, query }, deps) =>
    listChanges(deps, { customer, caller }, shape.given(query)),
})

const listOfProject = endpoint({
  name: 'v1.projects.changes',
  summary: 'List removals and changes of many users of a project, newest first.',
  description:
    'Who changed many users at once or removed some, when, what, and of how many users. Each of them can be undone until its `undo_until`.',
  example: { query: { limit: 20 } },
  method: 'GET',
  path: '/v1/projects/:project_id/changes',
  auth: 'project',
  scope: 'users:read',
  params: shape.ProjectParams,
  query: shape.CursorPage,
  response: Changes,
  handle: ({ subject: { customer, project }, caller, query }, deps) =>
    listChanges(deps, { customer, caller }, shape.given(query), project.id),
})

const get = endpoint({
  name: 'v1.changes.get',
  summary: 'Get a change: who changed what, and how its undoing went.',
  description: 'For the answer of a change that was long ago, or to see what an undoing left as it was.',
  method: 'GET',
  path: '/v1/changes/:change_id',
  auth: 'customer',
  scope: 'users:read',
  narrows: true,
  params: ChangeParams,
  response: Type.Object({ success: shape.Yes, change: Change }),
  async handle({ subject: customer, caller, params }, deps) {
    const row = await findChange(deps, { customer, caller }, params.change_id)
    return row instanceof Refused ? row : { change: describeChange(deps, row) }
  },
})

const undo = endpoint({
  name: 'v1.changes.undo',
  summary: 'Undo a change: what it removed or changed is as it was before.',
  description:
    'Removed users come back with devices, history and place in lists; changed members get their values back; users that an import or a generation added go again, unless they were used or changed since. Keys and chat accounts that are taken meanwhile, and members that were changed since, are left as they are and named in `skipped_entries`. Sessions are not brought back. It needs `users:bulk`, but for the removal of a single user; of a project `projects:write`, of a script `scripts:write`.',
  method: 'POST',
  path: '/v1/changes/:change_id/undo',
  auth: 'customer',
  scope: 'users:write',
  narrows: true,
  cost: 10,
  params: ChangeParams,
  response: Type.Object({ success: shape.Yes, change: Change }),
  failures: {
    already_undone: 0,
    undo_is_over: 1,
    nothing_to_restore_to: 2,
    expired_users_are_deleted: 3,
    max_users_reached: 4,
    max_projects_reached: 5,
    max_scripts_reached: 6,
  },
  async handle({ subject: customer, caller, params }, deps) {
    const change = await undoChange(deps, { customer, caller }, params.change_id)
    return change instanceof Refused ? change : { change }
  },
})

export const changes: readonly Endpoint[] = [listAll, listOfProject, get, undo]
