/**
 * Endpoints for the projects of an account, which is identified by the API key in the path or, under `/v1`,
 * by the token.
 */
import { Type } from 'typebox'
import { type Endpoint, inBothFamilies, Nothing } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { Removed } from '../../changes/endpoints/change-shapes.ts'
import { removeProject } from '../../changes/remove-project.ts'
import { createProject, editProject, getProject, listProjects } from '../projects.ts'

const settings = {
  fingerprint_reset_cooldown: shape.maybe(
    shape.milliseconds('minimum time between two fingerprint resets by a customer, in milliseconds'),
  ),
  allow_fingerprint_resets: shape.maybe(shape.Flag),
  delete_expired_users: shape.maybe(shape.Flag),
  execution_webhook: shape.maybe(shape.WebhookAddress),
  information_webhook: shape.maybe(shape.WebhookAddress),
  blacklist_webhook: shape.maybe(shape.WebhookAddress),
}
const ProjectEdit = { name: shape.maybe(shape.Name), ...settings }

const Counts = shape.named('ProjectCounts', {
  users: Type.Integer({ minimum: 0, description: 'number of users in the project', examples: [1250] }),
  scripts: Type.Integer({ minimum: 0, description: 'number of scripts in the project', examples: [4] }),
  open_errors: Type.Integer({ minimum: 0, description: 'number of open errors', examples: [2] }),
  recent_runs: Type.Integer({
    minimum: 0,
    description: 'number of runs that were granted in the last 24 hours, counted by the hour',
    examples: [1204],
  }),
})
const ListedProject = shape.named('ListedProject', {
  ...shape.Project.properties,
  counts: Type.Optional(Counts),
})

const list = inBothFamilies(
  {
    name: 'customers.projects',
    summary: 'List projects',
    description:
      'Returns all projects in the account with their settings and totals, oldest first. Callers limited to certain projects receive only those. Without `webhooks:write`, webhook URLs are truncated to the host and first path segment.',
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
      example: { query: { limit: 20, counts: true } },
      path: '/v1/projects',
      auth: 'customer',
      filtersByProject: true,
      params: Nothing,
      query: shape.members({
        ...shape.OrderedPage.properties,
        counts: shape.maybe(
          Type.Boolean({
            description: 'whether to count users, scripts, open errors and recent runs of each project',
            examples: [true],
          }),
        ),
      }),
      response: Type.Object({
        success: shape.Yes,
        projects: Type.Array(ListedProject),
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
    summary: 'Create a project',
    description:
      'Creates an empty project. Omitted settings use their defaults. Webhook URLs must be public https URLs and also require `webhooks:write`. Your service tier limits the number of projects.',
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
    summary: 'Retrieve a project',
    description:
      "Returns a project's settings, and its total executions, sessions and instances. Without `webhooks:write`, webhook URLs are truncated to the host and first path segment.",
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
    summary: 'Update a project',
    description:
      'Changes the fields you send and returns the complete project. Fields that are absent or null are unchanged. Settings take effect on the next run. An empty string removes a webhook URL and stops its events. Webhook URLs also require `webhooks:write`.',
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
    summary: 'Remove a project',
    description:
      'Removes a project with its scripts and all of their versions, its users, statistics, ad systems and webhooks, and ends all runs. Works even after the account has expired. Within the undo period, `POST /v1/changes/:change_id/undo` restores the project.',
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
