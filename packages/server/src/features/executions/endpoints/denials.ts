/** Why executions were denied: those of a user, those without the key of a user, and all of a project by filter. */
import { DENIALS, type DenialReason, MAX_USER_KEY_LENGTH } from '@scriptward/client/messages'
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import * as shape from '../../../api/shapes.ts'
import { listAllDenials } from '../denials/denial-lists.ts'
import { listAffectedExecutors, listProjectDenials, listUserDenials } from '../denials/denials.ts'

const text = Type.String()
const Denial = shape.named('Denial', {
  reason: Type.String({ enum: Object.keys(DENIALS), description: 'the check that said no' }),
  code: Type.Integer({ description: 'its number in the client protocol' }),
  value: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'the value that the check rejected, masked where it is a secret',
  }),
  allowed_at: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'when the cause passes by itself; null when something has to be changed',
  }),
  script_id: text,
  script_version: shape.Count,
  client: Type.Object({ ip: text, fingerprint: text, executor: text, runtime: text }),
  count: Type.Integer({ description: 'how often the same was denied in a row' }),
  left_out: Type.Integer({ description: 'denials before that came too fast to be written down' }),
  first_at: Type.Integer(),
  last_at: Type.Integer(),
})
const Denials = Type.Object({ success: shape.Yes, denials: Type.Array(Denial) })

const ExecutorWithoutDevice = Type.Object({
  executor: Type.String({ description: 'as it names itself', examples: ['Garden'] }),
  users: Type.Integer({ description: 'how many users were denied on it', examples: [12] }),
  denials: Type.Integer({ description: 'how often', examples: [40] }),
  last_at: Type.Integer({ examples: [1_790_000_000_000] }),
})

const Condition = { maxLength: 255, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' }
const DenialFilter = shape.members({
  reason: Type.Optional(
    Type.Unsafe<DenialReason>({
      type: 'string',
      enum: Object.keys(DENIALS),
      description: 'the check that said no',
      examples: ['fingerprint_mismatch'],
    }),
  ),
  script_id: shape.maybe(Type.String({ ...Condition, description: 'id of a script' })),
  executor: shape.maybe(
    Type.String({ ...Condition, description: 'as it names itself', examples: ['Garden'] }),
  ),
  user_key: shape.maybe(
    Type.String({ ...Condition, maxLength: MAX_USER_KEY_LENGTH, description: 'the whole key of a user' }),
  ),
  from: shape.maybe(shape.Milliseconds),
  to: shape.maybe(shape.Milliseconds),
  ...shape.onward,
})
const DenialOfAnyone = Type.Object({
  user_key: shape.nullable(
    Type.String({ description: 'whose key was given; null when it was none of the project' }),
  ),
  ...Denial.properties,
})

const ofUser = endpoint({
  name: 'v1.userDenials.list',
  summary: 'List why the executions of a user were denied: the newest 50 of the last 30 days, newest first.',
  description:
    'Equal denials in a row are one entry with a count. `value` is what the check did not like, masked where it is secret, and `allowed_at` says when it passes by itself, so you can tell the user what to do.',
  method: 'GET',
  path: '/v1/users/:user_key/denials',
  auth: 'user',
  scope: 'users:read',
  params: shape.UserParams,
  response: Denials,
  async handle({ subject }, deps) {
    return { denials: await listUserDenials(deps, subject.user) }
  },
})

const ofProject = endpoint({
  name: 'v1.projectDenials.list',
  summary:
    'List why executions without the key of a user were denied: the newest 200 of the last 30 days, newest first. And on which executors keys are useless, because they show no strong component of the device.',
  description:
    'Wrong and missing keys, denied guests, and attempts that came too fast to be written down one by one. `executors_without_device` names executors that show nothing of the device by which a bound key could be recognised.',
  method: 'GET',
  path: '/v1/projects/:project_id/denials',
  auth: 'project',
  scope: 'users:read',
  params: shape.ProjectParams,
  response: Type.Object({
    ...Denials.properties,
    executors_without_device: Type.Array(ExecutorWithoutDevice, {
      description:
        'executors on which users were denied with `fingerprint_missing`, at most 50, those with the most users first',
    }),
  }),
  async handle({ subject: { project } }, deps) {
    const denials = await listProjectDenials(deps, project)
    return { denials, executors_without_device: await listAffectedExecutors(deps, project) }
  },
})

const ofProjectFiltered = endpoint({
  name: 'v1.projectDenials.filter',
  summary:
    'List why executions in a project were denied, of users and without a key, newest first: by reason, script, executor, user and time of the last repetition. Each user has the newest 50 of the last 30 days, attempts without a key the newest 200.',
  description:
    'Lists denied executions of a project, those of users and those without a key, newest first. All filters that you send must match. A denial that repeats moves to the front and counts up. Denials are stored for 30 days.',
  method: 'GET',
  path: '/v1/projects/:project_id/denials/filter',
  auth: 'project',
  scope: 'users:read',
  params: shape.ProjectParams,
  query: DenialFilter,
  response: Type.Object({
    success: shape.Yes,
    denials: Type.Array(DenialOfAnyone),
    next: shape.Next,
  }),
  handle: ({ subject, query }, deps) => listAllDenials(deps, subject.project, shape.given(query)),
})

export const denials: readonly Endpoint[] = [ofUser, ofProject, ofProjectFiltered]
