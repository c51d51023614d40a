/** Endpoints that list and undo removals and bulk changes. */
import { MAX_USER_KEY_LENGTH } from '@scriptward/client/messages'
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { ONE_LINE } from '../../../api/text-patterns.ts'
import { listAffectedUsers } from '../affected-users.ts'
import { describeChange, findChange, listChanges, SKIP_REASONS, type SkipType } from '../changes.ts'
import { undoChange } from '../undo.ts'
import { AffectedUser, ChangeSample } from './change-shapes.ts'

const ACTIONS = [
  ...(['import', 'generate', 'purge', 'clear', 'resetall', 'compensate', 'delete-expired'] as const),
  ...(['pause', 'resume', 'tag', 'untag', 'plan'] as const),
  ...(['extend', 'blacklist', 'unblacklist', 'reset', 'remove', 'remove-project', 'remove-script'] as const),
]

const ChangeParams = Type.Object({ change_id: Type.String() })
const Change = shape.named('Change', {
  id: Type.String({ examples: ['chg_0VMc4VLkH7rAAAAAAAAAAA'] }),
  project_id: Type.String(),
  project_name: Type.String({ description: 'project name at the time', examples: ['Garden Runner'] }),
  action: Type.Unsafe<(typeof ACTIONS)[number]>({
    type: 'string',
    enum: ACTIONS,
    description:
      'action that made the change: the last path segment of the request, or the name of the job or removal',
    examples: ['clear'],
  }),
  details: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'parameters of the action',
    examples: [{}],
  }),
  actor: shape.Actor,
  created_at: Type.Integer({ examples: [1_790_000_000_000] }),
  count: Type.Integer({ description: 'number of users affected', examples: [1204] }),
  samples: Type.Array(AffectedUser, {
    maxItems: 3,
    description: 'the first affected users, named as they were before the change',
  }),
  state: Type.Unsafe<'done' | 'undoing' | 'undone'>({
    type: 'string',
    enum: ['done', 'undoing', 'undone'],
    description:
      'state of the change. With `undoing`, an undo is in progress or was interrupted; undo the change again to continue',
    examples: ['done'],
  }),
  undo_until: Type.Integer({
    description: 'end of the undo period',
    examples: [1_790_604_800_000],
  }),
  undone_at: shape.nullable(Type.Integer()),
  undone_by: shape.nullable(Type.String()),
  restored: Type.Integer({
    description: 'number of resources that the undo restored or removed',
    examples: [0],
  }),
  skipped: Type.Integer({ description: 'number of resources that the undo left unchanged', examples: [0] }),
  skipped_entries: Type.Array(
    Type.Object({
      what: Type.String({ description: 'kind of resource: users, projects or scripts', examples: ['users'] }),
      name: Type.String({
        description: "user's license key",
        examples: ['kQ7mZ2xV9bT4nR8wLpY3sD6fHjC1gA5e'],
      }),
      type: Type.Unsafe<SkipType>({
        type: 'string',
        enum: Object.keys(SKIP_REASONS),
        description: 'machine-readable reason. used_or_edited also covers users that were removed',
        examples: ['key_taken'],
      }),
      reason: Type.String({
        description: 'human-readable reason, whose wording may change',
        examples: [SKIP_REASONS.key_taken],
      }),
    }),
    { description: 'resources that the undo left unchanged, up to the first 1,000' },
  ),
})
const ProjectQuery = shape.members({
  ...shape.CursorPage.properties,
  user_key: shape.maybe(
    Type.String({
      maxLength: MAX_USER_KEY_LENGTH,
      pattern: ONE_LINE,
      description: 'license key: only changes that affected this user and were not undone',
    }),
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
  summary: 'List changes',
  description:
    'Returns the removals and bulk changes in all projects, newest first. Removed projects are included and can be restored here. Callers limited to certain projects see only changes to those projects. Changes are listed while they can be undone; the audit log keeps everything.',
  example: { query: { limit: 20 } },
  method: 'GET',
  path: '/v1/changes',
  auth: 'customer',
  scope: 'users:read',
  filtersByProject: true,
  query: shape.CursorPage,
  response: Changes,
  handle: ({ subject: customer, caller, query }, deps) =>
    listChanges(deps, { customer, caller }, shape.given(query)),
})

const listOfProject = endpoint({
  name: 'v1.projects.changes',
  summary: "List a project's changes",
  description:
    "Returns a project's removals and bulk changes, newest first: who changed what, when, and how many users were affected. Each can be undone until its `undo_until`.",
  example: { query: { limit: 20 } },
  method: 'GET',
  path: '/v1/projects/:project_id/changes',
  auth: 'project',
  scope: 'users:read',
  params: shape.ProjectParams,
  query: ProjectQuery,
  response: Changes,
  handle: ({ subject: { customer, project }, caller, query }, deps) =>
    listChanges(deps, { customer, caller }, shape.given(query), project.id),
})

const get = endpoint({
  name: 'v1.changes.get',
  summary: 'Retrieve a change',
  description:
    'Returns a change: who changed what and, if it was undone, what the undo restored and left unchanged.',
  method: 'GET',
  path: '/v1/changes/:change_id',
  auth: 'customer',
  scope: 'users:read',
  filtersByProject: true,
  params: ChangeParams,
  response: Type.Object({ success: shape.Yes, change: Change }),
  async handle({ subject: customer, caller, params }, deps) {
    const row = await findChange(deps, { customer, caller }, params.change_id)
    return row instanceof Refused ? row : { change: describeChange(deps, row) }
  },
})

const users = endpoint({
  name: 'v1.changes.users',
  summary: 'List the users affected by a change',
  description:
    'Returns the users that a change affected, in the order they were changed, with the edited fields. Users that were added or removed are shown as they were then; all others are shown as they are now. Undoing the change removes the restored users from this list.',
  example: { query: { limit: 20 } },
  method: 'GET',
  path: '/v1/changes/:change_id/users',
  auth: 'customer',
  scope: 'users:read',
  filtersByProject: true,
  params: ChangeParams,
  query: shape.members(shape.onward),
  response: Type.Object({ success: shape.Yes, users: Type.Array(ChangeSample), next: shape.Next }),
  handle: ({ subject: customer, caller, params, query }, deps) =>
    listAffectedUsers(deps, { customer, caller }, params.change_id, shape.given(query)),
})

const undo = endpoint({
  name: 'v1.changes.undo',
  summary: 'Undo a change',
  description:
    'Restores what the change removed or edited. Removed users return with their devices, history and position in lists, and edited fields return to their previous values. Users that were imported or generated are removed, unless they have been used or edited since. Keys and chat accounts that were taken in the meantime, and fields that were edited since, are left unchanged and listed in `skipped_entries`. Live sessions are not restored. Undoing anything but the removal of a single user also requires `users:bulk` or, for projects and scripts, `projects:write` or `scripts:write`.',
  method: 'POST',
  path: '/v1/changes/:change_id/undo',
  auth: 'customer',
  scope: 'users:write',
  filtersByProject: true,
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
    max_systems_reached: 7,
    max_checkpoints_reached: 8,
  },
  async handle({ subject: customer, caller, params }, deps) {
    const change = await undoChange(deps, { customer, caller }, params.change_id)
    return change instanceof Refused ? change : { change }
  },
})

export const changes: readonly Endpoint[] = [listAll, listOfProject, get, users, undo]
