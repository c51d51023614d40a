/** Endpoints that create one or many users in a project. For imports, see `imports/endpoints.ts`. */
import { Type } from 'typebox'
import { type Endpoint, inBothFamilies } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { ChangeId, DryRun, EXAMPLE_CHANGE_ID, Places } from '../../changes/endpoints/change-shapes.ts'
import { generateUsers, previewGeneration } from '../generate.ts'
import { createUser } from '../users.ts'
import { terms } from './user-shapes.ts'

const one = {
  chat_id: shape.maybe(shape.ChatId),
  key_expires: shape.maybe(
    shape.milliseconds('expiry of the key, in Unix milliseconds. 0 for a key that never expires'),
  ),
  note: shape.LooseNote,
}
const many = {
  amount: Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'number of keys to generate' }),
  keys_expire: shape.maybe(
    shape.milliseconds('expiry of the keys, in Unix milliseconds. 0 for keys that never expire'),
  ),
  note: shape.LooseNote,
}

const create = inBothFamilies(
  {
    name: 'projectUsers.create',
    summary: 'Create a user',
    description:
      'Creates a user and returns its license key, for example after a purchase. Without `key_expires`, the key never expires. It is bound to the first device that uses it. A chat account can have one key per project.',
    example: { body: { note: 'bought on 21 September', key_expires: 1_798_761_600_000 } },
    method: 'POST',
    path: '/projects/:project_id/users/new',
    auth: 'project',
    scope: 'users:issue',
    params: shape.ProjectParams,
    body: shape.members(one),
    response: Type.Object({ success: shape.Yes, user_key: Type.String() }),
    failures: { max_users_reached: 0, account_expired: 1, chat_already_has_key: 2 },
    async handle({ subject, caller, body }, deps) {
      const key = await createUser(deps, subject, shape.given(body), caller)
      return key instanceof Refused ? key : { user_key: key }
    },
  },
  {
    v1: {
      description:
        'Creates a user and returns its license key, for example after a purchase. With `plan_id`, the key follows that plan, but its own `clock`, `key_expires` and `features` take precedence. Without any of these, the key never expires. Callers without `users:write`, such as resellers, must set a plan that is marked `resellable` and may only add `note` and `chat_id`.',
      example: { body: { note: 'bought on 21 September', plan_id: 'pln_0VMc4VLkQ8sTuVwXyZaBcD' } },
      body: shape.members({ ...one, ...terms, format: shape.maybe(shape.KeyFormat) }),
    },
  },
)

const generate = inBothFamilies(
  {
    name: 'projectUsers.generate',
    summary: 'Generate users',
    description:
      "Generates many license keys in one request, for gift cards, giveaways or resellers, up to the limit in `GET /v1/limits`. Either all keys are created, or none are. Send an `Idempotency-Key`, so that retrying after a lost response doesn't generate a second batch.",
    example: { body: { amount: 3, note: 'autumn sale' } },
    method: 'POST',
    path: '/projects/:project_id/users/generate',
    auth: 'project',
    scope: 'users:issue',
    cost: 10,
    params: shape.ProjectParams,
    body: shape.members(many),
    response: Type.Object({ success: shape.Yes, user_keys: Type.Array(Type.String()) }),
    failures: { too_many_keys_to_generate: 0, account_expired: 1 },
    async handle({ subject, caller, body: { amount, ...rest } }, deps) {
      return generateUsers(deps, subject, { amount, ...shape.given(rest) }, caller)
    },
  },
  {
    v1: {
      example: {
        body: { amount: 2, note: 'autumn sale', plan_id: 'pln_0VMc4VLkQ8sTuVwXyZaBcD' },
        answer: {
          success: true,
          user_keys: ['kQ7mZ2xV9bT4nR8wLpY3sD6fHjC1gA5e', 'rB5tK8nW2vX7mQ4zLc9yS1dGhJ3pF6aE'],
          count: 2,
          change_id: EXAMPLE_CHANGE_ID,
        },
      },
      body: shape.members({ ...many, ...terms, format: shape.maybe(shape.KeyFormat), dry_run: DryRun }),
      response: Type.Object({
        success: shape.Yes,
        user_keys: Type.Array(Type.String(), { description: 'new license keys. Empty in a dry run' }),
        count: Type.Integer({ minimum: 0, description: 'number of keys', examples: [3] }),
        change_id: ChangeId,
        ...Places,
      }),
      async handle({ subject, caller, body: { amount, dry_run, ...rest } }, deps) {
        const order = { amount, ...shape.given(rest) }
        if (dry_run === true) return previewGeneration(deps, subject, order, caller)
        return generateUsers(deps, subject, order, caller)
      },
    },
  },
)

export const newUsers: readonly Endpoint[] = [...create, ...generate]
