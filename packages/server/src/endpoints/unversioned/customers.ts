/** An account and its projects, named by the API key in the path; and the same projects for the token header. */
import { Type } from 'typebox'
import { resetApiKeyByMail } from '../../domain/api-keys.ts'
import { describeCustomer } from '../../domain/customers.ts'
import { createProject, listProjects } from '../../domain/projects.ts'
import { Refused } from '../../domain/refusals.ts'
import { executionsByScript, executorStatistics } from '../../domain/statistics.ts'
import { type Endpoint, endpoint, Nothing } from '../endpoint.ts'
import {
  ApiKeyParams,
  CursorPage,
  Customer,
  Done,
  ExecutionsByScript,
  ExecutorsAnswer,
  Flag,
  given,
  Milliseconds,
  maybe,
  members,
  Name,
  Next,
  Page,
  Project,
  WebhookAddress,
  Yes,
} from '../shapes.ts'

const NewProject = members({
  name: Name,
  fingerprint_reset_cooldown: maybe(Milliseconds),
  allow_fingerprint_resets: maybe(Flag),
  delete_expired_users: maybe(Flag),
  execution_webhook: maybe(WebhookAddress),
  information_webhook: maybe(WebhookAddress),
  blacklist_webhook: maybe(WebhookAddress),
})
const CreatedProject = Type.Object({ success: Yes, project_id: Type.String() })

const get = endpoint({
  name: 'customers.get',
  summary: 'Get the account with its totals.',
  method: 'GET',
  path: '/customers/:api_key',
  auth: 'customerByPathKey',
  params: ApiKeyParams,
  query: Nothing,
  body: Nothing,
  response: Type.Object({ success: Yes, customer: Customer }),
  failures: {},
  async handle({ subject }, deps) {
    return { customer: await describeCustomer(deps, subject) }
  },
})

const executions = endpoint({
  name: 'customers.executions',
  summary: 'Executions of the account by script and day.',
  method: 'GET',
  path: '/customers/:api_key/executions',
  auth: 'customerByPathKey',
  params: ApiKeyParams,
  query: Nothing,
  body: Nothing,
  response: Type.Object({ success: Yes, executions: ExecutionsByScript }),
  failures: {},
  async handle({ subject }, deps) {
    return { executions: await executionsByScript(deps, { customer: subject }) }
  },
})

const executors = endpoint({
  name: 'customers.executors',
  summary: 'Executors that ran the scripts of the account.',
  method: 'GET',
  path: '/customers/:api_key/executors',
  auth: 'customerByPathKey',
  params: ApiKeyParams,
  query: Nothing,
  body: Nothing,
  response: ExecutorsAnswer,
  failures: {},
  handle: ({ subject }, deps) => executorStatistics(deps, { customer: subject }),
})

const resetKey = endpoint({
  name: 'customers.resetKey',
  summary: "Replace the API key at once; the new one goes to the account's mail address.",
  method: 'POST',
  path: '/customers/:api_key/reset',
  auth: 'customerByPathKey',
  params: ApiKeyParams,
  query: Nothing,
  body: Nothing,
  response: Done,
  failures: {},
  async handle({ subject }, deps) {
    return (await resetApiKeyByMail(deps, subject)) ?? {}
  },
})

const listProjectsOf = endpoint({
  name: 'customers.projects',
  summary: 'List the projects of the account.',
  method: 'GET',
  path: '/customers/:api_key/projects',
  auth: 'customerByPathKey',
  params: ApiKeyParams,
  query: Page,
  body: Nothing,
  response: Type.Object({ success: Yes, projects: Type.Array(Project) }),
  failures: {},
  async handle({ subject, query }, deps) {
    const found = await listProjects(deps, subject.id, given(query))
    return found instanceof Refused ? found : { projects: found.projects }
  },
})

const newProject = endpoint({
  name: 'customers.createProject',
  summary: 'Create a project.',
  method: 'POST',
  path: '/customers/:api_key/projects/new',
  auth: 'customerByPathKey',
  params: ApiKeyParams,
  query: Nothing,
  body: NewProject,
  response: CreatedProject,
  failures: { max_projects_reached: 0, account_expired: 1 },
  async handle({ subject, body }, deps) {
    const project_id = await createProject(deps, subject.id, { ...given(body), name: body.name })
    return project_id instanceof Refused ? project_id : { project_id }
  },
})

const v1ListProjects = endpoint({
  name: 'v1.projects.list',
  summary: 'List the projects of the account.',
  method: 'GET',
  path: '/v1/projects',
  auth: 'customer',
  params: Nothing,
  query: CursorPage,
  body: Nothing,
  response: Type.Object({
    success: Yes,
    projects: Type.Array(Project),
    total: Type.Integer(),
    next: Next,
  }),
  failures: {},
  handle: ({ subject, query }, deps) => listProjects(deps, subject.id, given(query)),
})

const v1NewProject = endpoint({
  name: 'v1.projects.create',
  summary: 'Create a project.',
  method: 'POST',
  path: '/v1/projects/new',
  auth: 'customer',
  params: Nothing,
  query: Nothing,
  body: NewProject,
  response: CreatedProject,
  failures: { max_projects_reached: 0, account_expired: 1 },
  async handle({ subject, body }, deps) {
    const project_id = await createProject(deps, subject.id, { ...given(body), name: body.name })
    return project_id instanceof Refused ? project_id : { project_id }
  },
})

export const customers: readonly Endpoint[] = [
  get,
  executions,
  executors,
  resetKey,
  listProjectsOf,
  newProject,
  v1ListProjects,
  v1NewProject,
]
