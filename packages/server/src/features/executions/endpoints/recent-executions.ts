/** Granted executions of a project as they come. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import * as shape from '../../../api/shapes.ts'
import { listRecentExecutions } from '../recent.ts'

const text = Type.String()

const Execution = shape.named('RecentExecution', {
  id: Type.String({ description: 'of the execution; an answer may repeat one of the answer before' }),
  script_id: text,
  script_version: Type.Integer({ examples: [3] }),
  user_key: shape.nullable(Type.String({ description: 'null for a guest' })),
  executor: Type.String({ description: 'as it named itself', examples: ['Garden'] }),
  runtime: Type.String({ description: 'the kind of Lua', examples: ['luau'] }),
  granted_at: Type.Integer({ examples: [1_790_000_000_000] }),
})

const recent = endpoint({
  name: 'v1.projectExecutions.recent',
  summary:
    'Follow the granted executions of a project: those that run or ended in the last ten minutes, oldest first.',
  description:
    'Ask without `after` for the newest ones, then again and again with the `next` of the last answer for what came meanwhile. An answer may repeat an execution of the one before, so leave out ids that you have. Every granted execution is there, also one that ended in order at once. Denied executions are in the denials of the project.',
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
    next: Type.String({ description: 'what to ask with as after', examples: ['cmVjZW50OjQyMA'] }),
  }),
  handle: ({ subject, query }, deps) => listRecentExecutions(deps, subject.project, shape.given(query)),
})

export const recentExecutions: readonly Endpoint[] = [recent]
