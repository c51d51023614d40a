/** Lists a user's denials, the denials without a valid key, and a project's denials by filter. */
import { DENIALS } from '@scriptward/client/messages'
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import * as shape from '../../../api/shapes.ts'
import { listAllDenials } from '../denials/denial-lists.ts'
import { listAffectedExecutors, listProjectDenials, listUserDenials } from '../denials/denials.ts'
import { executionFilter } from './execution-filter.ts'
import { userName } from './user-name.ts'

const text = Type.String()
const Executor = Type.String({ description: 'executor, as reported by the client', examples: ['Garden'] })
const Denial = shape.named('Denial', {
  reason: Type.String({ enum: Object.keys(DENIALS), description: 'check that failed' }),
  code: Type.Integer({ description: 'reason code in the client protocol' }),
  value: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'rejected value, masked if it is secret',
  }),
  allowed_at: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'time at which the problem resolves on its own. Null if a change is required',
  }),
  script_id: text,
  script_version: Type.Integer({
    ...shape.Count,
    description: 'script version that was active at the time of the denial',
  }),
  client: Type.Object({ ip: text, fingerprint: text, executor: Executor, runtime: text }),
  count: Type.Integer({ description: 'number of identical denials in a row' }),
  left_out: Type.Integer({ description: 'number of earlier denials that were too frequent to be recorded' }),
  first_at: Type.Integer(),
  last_at: Type.Integer(),
})
const Denials = Type.Object({ success: shape.Yes, denials: Type.Array(Denial) })

const ExecutorWithoutDevice = Type.Object({
  executor: Executor,
  users: Type.Integer({ description: 'number of users denied on this executor', examples: [12] }),
  denials: Type.Integer({ description: 'number of denials', examples: [40] }),
  last_at: Type.Integer({ examples: [1_790_000_000_000] }),
})

const DenialOfAnyone = Type.Object({
  user_key: shape.nullable(
    Type.String({ description: 'license key that was used. Null if it does not exist in the project' }),
  ),
  ...userName,
  ...Denial.properties,
})

const ofUser = endpoint({
  name: 'v1.userDenials.list',
  summary: "List a user's denials",
  description:
    'Returns up to 50 denied runs of the last 30 days, newest first. Identical denials in a row are combined into one entry with a count. `value` is the rejected value (masked if it is secret), and `allowed_at` is the time at which the problem resolves on its own.',
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
  summary: 'List denials without a user',
  description:
    "Returns up to 200 denied runs of the last 30 days that can't be attributed to a user, newest first: missing or invalid keys, guests, and attempts too frequent to be recorded individually. `executors_without_device` lists executors that reveal no strong device component, so device-bound keys don't work on them.",
  method: 'GET',
  path: '/v1/projects/:project_id/denials',
  auth: 'project',
  scope: 'users:read',
  params: shape.ProjectParams,
  response: Type.Object({
    ...Denials.properties,
    executors_without_device: Type.Array(ExecutorWithoutDevice, {
      description:
        'executors on which users were denied with `fingerprint_missing`, at most 50, starting with those that affected the most users',
    }),
  }),
  async handle({ subject: { project } }, deps) {
    const denials = await listProjectDenials(deps, project)
    return { denials, executors_without_device: await listAffectedExecutors(deps, project) }
  },
})

const ofProjectFiltered = endpoint({
  name: 'v1.projectDenials.filter',
  summary: 'List denials',
  description:
    "Returns a project's denied runs, with or without a user's key, newest first. Filter by reason, script, executor, user and time; all filters that you send must match. A repeated denial moves to the top and increases its count. Up to 50 denials per user and 200 without a key are kept, for 30 days.",
  method: 'GET',
  path: '/v1/projects/:project_id/denials/filter',
  auth: 'project',
  scope: 'users:read',
  params: shape.ProjectParams,
  query: shape.members(executionFilter),
  response: Type.Object({
    success: shape.Yes,
    denials: Type.Array(DenialOfAnyone),
    next: shape.Next,
  }),
  handle: ({ subject, query }, deps) => listAllDenials(deps, subject.project, shape.given(query)),
})

export const denials: readonly Endpoint[] = [ofUser, ofProject, ofProjectFiltered]
