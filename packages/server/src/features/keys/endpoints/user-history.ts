/**
 * Lists a user's recorded executions. For devices, denials and sessions, see `features/devices`,
 * `features/executions/endpoints/denials.ts` and `features/sessions`.
 */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import * as shape from '../../../api/shapes.ts'
import { listUserExecutions } from '../history.ts'

const Execution = shape.named('Execution', {
  script_id: Type.String(),
  script_version: Type.Integer({ examples: [3] }),
  executor: Type.String({ description: 'executor, as reported by the client', examples: ['Garden'] }),
  granted_at: Type.Integer({ examples: [1_790_000_000_000] }),
})

const executions = endpoint({
  name: 'v1.userExecutions.list',
  summary: "List a user's executions",
  description:
    "Returns the user's executions that received a watermarked copy, with script, version, executor and time, newest first. They are kept for 400 days. Other executions are only counted in the user's `executions`.",
  method: 'GET',
  path: '/v1/users/:user_key/executions',
  auth: 'user',
  scope: 'users:read',
  issued: true,
  params: shape.UserParams,
  query: shape.members({
    ...shape.onward,
  }),
  response: Type.Object({
    success: shape.Yes,
    executions: Type.Array(Execution),
    next: shape.Next,
  }),
  handle: ({ subject, query }, deps) => listUserExecutions(deps, subject.user, shape.given(query)),
})

export const userHistory: readonly Endpoint[] = [executions]
