/** Projects of an account, named by the API key in the path or, under `/v1`, by the token. */
import { Type } from 'typebox'
import { type Endpoint, inBothFamilies, Nothing } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { Removed } from '../../changes/endpoints/change-shapes.ts'
import { removeProject } from '../../changes/remove-project.ts'
import { createProject, editProject, getProject, listProjects } from '../projects.ts'

const settings = {
  fingerprint_reset_cooldown: shape.maybe(shape.Milliseconds),
  allow_fingerprint_resets: shape.maybe(shape.Flag),
  delete_expired_users: shape.maybe(shape.Flag),
  execution_webhook: shape.maybe(shape.WebhookAddress),
  information_webhook: shape.maybe(shape.WebhookAddress),
  blacklist_webhook: shape.maybe(shape.WebhookAddress),
}
const ProjectEdit = { name: shape.maybe(shape.Name), ...settings }

const list = inBothFamilies(
  {
    name: 'customers.projects',
    summary: 'List the projects of the account.',
    description:
      'Every project with its settings and totals, oldest first. Callers without `webhooks:write` see host and first part of webhook addresses only. Callers who are limited to some projects get those alone.',
    method: 'GET',
    path: '/customers/:api_key/projects',
    auth: 'customerByPathKey',
    scope: 'projects:read',
    params: shape.ApiKeyParams,
    query: shape.Page,
    response: Type.Object({ success: shape.Yes, projects: Type.Array(shape.Project) }),
    async handle({ subject, caller, query }, deps) {
      const found = await listProjects(deps, { customerId: subject.id, caller }, shape.given(query))
      return found instanceof Refused ? found : { projects: found.projects }
    },
  },
  {
    v1: {
      name: 'v1.projects.list',
      path: '/v1/projects',
      auth: 'customer',
      narrows: true,
      params: Nothing,
      query: shape.OrderedPage,
      response: Type.Object({
        success: shape.Yes,
        projects: Type.Array(shape.Project),
        total: Type.Integer(),
        next: shape.Next,
      }),
      handle: ({ subject, caller, query }, deps) =>
        listProjects(deps, { customerId: subject.id, caller }, shape.given(query)),
    },
  },
)

const create = inBothFamilies(
  {
    name: 'customers.createProject',
    summary: 'Create a project.',
    description:
      'A new project is empty, and has the settings that you send and defaults for the others. Webhook addresses must be public https addresses and need `webhooks:write` too. The number of projects is limited by your plan.',
    example: { body: { name: 'Garden' } },
    method: 'POST',
    path: '/customers/:api_key/projects/new',
    auth: 'customerByPathKey',
    scope: 'projects:write',
    params: shape.ApiKeyParams,
    body: shape.members({ name: shape.Name, ...settings }),
    response: Type.Object({ success: shape.Yes, project_id: Type.String() }),
    failures: { max_projects_reached: 0, account_expired: 1 },
    async handle({ subject, caller, body }, deps) {
      const account = { customerId: subject.id, caller }
      const project_id = await createProject(deps, account, { ...shape.given(body), name: body.name })
      return project_id instanceof Refused ? project_id : { project_id }
    },
  },
  {
    v1: {
      name: 'v1.projects.create',
      path: '/v1/projects/new',
      auth: 'customer',
      params: Nothing,
      body: shape.members({ name: shape.Name, ...settings, support_url: shape.maybe(shape.SupportAddress) }),
      async handle({ subject, caller, body }, deps) {
        const account = { customerId: subject.id, caller }
        const project_id = await createProject(deps, account, { ...shape.given(body), name: body.name })
        return project_id instanceof Refused ? project_id : { project_id }
      },
    },
  },
)

const get = inBothFamilies(
  {
    name: 'projects.get',
    summary:
      'Get a project. Callers without webhooks:write see host and first part of webhook addresses only.',
    description:
      'All settings of the project with its totals of executions, sessions and instances. It is what an edit starts from. Callers who may not write webhooks see no tokens in addresses.',
    method: 'GET',
    path: '/projects/:project_id',
    auth: 'project',
    scope: 'projects:read',
    params: shape.ProjectParams,
    response: Type.Object({ success: shape.Yes, project: shape.Project }),
    async handle({ subject, caller }, deps) {
      return { project: await getProject(deps, subject, caller) }
    },
  },
  {
    v1: {
      response: Type.Object({ success: shape.Yes, project: shape.WideProject }),
      async handle({ subject, caller }, deps) {
        return { project: await getProject(deps, subject, caller) }
      },
    },
  },
)

const edit = inBothFamilies(
  {
    name: 'projects.edit',
    summary:
      'Edit a project: members that are absent or null stay, an empty text clears an address. Webhook addresses need webhooks:write too.',
    description:
      'Changes only what is sent and answers the whole project as it is then. Settings count from the next execution. To stop sending events, clear the address with an empty text.',
    example: {
      body: { name: 'Garden', allow_fingerprint_resets: true, fingerprint_reset_cooldown: 86_400_000 },
    },
    method: 'POST',
    path: '/projects/:project_id/edit',
    auth: 'project',
    scope: 'projects:write',
    params: shape.ProjectParams,
    body: shape.members(ProjectEdit),
    response: Type.Object({ success: shape.Yes, project: shape.Project }),
    failures: { account_expired: 0, cannot_edit_nothing: 1 },
    async handle({ subject, caller, body }, deps) {
      const project = await editProject(deps, subject, shape.given(body), caller)
      return project instanceof Refused ? project : { project }
    },
  },
  {
    v1: {
      summary:
        'Edit a project: members that are absent or null stay, an empty text clears an address. Webhook addresses need webhooks:write too. Beyond the interface: the chat flags, whether other software may check keys, where denied users find help, from how many networks on a key counts as shared, how long before the end of a key user.expiring is sent, how new keys look, and whether guests of free-for-all scripts need a device that can be recognised.',
      body: shape.members({
        ...ProjectEdit,
        require_chat: shape.maybe(shape.Flag),
        require_join_chat_server: shape.maybe(shape.Flag),
        allow_checks: shape.maybe(shape.Flag),
        guests_need_device: shape.maybe(shape.Flag),
        support_url: shape.maybe(shape.SupportAddress),
        share_threshold: shape.maybe(shape.ShareThreshold),
        expiring_lead: shape.maybe(shape.ExpiringLead),
        key_format: shape.maybe(shape.KeyFormat),
      }),
      response: Type.Object({ success: shape.Yes, project: shape.WideProject }),
      async handle({ subject, caller, body }, deps) {
        const project = await editProject(deps, subject, shape.given(body), caller)
        return project instanceof Refused ? project : { project }
      },
    },
  },
)

const remove = inBothFamilies(
  {
    name: 'projects.remove',
    summary: 'Remove a project with its scripts, users and statistics.',
    description:
      'Removes everything of the project: scripts with all versions, users, statistics, ad systems and webhooks. What runs is ended. An account whose plan has ended may do this too. Within some days `POST /v1/changes/:change_id/undo` brings it back.',
    method: 'POST',
    path: '/projects/:project_id/remove',
    auth: 'project',
    scope: 'projects:write',
    cost: 10,
    params: shape.ProjectParams,
    response: shape.Done,
    async handle({ subject }, deps) {
      const removed = await removeProject(deps, subject)
      return removed instanceof Refused ? removed : {}
    },
  },
  {
    v1: {
      response: Removed,
      handle: ({ subject }, deps) => removeProject(deps, subject),
    },
  },
)

export const projects: readonly Endpoint[] = [list, create, get, edit, remove].flat()
