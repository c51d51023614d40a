/** Plans of a project: what the keys that follow one may do, and for how long. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { Refused } from '../../api/refusals.ts'
import * as shape from '../../api/shapes.ts'
import {
  AfterExpiry,
  Clock,
  DeviceRule,
  Features,
  Grace,
  MaxDevices,
  MaxResets,
  Plan,
  Quota,
  Resellable,
} from '../keys/endpoints/user-shapes.ts'
import { createPlan, editPlan, getPlan, listPlans, MAX_PLANS, removePlan } from './plans.ts'

const PlanParams = Type.Object({ plan_id: Type.String() })
const MaybeLimit = shape.maybe(
  Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'null for no limit', examples: [2] }),
)

const terms = {
  clock: Type.Optional(Clock),
  grace: Type.Optional(Grace),
  max_instances: MaybeLimit,
  max_executions: MaybeLimit,
  quota: shape.maybe(Quota),
  scripts: shape.maybe(
    Type.Array(Type.String({ maxLength: 64 }), {
      minItems: 1,
      maxItems: 1000,
      description: 'ids of the scripts that its keys may run; null for all of the project',
      examples: [['scr_0VMc4VLkM2pQrStUvWxYzA']],
    }),
  ),
  features: Type.Optional(Features),
  max_devices: Type.Optional(MaxDevices),
  match: Type.Optional(DeviceRule),
  max_resets: shape.maybe(MaxResets),
  after_expiry: Type.Optional(AfterExpiry),
  resellable: Type.Optional(Resellable),
}

const list = endpoint({
  name: 'v1.plans.list',
  summary: 'List the plans of a project with the number of users who follow each.',
  description: `Returns all plans of the project, oldest first, up to ${MAX_PLANS}. The \`plan_id\` of a user refers to one of them. Callers who can only issue users see only the plans they can issue.`,
  method: 'GET',
  path: '/v1/projects/:project_id/plans',
  auth: 'project',
  scope: 'users:read',
  issued: true,
  params: shape.ProjectParams,
  response: Type.Object({ success: shape.Yes, plans: Type.Array(Plan) }),
  handle: async ({ subject, caller }, deps) => ({ plans: await listPlans(deps, subject.project, caller) }),
})

const create = endpoint({
  name: 'v1.plans.create',
  summary: 'Make a plan, which keys can follow from then on.',
  description:
    'A plan says for how long a key is valid and what it may do. Without a clock its keys never end; with the basis `first_use` the time counts from the first execution. What is left out is without limit. Then create users with its id as `plan_id`.',
  example: {
    body: {
      name: 'Pro, 30 days',
      clock: { basis: 'first_use', duration: 2_592_000_000 },
      grace: 86_400_000,
      max_instances: 2,
      features: { turbo: true, slots: 3 },
    },
  },
  method: 'POST',
  path: '/v1/projects/:project_id/plans/new',
  auth: 'project',
  scope: 'projects:write',
  params: shape.ProjectParams,
  body: shape.members({ name: shape.Name, ...terms }),
  response: Type.Object({
    success: shape.Yes,
    plan_id: Type.String({ examples: ['pln_0VMc4VLkQ8sTuVwXyZaBcD'] }),
  }),
  failures: { account_expired: 0, max_plans_reached: 1, plan_name_taken: 2 },
  async handle({ subject, body }, deps) {
    const plan_id = await createPlan(deps, subject, body)
    return plan_id instanceof Refused ? plan_id : { plan_id }
  },
})

const get = endpoint({
  name: 'v1.plans.get',
  summary: 'Get a plan with the number of users who follow it.',
  description:
    'One plan as it counts now. `users` counts those who follow it, also those whose end was set by hand or who have a clock of their own.',
  method: 'GET',
  path: '/v1/plans/:plan_id',
  auth: 'plan',
  scope: 'users:read',
  params: PlanParams,
  response: Type.Object({ success: shape.Yes, plan: Plan }),
  async handle({ subject }, deps) {
    const plan = await getPlan(deps, subject.plan)
    return plan instanceof Refused ? plan : { plan }
  },
})

const edit = endpoint({
  name: 'v1.plans.edit',
  summary: 'Change a plan and with it what its keys may do, from the next check on.',
  description:
    'Only what is sent is changed; null takes a limit away, and `features` are replaced as a whole. Running scripts see it at once over their session, else with their next heartbeat. Another duration moves the end of every key whose clock is that of the plan: it counts from when the clock of that key began. Keys that wait for a first use begin now when the new basis is `creation`.',
  example: { body: { features: { turbo: true, slots: 5 }, max_instances: null } },
  method: 'POST',
  path: '/v1/plans/:plan_id/edit',
  auth: 'plan',
  scope: 'projects:write',
  params: PlanParams,
  body: shape.members({ name: Type.Optional(shape.Name), ...terms }),
  response: shape.Done,
  failures: { account_expired: 0, cannot_edit_nothing: 1, plan_name_taken: 2 },
  handle: async ({ subject, body }, deps) => (await editPlan(deps, subject, body)) ?? {},
})

const remove = endpoint({
  name: 'v1.plans.remove',
  summary: 'Remove a plan; its users follow another one, if it has any.',
  description:
    'A plan that users follow is removed only with `move_to`: they follow that plan from then on, and a clock that runs keeps its beginning.',
  example: { body: { move_to: 'pln_0VMc4VLkQ8sTuVwXyZaBcD' } },
  method: 'POST',
  path: '/v1/plans/:plan_id/remove',
  auth: 'plan',
  scope: 'projects:write',
  params: PlanParams,
  body: shape.members({
    move_to: shape.maybe(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'the plan that its users follow then',
        examples: ['pln_0VMc4VLkQ8sTuVwXyZaBcD'],
      }),
    ),
  }),
  response: shape.Done,
  failures: { account_expired: 0, plan_in_use: 1 },
  handle: async ({ subject, body }, deps) =>
    (await removePlan(deps, subject, body.move_to ?? undefined)) ?? {},
})

export const plans: readonly Endpoint[] = [list, create, get, edit, remove]
