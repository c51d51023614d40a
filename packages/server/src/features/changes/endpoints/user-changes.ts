/** Changes of all users of a project, or of many of them, and what each would do. */
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

/** One that takes nothing but `dry_run`, which the interface does not have. */
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
  summary: "Unbind every user's fingerprint and end what they run.",
  description:
    'For a change of what devices show, or as a courtesy after an outage: the next execution of every user binds the device that it comes from. Cooldowns are not asked, and what runs is ended. Each user counts one reset more.',
})

const purge = changeOfAll({
  action: 'purge',
  name: 'projectUsers.purge',
  summary: 'Remove every user who never executed and has neither fingerprint nor chat id.',
  description:
    'Tidies up keys that were handed out and never used: users who never executed anything and have neither device nor chat account. Look at a dry run first; within some days it can be undone.',
})

const clear = changeOfAll({
  action: 'clear',
  name: 'projectUsers.clear',
  summary: 'Remove every user of the project.',
  description:
    'Removes all users of the project, paying ones included, and ends what they run. Scripts and settings stay. Look at a dry run first; within some days it can be undone.',
})

const Compensation = { duration: shape.Milliseconds, compensate_expired: shape.Flag }

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
    summary: 'Let every key that can expire do so later, expired ones only when asked to.',
    description:
      'After an outage: adds `duration` milliseconds to what each key has left. Paused keys get it when they are resumed, and clocks that wait for a first use get it too. Keys that never end stay as they are. Expired keys are left out unless `compensate_expired` is true; then they get `duration` from now. All or nothing.',
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
  summary: 'Do one thing to many users: those with some keys, or those of a filter.',
  description:
    'What staff would do one by one: extend, pause, resume, blacklist, unblacklist, tag, untag, move to a plan, reset or remove. `filter` is that of the list of users, so what was listed is what is changed. With `dry_run` it answers how many it would touch, with ten of them. The answer names a change, which undoes it. Users whom the action would not change, such as blacklisted ones for blacklist, are left out.',
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
        description: `keys of users, at most ${MAX_KEYS}; not together with filter`,
        examples: [['kQ7mZ2xV9bT4nR8wLpY3sD6fHjC1gA5e']],
      }),
    ),
    filter: shape.maybe(
      Type.Object(Filter.properties, {
        additionalProperties: false,
        description: 'as the list of users filters',
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
            description: 'unchanged: the action has nothing to do there; in a dry run, what it would be',
          }),
        }),
        { description: 'where keys were given: what became of each' },
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
