/** Lists a project's granted executions, for clients that follow them. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import * as shape from '../../../api/shapes.ts'
import { listRecentExecutions } from '../recent.ts'

const text = Type.String()

const Execution = shape.named('RecentExecution', {
  id: Type.String({ description: 'execution ID. A response may repeat executions from the previous one' }),
  script_id: text,
  script_version: Type.Integer({ examples: [3] }),
  user_key: shape.nullable(Type.String({ description: 'license key. Null for a guest' })),
  executor: Type.String({ description: 'executor, as reported by the client', examples: ['Garden'] }),
  runtime: Type.String({ description: 'Lua runtime', examples: ['luau'] }),
  granted_at: Type.Integer({ examples: [1_790_000_000_000] }),
})

const recent = endpoint({
  name: 'v1.projectExecutions.recent',
  summary: 'List recent executions',
  description:
    'Returns the granted executions of a project that are running or ended within the last ten minutes, oldest first, including those that ended immediately. Call it without `after` for the latest executions, then poll for newer ones with `next` from the previous response. A response may repeat executions from the previous one, so ignore IDs you already have. Denied executions are listed in the denials of the project.',
  method: 'GET',
  path: '/v1/projects/:project_id/executions/recent',
  auth: 'project',
  scope: 'users:read',
  params: shape.ProjectParams,
  query: shape.members({
    ...shape.onward,
  }),
  response: Type.Object({
    success: shape.Yes,
    executions: Type.Array(Execution),
    next: Type.String({
      description: 'cursor to pass as after in the next request',
      examples: ['cmVjZW50OjQyMA'],
    }),
  }),
  handle: ({ subject, query }, deps) => listRecentExecutions(deps, subject.project, shape.given(query)),
})

export const recentExecutions: readonly Endpoint[] = [recent]
