/** Endpoints for a project's plans, which define the permissions and validity of keys. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { Refused } from '../../api/refusals.ts'
import * as shape from '../../api/shapes.ts'
import {
  AfterExpiry,
  ChatRole,
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
  Type.Integer({
    minimum: 1,
    maximum: 2_147_483_647,
    description: 'maximum number, at least 1. Null for no limit',
    examples: [2],
  }),
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
      description: 'IDs of the scripts that keys on this plan can run. Null for all scripts in the project',
      examples: [['scr_0VMc4VLkM2pQrStUvWxYzA']],
    }),
  ),
  features: Type.Optional(Features),
  max_devices: Type.Optional(MaxDevices),
  match: Type.Optional(DeviceRule),
  max_resets: shape.maybe(MaxResets),
  after_expiry: Type.Optional(AfterExpiry),
  resellable: Type.Optional(Resellable),
  chat_role_id: shape.maybe(ChatRole),
}

const list = endpoint({
  name: 'v1.plans.list',
  summary: 'List plans',
  description: `Returns all plans in the project, oldest first, up to ${MAX_PLANS}, each with its number of users. The \`plan_id\` of a user refers to one of them. Callers who can only issue keys see only the plans they can issue keys on.`,
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
  summary: 'Create a plan',
  description:
    "A plan defines how long keys are valid and what they allow. Without a clock, keys never expire. With the `first_use` basis, a key's validity period starts with its first run. Limits that you leave out don't apply. To put users on the plan, create them with its ID as `plan_id`.",
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
  summary: 'Retrieve a plan',
  description:
    'Returns a plan with its current settings. `users` counts all users on the plan, including those with a manually set expiry or a clock of their own.',
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
  summary: 'Update a plan',
  description:
    "Changes a plan. All keys on the plan change at their next check. Only the fields you send are changed; null removes a limit, and `features` replaces all features. Scripts with a live session receive the changes immediately, others with their next heartbeat. Changing the duration recalculates the expiry of every key that uses the plan's clock, counted from when that key's clock started. If the new basis is `creation`, keys waiting for their first use start now.",
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
  summary: 'Remove a plan',
  description:
    'Removes a plan. If the plan has users, set `move_to` to the plan to move them to. Clocks that are already running keep their start time.',
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
        description: "ID of the plan to move the removed plan's users to",
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
