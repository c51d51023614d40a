/** Endpoints that change all or many users of a project, each with a dry run. */
import { MAX_USER_KEY_LENGTH } from '@scriptward/client/messages'
import { type Static, Type } from 'typebox'
import { type Endpoint, endpoint, inBothFamilies } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { UserFilter, UserStatus, wideFilter } from '../../keys/endpoints/user-shapes.ts'
import { type ChangeOfAll, changeAll, previewAll } from '../change-all.ts'
import { changeSome, MAX_KEYS, previewSome } from '../change-some.ts'
import { ActionMembers } from './bulk-action-members.ts'
import { changed, DryRun, EXAMPLE_CHANGE, filterOf } from './change-shapes.ts'

const Changed = shape.named('UsersChanged', changed)
const DryRunOnly = shape.members({ dry_run: DryRun })

/** Declares a change whose only field is `dry_run`, which the unversioned API does not have. */
function changeOfAll({
  action,
  name,
  summary,
  description,
}: {
  readonly action: 'resetall' | 'purge' | 'clear'
  readonly name: string
  readonly summary: string
  readonly description: string
}): Endpoint[] {
  return inBothFamilies(
    {
      ...{ name, summary, description },
      method: 'POST',
      path: `/projects/:project_id/users/${action}`,
      auth: 'project',
      scope: 'users:bulk',
      cost: 10,
      params: shape.ProjectParams,
      response: shape.Done,
      failures: { account_expired: 0 },
      async handle({ subject }, deps) {
        const done = await changeAll(deps, subject, { action })
        return done instanceof Refused ? done : {}
      },
    },
    {
      v1: {
        body: DryRunOnly,
        example: { body: {}, answer: EXAMPLE_CHANGE },
        response: Changed,
        async handle({ subject, body }, deps) {
          return (body.dry_run === true ? previewAll : changeAll)(deps, subject, { action })
        },
      },
    },
  )
}

const resetAll = changeOfAll({
  action: 'resetall',
  name: 'projectUsers.resetAll',
  summary: 'Reset all fingerprints',
  description:
    "Resets the fingerprint of every user and ends their runs, for example after you change how devices are identified. Each user's next run binds the device it runs on. Cooldowns are ignored. Each reset counts toward the user's total.",
})

const purge = changeOfAll({
  action: 'purge',
  name: 'projectUsers.purge',
  summary: 'Remove unused users',
  description:
    'Removes all users who have never run a script and have neither a device nor a chat account, including those whose keys were handed out but never used. Use a dry run to preview the result. Can be undone within the undo period.',
})

const clear = changeOfAll({
  action: 'clear',
  name: 'projectUsers.clear',
  summary: 'Remove all users',
  description:
    'Removes all users in the project, including paying customers, and ends their runs. Scripts and settings are not affected. Use a dry run to preview the result. Can be undone within the undo period.',
})

const Compensation = {
  duration: shape.milliseconds('time to add to each key, in milliseconds'),
  compensate_expired: shape.Flag,
}

const compensationOf = (
  body: Pick<ChangeOfAll & { action: 'compensate' }, 'duration' | 'compensate_expired'>,
) => ({
  action: 'compensate' as const,
  duration: body.duration,
  compensate_expired: body.compensate_expired,
})

const compensate = inBothFamilies(
  {
    name: 'projectUsers.compensate',
    summary: 'Extend all keys',
    description:
      'Adds `duration` milliseconds to every key that can expire, for example to compensate for downtime. For paused keys and keys that have not been used yet, the time is added when they resume or start. Keys that never expire are unchanged. With `compensate_expired`, expired keys are extended by `duration` from now; otherwise they are skipped. The request changes all keys or none.',
    example: { body: { duration: 86_400_000, compensate_expired: false } },
    method: 'POST',
    path: '/projects/:project_id/users/compensate',
    auth: 'project',
    scope: 'users:bulk',
    cost: 10,
    params: shape.ProjectParams,
    body: shape.members(Compensation),
    response: shape.Done,
    failures: { account_expired: 0 },
    async handle({ subject, body }, deps) {
      const done = await changeAll(deps, subject, compensationOf(body))
      return done instanceof Refused ? done : {}
    },
  },
  {
    v1: {
      example: { body: { duration: 86_400_000, compensate_expired: false }, answer: EXAMPLE_CHANGE },
      body: shape.members({ ...Compensation, dry_run: DryRun }),
      response: Changed,
      async handle({ subject, body }, deps) {
        return (body.dry_run === true ? previewAll : changeAll)(deps, subject, compensationOf(body))
      },
    },
  },
)

const Filter = shape.members({ ...UserFilter, ...wideFilter, status: Type.Optional(UserStatus) })

const bulk = endpoint({
  name: 'v1.projectUsers.bulk',
  summary: 'Change users in bulk',
  description:
    "Performs one action on many users: extend, pause, resume, blacklist, unblacklist, tag, untag, move to a plan, reset or remove. Select them by keys or with the same `filter` as the user list. With `dry_run`, returns how many users would be affected and the first ten of them. To undo the change, use the change ID in the response. Users that the action wouldn't change, such as those already blacklisted, are skipped.",
  example: {
    body: { filter: { note: 'autumn sale' }, action: 'extend', duration: 604_800_000 },
    answer: EXAMPLE_CHANGE,
  },
  method: 'POST',
  path: '/v1/projects/:project_id/users/bulk',
  auth: 'project',
  scope: 'users:bulk',
  cost: 10,
  params: shape.ProjectParams,
  body: shape.members({
    keys: shape.maybe(
      Type.Array(Type.String({ maxLength: MAX_USER_KEY_LENGTH }), {
        maxItems: MAX_KEYS,
        description: `license keys, at most ${MAX_KEYS}. Cannot be combined with filter`,
        examples: [['kQ7mZ2xV9bT4nR8wLpY3sD6fHjC1gA5e']],
      }),
    ),
    filter: shape.maybe(
      Type.Object(Filter.properties, {
        additionalProperties: false,
        description: 'filters, as for listing users',
      }),
    ),
    ...ActionMembers,
    dry_run: DryRun,
  }),
  response: Type.Object({
    ...changed,
    entries: Type.Optional(
      Type.Array(
        Type.Object({
          user_key: Type.String(),
          verdict: Type.Unsafe<'changed' | 'unchanged' | 'not_found'>({
            type: 'string',
            enum: ['changed', 'unchanged', 'not_found'],
            description:
              "result for this key or, in a dry run, the expected result. unchanged means that the action doesn't apply to the user",
          }),
        }),
        { description: 'result for each key, if keys were given' },
      ),
    ),
  }),
  failures: { account_expired: 0, must_filter_something: 1, no_users_given: 2 },
  async handle({ subject, body }, deps) {
    const { keys, filter, action, dry_run, ...members } = body
    const order = {
      action,
      members: shape.given(members),
      ...(keys && { keys }),
      ...(filter && { filter: conditionsOf(filter) }),
    }
    return (dry_run === true ? previewSome : changeSome)(deps, subject, order)
  },
})

function conditionsOf({ status, plan_id, tag, issued_by, metadata, ...filter }: Static<typeof Filter>) {
  return { ...filterOf(filter), ...shape.given({ status, plan_id, tag, issued_by, metadata }) }
}

export const userChanges: readonly Endpoint[] = [resetAll, purge, clear, compensate, bulk].flat()
