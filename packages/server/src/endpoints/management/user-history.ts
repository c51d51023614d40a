/** What is stored of a single user's executions and device. Their denials are in `denials.ts`, their sessions in `sessions.ts`. */
import { Type } from 'typebox'
import { describeDevice, listUserExecutions } from '../../domain/users/history.ts'
import { type Endpoint, endpoint, Nothing } from '../endpoint.ts'
import * as shape from '../shapes.ts'

const MAX_LISTED = 1000

const Execution = Type.Object({
  script_id: Type.String(),
  script_version: Type.Integer({ examples: [3] }),
  executor: Type.String({ description: 'as it named itself', examples: ['Garden'] }),
  granted_at: Type.Integer({ examples: [1_790_000_000_000] }),
})

const executions = endpoint({
  name: 'v1.userExecutions.list',
  summary:
    'List the executions of a user in the last 400 days that were sent a watermarked copy, newest first; of others only the count is kept.',
  method: 'GET',
  path: '/v1/users/:user_key/executions',
  auth: 'user',
  scope: 'users:read',
  issued: true,
  params: shape.UserParams,
  query: shape.members({
    after: shape.maybe(Type.String({ maxLength: 100, description: 'the next of an earlier answer' })),
    limit: shape.maybe(
      Type.Integer({ minimum: 1, maximum: MAX_LISTED, description: '100 unless given', examples: [50] }),
    ),
  }),
  body: Nothing,
  response: Type.Object({
    success: shape.Yes,
    executions: Type.Array(Execution),
    next: shape.Next,
  }),
  failures: {},
  handle: ({ subject, query }, deps) => listUserExecutions(deps, subject.user, shape.given(query)),
})

const masked = { description: 'masked; null when it is not known', examples: ['203.0.*.*'] }
const Device = Type.Unsafe<{
  ip: string | null
  executor: string | null
  components: { component: string; strength: 'weak' | 'medium' | 'strong'; hash: string }[]
} | null>({
  type: ['object', 'null'],
  description: 'null while none is bound',
  required: ['ip', 'executor', 'components'],
  properties: {
    ip: shape.nullable(Type.String(masked)),
    executor: shape.nullable(Type.String({ ...masked, examples: ['Ga**'] })),
    components: Type.Array(
      Type.Object({
        component: Type.String({ description: 'what of the device it is', examples: ['machine_id'] }),
        strength: Type.String({
          enum: ['weak', 'medium', 'strong'],
          description: 'how surely it tells devices apart',
        }),
        hash: Type.String({
          description: 'masked; two that differ differ here too',
          examples: ['1f0a…9c2e'],
        }),
      }),
      { description: 'strongest first' },
    ),
  },
})

const device = endpoint({
  name: 'v1.userDevice.get',
  summary:
    'Read what is stored of the device that a user is bound to, masked. When it was bound is not stored.',
  method: 'GET',
  path: '/v1/users/:user_key/device',
  auth: 'user',
  scope: 'users:read',
  issued: true,
  params: shape.UserParams,
  query: Nothing,
  body: Nothing,
  response: Type.Object({ success: shape.Yes, device: Device }),
  failures: {},
  async handle({ subject }, deps) {
    return { device: await describeDevice(deps, subject.user) }
  },
})

export const userHistory: readonly Endpoint[] = [executions, device]
